import { base64Encode } from "../../base/bytes.ts";
import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { IncomingRequest } from "../../jsonrpc/incoming.ts";
import type { RequestOptions } from "../../jsonrpc/outgoing.ts";
import { describeProblem, mustBe, under, type Problem } from "../../wire/check.ts";
import {
  checkCreateMessageResult,
  checkElicitResult,
  checkListRootsResult,
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  type ElicitResult,
  type InputRequest,
  type ListRootsResult,
} from "../../wire/gen/mcp.ts";
import type { SchemaCompiler } from "../endpoint.ts";
import { requireKnown, requireSound } from "./server-question.ts";

/** A question to the client, made by {@link elicit}, {@link sample} or {@link roots}: what is sent, and what an answer must look like. */
export interface Question<Answer> {
  readonly request: InputRequest;
  /** What is wrong with an answer; `undefined` vouches for the type. */
  check(answer: unknown, compile: SchemaCompiler): Problem | undefined;
  /** Never there: the type of the answer. */
  readonly answer?: Answer;
}

/** What a question rejects with where the handler has to stop, as the answer will come with another request. */
export function suspended(): LocalError {
  return new LocalError("aborted", "the handler is suspended until the client has answered; it will be run again", { details: { suspended: true } });
}

/** Tells it apart, for a handler that catches: let it through. */
export function isSuspended(thrown: unknown): boolean {
  return isInstance(thrown, LocalError) && thrown.code === "aborted" && thrown.details?.["suspended"] === true;
}

/**
 * `timeoutMs`, `signal` and `onProgress` are for revisions in which a question is a request of its own (ten minutes for what a person has a hand
 * in); elsewhere the client takes its time. The others are for revisions in which a result asks.
 */
export interface AskOptions extends Pick<RequestOptions, "timeoutMs" | "signal" | "onProgress"> {
  /** The question's key in the result, one of its own in the exchange. Default: `ask-1` for the first one, and so on. */
  readonly key?: string;
  /**
   * `false`: no state ties the answer to the question, and one that comes under the key is taken although nobody has asked. For a question that
   * always reads the same, and whose answer is as good without it. Needs a key. Default `true`.
   */
  readonly sealed?: boolean;
}

/** What is wrong with a question's key in its exchange, whose keys so far are `taken`; the same in all revisions, although one alone needs keys. */
export function keyProblem({ key, sealed = true }: AskOptions, actual: string, taken: Set<string>): RpcError | undefined {
  if (!sealed && key === undefined) return new RpcError(ErrorCode.internalError, "The handler asks a question that is not sealed without a key");
  if (taken.has(actual)) return new RpcError(ErrorCode.internalError, `The handler asks twice under the key ${JSON.stringify(actual)}`);
  taken.add(actual);
  return undefined;
}

/** How a handler asks the client, in either era. */
export interface Asker {
  ask<Answer>(question: Question<Answer>, options?: AskOptions): Promise<Answer>;
  once<Value>(key: string, make: () => Value | Promise<Value>): Promise<Value>;
}

// A person has to read and type, or to approve what a model is asked and says.
const PERSON_TIMEOUT_MS = 600_000;

/** Asks the user, by a form or by a page to visit. */
export function elicit(params: ElicitParams): Question<ElicitResult> {
  return {
    request: { method: "elicitation/create", params },
    check: (answer, compile) => checkElicitResult(answer) ?? checkForm(params, answer, compile),
  };
}

/** Asks the client's model. */
export function sample(params: CreateMessageParams): Question<CreateMessageResult> {
  return { request: { method: "sampling/createMessage", params }, check: checkCreateMessageResult };
}

/** Asks which directories the client works in. */
export function roots(): Question<ListRootsResult> {
  return { request: { method: "roots/list" }, check: checkListRootsResult };
}

function checkForm(params: ElicitParams, answer: unknown, compile: SchemaCompiler): Problem | undefined {
  if (params.mode === "url" || !isObject(answer) || answer["action"] !== "accept") return undefined;
  const { content = {} } = answer;
  if (!isObject(content)) return under("content", mustBe("an object"));
  const misfit = compile(params.requestedSchema).check(content);
  return misfit === undefined ? undefined : { path: `/content${misfit.path}`, reason: misfit.reason };
}

