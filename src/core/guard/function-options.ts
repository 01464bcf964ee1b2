import { LocalError } from "../base/errors.ts";
import type { Host, PlatformSignal } from "../base/host.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { Limits } from "../base/limits.ts";
import type { Signal, SignalLike } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import type { Direction } from "../chain/plan.ts";
import type { ChainResult } from "../chain/result.ts";
import { describeProblem } from "../wire/check.ts";
import { checkLlmCompletionRequest, checkLlmCompletionResponse } from "../wire/gen/completion.ts";
import type { InvocationContext, Phase } from "../wire/gen/interceptors.ts";
import { METHODS } from "../wire/methods.ts";
import { isEvent } from "../wire/patterns.ts";
import { timeoutProblem } from "../wire/timeout.ts";
import { checkPart } from "./routes.ts";

/** What is wrong with a payload, as a sentence; `undefined` where nothing is. */
export type PayloadCheck = (payload: unknown) => string | undefined;

/** How a function is guarded. */
export interface FunctionGuardOptions {
  /** `llm/completion`, a method of MCP, or one of your own such as `custom/summarise`. */
  readonly event: string;
  /**
   * The posture of whoever calls the function. `client` (the default): the request leaves our side and the answer arrives. `server`: the other
   * way round, for a function that does work for others.
   */
  readonly role?: "client" | "server";
  /** Protocol version, for interceptors with `compat`. */
  readonly version?: string;
  /** Who calls, and in which trace; asked once a call. A trace is minted where it names none. What it throws blocks the call. */
  readonly context?: () => Partial<InvocationContext>;
  /**
   * What the payloads must be, before the chain and after each mutator. By default the common payloads of `llm/completion` and those of
   * MCP's methods, and nothing for other events; `{}` checks nothing.
   */
  readonly check?: { readonly request?: PayloadCheck; readonly response?: PayloadCheck };
  /** Only these entries, by name or `label/name`. */
  readonly interceptors?: readonly string[];
  /** Laid over the entries' static `config`. */
  readonly config?: Readonly<Record<string, JsonObject>>;
  /** Milliseconds for one run of the chain. Default: no limit but those of its entries. */
  readonly chainTimeoutMs?: number;
  /** Milliseconds that the function may take to answer; for a stream, to give each delta. Default: no limit. */
  readonly timeoutMs?: number;
  /** Told of each run of the chain. Never awaited, and cannot break anything. */
  readonly observe?: (result: ChainResult) => void;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
}

/** What one call may bring along. */
export interface GuardedCallOptions {
  /** Cancels the call: its chain, the function's `signal`, and the promise, which rejects with the reason at once. */
  readonly signal?: Signal | SignalLike;
  /** Laid over what `context` of the options gives. */
  readonly context?: Partial<InvocationContext>;
}

/** The second argument of the function. */
export interface FunctionCall {
  /** Aborts when the caller gives up, at the timeout, and when the call is over. Made on first reading. */
  readonly signal: PlatformSignal;
  readonly context: InvocationContext;
}

/** A chain, or what gives the current one: read once a call. */
export type FunctionChain = Chain | { current(): Chain };

/** What `llm/completion` demands. */
export const COMPLETION_CHECKS: Record<Phase, PayloadCheck> = {
  request: (payload) => words(checkLlmCompletionRequest(payload), "the request"),
  response: (payload) => words(checkLlmCompletionResponse(payload), "the response"),
};

function words(problem: ReturnType<typeof checkLlmCompletionRequest>, what: string): string | undefined {
  return problem === undefined ? undefined : describeProblem(problem, what);
}

/** The check of a phase. A guard that cannot know what it judges would let it pass. */
export function payloadCheck({ event, check }: FunctionGuardOptions, phase: Phase): PayloadCheck | undefined {
  if (check !== undefined) return check[phase];
  if (event === "llm/completion") return COMPLETION_CHECKS[phase];
  return METHODS.has(event) ? (payload) => checkPart(event, phase, payload) : undefined;
}

export function directionOf({ role = "client" }: FunctionGuardOptions, phase: Phase): Direction {
  return (role === "client") === (phase === "request") ? "sending" : "receiving";
}

export const FUNCTION_OPTIONS: OptionTable<FunctionGuardOptions> = {
  event: "any",
  role: ["client", "server"],
  version: "a string",
  context: "a function",
  check: "an object",
  interceptors: "a list",
  config: "an object",
  chainTimeoutMs: "any",
  timeoutMs: "any",
  observe: "a function",
  host: "an object",
  limits: "an object",
};

/** Throws `invalid_argument` where there is no function to guard, or the options are wrong. */
export function checkFunctionOptions(fn: unknown, options: FunctionGuardOptions): void {
  const wrong = (what: string) => new LocalError("invalid_argument", what);
  if (typeof fn !== "function") throw wrong("what is guarded must be a function: (fn, chain, options)");
  // What JavaScript lets through.
  if (!isObject(options)) throw wrong("a guarded function needs options with an event");
  checkOptions(options, "the options of a guarded function", FUNCTION_OPTIONS);
  const { event, timeoutMs, chainTimeoutMs, check = {} } = options;
  checkOptions(check, "check", { request: "a function", response: "a function" });
  if (!isEvent(event)) throw wrong('event must be a name, without "*"');
  for (const [name, value] of Object.entries({ timeoutMs, chainTimeoutMs })) {
    const fault = value === undefined ? undefined : timeoutProblem(value);
    if (fault !== undefined) throw wrong(`${name} ${fault}`);
  }
}
