import { LocalError, RpcError, ErrorCode } from "../../base/errors.ts";
import type { PlatformSignal } from "../../base/host.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Signal } from "../../base/signal.ts";
import type { ClientCapabilities } from "../../wire/gen/mcp.ts";
import { describeProblem, type Problem } from "../../wire/check.ts";
import type { Era } from "../lifecycle.ts";

/** What a handler of a server's request may know, however the server has asked. */
export interface InputContext {
  readonly method: string;
  readonly era: Era;
  readonly protocolVersion: string;
  /** `_meta` of the request; `{}` where there is none. */
  readonly meta: JsonObject;
  /** The platform's `AbortSignal`, made when it is first read: aborts when nobody waits for the answer any more, and after it. */
  readonly signal: PlatformSignal;
  /** The same as a signal of the library's own, which costs nothing. */
  readonly coreSignal: Signal;
}

/** One kind of request that servers make of clients: what it takes to answer it, and to announce that we do. */
export interface AskedMethod {
  readonly method: "sampling/createMessage" | "elicitation/create" | "roots/list";
  capabilities(era: Era): ClientCapabilities;
  /** Throws an `RpcError` for a request that is wrong, and a `LocalError` of code `invalid_argument` for a handler's answer that is. */
  answer(params: JsonObject, context: InputContext): Promise<JsonObject>;
}

/** Handlers for what servers ask of a client: by requests of their own up to 2025-11-25, by `input_required` results since. */
export interface AskedMethods {
  /** Refuses a method that is answered already, with `conflict`. */
  add(asked: AskedMethod): void;
  get(method: string): AskedMethod | undefined;
  capabilities(era: Era): ClientCapabilities[];
}

export function createAskedMethods(): AskedMethods {
  const table = new Map<string, AskedMethod>();
  return {
    add(asked) {
      if (table.has(asked.method)) throw new LocalError("conflict", `${asked.method} has a handler already`);
      table.set(asked.method, asked);
    },
    get: (method) => table.get(method),
    capabilities: (era) => [...table.values()].map((asked) => asked.capabilities(era)),
  };
}

/** The server has asked in a way that it must not. */
export function badRequest(method: string, reason: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params of ${method}: ${reason}`);
}

export function requireParams(method: string, found: Problem | undefined): void {
  if (found !== undefined) throw badRequest(method, describeProblem(found, "params"));
}

/** The handler has answered with something that must not be sent. */
export function badAnswer(method: string, reason: string): LocalError {
  return new LocalError("invalid_argument", `the answer to ${method} cannot be sent: ${reason}`);
}

export function requireAnswer(method: string, found: Problem | undefined): void {
  if (found !== undefined) throw badAnswer(method, describeProblem(found, "it"));
}