/** Throws -32021, in both eras alike, where the client has not said that it can answer (2026-07-28, basic/index, `_meta`). */
export function requireCapability({ method, params }: InputRequest, capabilities: ClientCapabilities): void {
  const required = requiredCapabilities(method, params ?? {});
  if (covers(capabilities, required)) return;
  const names = Object.entries(required).map(([name, inner]) => [name, ...Object.keys(inner)].join("."));
  const message = `Missing client capability: ${method} needs ${names.join(", ")}`;
  throw new RpcError(ErrorCode.missingClientCapability, message, { requiredCapabilities: required });
}

function requiredCapabilities(method: InputRequest["method"], params: JsonObject): Readonly<Record<string, JsonObject>> {
  switch (method) {
    case "roots/list":
      return { roots: {} };
    case "sampling/createMessage":
      return { sampling: params["tools"] === undefined && params["toolChoice"] === undefined ? {} : { tools: {} } };
    case "elicitation/create":
      return { elicitation: params["mode"] === "url" ? { url: {} } : { form: {} } };
  }
}

function covers(capabilities: ClientCapabilities, required: Readonly<Record<string, JsonObject>>): boolean {
  return Object.entries(required).every(([name, inner]) => {
    const own = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined;
    if (!isObject(own)) return false;
    // Without any mode it means forms, as when there was nothing else.
    if (name === "elicitation" && own["form"] === undefined && own["url"] === undefined) return inner["form"] !== undefined;
    return Object.keys(inner).every((part) => own[part] !== undefined);
  });
}

export interface DirectAskerParts {
  readonly host: Host;
  readonly request: Pick<IncomingRequest, "request">;
  readonly capabilities: ClientCapabilities;
  /** The session's revision. */
  readonly version: string;
  readonly compile: SchemaCompiler;
}

/** Asks by requests of the server's own, in the exchange of the request that is being handled (handshake revisions). */
export function createDirectAsker({ host, request, capabilities, version, compile }: DirectAskerParts): Asker {
  const made = new Map<string, unknown>();
  const keys = new Set<string>();
  let asked = 0;
  return {
    async ask<Answer>(question: Question<Answer>, options: AskOptions = {}) {
      const { method } = question.request;
      const { key, sealed: _sealed, ...requestOptions } = options;
      asked++;
      const problem = keyProblem(options, key ?? `ask-${asked}`, keys);
      if (problem !== undefined) throw problem;
      requireSound(question.request);
      requireCapability(question.request, capabilities);
      requireKnown(question.request, version);
      const timeout = method === "roots/list" ? {} : { timeoutMs: PERSON_TIMEOUT_MS };
      let answer: JsonObject;
      try {
        answer = await request.request(method, withElicitationId(question.request, host), { ...timeout, ...requestOptions });
      } catch (thrown) {
        // Passed on as it is, the client's error would look like one of this server's about its own request.
        if (!(thrown instanceof RpcError)) throw thrown;
        const details = { code: thrown.code };
        throw new LocalError("refused", `the client did not answer ${method}: ${describeError(thrown)}`, { details, cause: thrown });
      }
      const misfit = question.check(answer, compile);
      if (misfit !== undefined) throw new LocalError("invalid_message", `the client's answer to ${method}: ${describeProblem(misfit, "result")}`);
      // The check vouches for the type.
      return answer as Answer;
    },
    async once<Value>(key: string, make: () => Value | Promise<Value>) {
      if (!made.has(key)) made.set(key, await make());
      // Kept under the key by the caller's own function of the same type.
      return made.get(key) as Value;
    },
  };
}

// Revision 2025-11-25 demands an id for pages to visit; later ones have none, so that a handler need not think of it.
function withElicitationId({ params }: InputRequest, host: Host): JsonObject | undefined {
  if (params?.mode !== "url" || params.elicitationId !== undefined) return params;
  return { ...params, elicitationId: base64Encode(host.random(new Uint8Array(16)), "url") };
}
