import { describeError, ErrorCode, LocalError, RpcError } from "../../base/errors.ts";
import { platformSignal, type Host, type PlatformSignal } from "../../base/host.ts";
import { isObject, ownMember, setMember, type JsonObject } from "../../base/json.ts";
import { createSignal, type Signal } from "../../base/signal.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkInputRequiredResult, type InputRequest } from "../../wire/gen/mcp.ts";
import { covers, METHODS, type Span } from "../../wire/methods.ts";
import type { ClientCallOptions } from "../client-options.ts";
import type { AskedMethod, AskedMethods, InputContext } from "./client-asked.ts";
import { limitCall, waitFor, type CallLimit } from "./client-limit.ts";

/** How a client meets results that ask for input (2026-07-28, basic/patterns/mrtr). */
export interface InputPolicy {
  /** How often a request is sent again before it is given up with `limit_exceeded`. */
  readonly maxRounds: number;
  /** Bounds a request with all its rounds and the handlers in between, unless its `maxTotalTimeoutMs` is less. */
  readonly totalMs: number;
  /** Asks one handler after the other, in the order of the keys, in place of all at once. */
  readonly inOrder: boolean;
  /** Values of `resultType` besides the two of the core; with `input_required` among them such results are given back as they are. */
  readonly resultTypes: ReadonlySet<string>;
}

export interface InputParts {
  readonly host: Host;
  readonly maxRequests: number;
  readonly version: string;
  readonly policy: InputPolicy;
  readonly asked: AskedMethods;
  /** Aborts with the `LocalError` that ends the connection. */
  readonly connection: Signal;
  /** One round trip. */
  send(method: string, params: JsonObject, options: ClientCallOptions): Promise<JsonObject>;
}

export interface FinalResult {
  readonly result: JsonObject;
  /** It depends on answers of ours. */
  readonly retried: boolean;
}

/** Waits between tries that ask for nothing but to be tried again: the server sheds load. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Sends a request and, as long as its result asks for input, gets it from the handlers and sends it again: the same method and params under
 * a new id, with the answers and the server's state as it came. Nothing is sent again after a timeout or an error.
 */
export async function requestWithInput(
  method: string,
  params: JsonObject,
  options: ClientCallOptions,
  parts: InputParts,
): Promise<FinalResult> {
  const { host, policy } = parts;
  const startedAt = host.now();
  const first = await parts.send(method, params, options);
  if (!wantsInput(method, first, policy.resultTypes)) return { result: first, retried: false };

  const totalMs = Math.min(options.maxTotalTimeoutMs ?? Infinity, policy.totalMs);
  const limit = limitCall(method, { host, options, connection: parts.connection, totalMs, dueAt: startedAt + totalMs });
  try {
    let wanted = first;
    let idle = 0;
    for (let round = 1; round <= policy.maxRounds; round++) {
      const { requests, state } = readWanted(method, wanted, parts);
      if (requests.length === 0) await pause(host, Math.min(FIRST_WAIT_MS * 2 ** idle++, LONGEST_WAIT_MS), limit.signal);
      const responses = await answerAll(method, requests, limit, parts);
      const { inputResponses: _answers, requestState: _state, ...retry } = params;
      if (ownMember(wanted, "inputRequests") !== undefined) retry["inputResponses"] = responses;
      if (state !== undefined) retry["requestState"] = state;
      wanted = await parts.send(method, retry, { ...options, maxTotalTimeoutMs: limit.remainingMs() });
      if (!wantsInput(method, wanted, policy.resultTypes)) return { result: wanted, retried: true };
    }
    throw new LocalError("limit_exceeded", `the server still wants input for ${method} after ${policy.maxRounds} rounds (maxInputRounds)`);
  } finally {
    limit.release();
  }
}

/** Whether a result is not the final one. Throws for a type that nobody has announced (basic/index, ResultType). */
function wantsInput(method: string, result: JsonObject, known: ReadonlySet<string>): boolean {
  const resultType = ownMember(result, "resultType");
  // An older server's result has no type.
  if (resultType === undefined || resultType === "complete") return false;
  if (typeof resultType === "string" && known.has(resultType)) return false;
  if (resultType === "input_required") return true;
  throw invalid(`the result of ${method} has an unknown resultType`, { resultType: typeof resultType === "string" ? resultType : null });
}

interface Asking {
  readonly key: string;
  readonly request: InputRequest;
  readonly handler: AskedMethod;
}

interface Wanted {
  readonly requests: readonly Asking[];
  readonly state: string | undefined;
}

/** Looks at all requests before any handler is asked: nobody is bothered for a result that cannot be met. */
function readWanted(method: string, result: JsonObject, { asked, maxRequests, version }: InputParts): Wanted {
  // A method that MCP does not know is an extension's, and may.
  const mayAsk = !METHODS.has(method) || covers(spanOf(method, "asksForInput"), version);
  if (!mayAsk) throw invalid(`${method} must not ask for input`);
  const found = checkInputRequiredResult(result);
  if (found !== undefined) throw invalid(`the input_required result of ${method} is malformed: ${describeProblem(found, "it")}`);
  // The check has found these types.
  const inputRequests = (ownMember(result, "inputRequests") ?? {}) as { [key: string]: InputRequest };
  const state = ownMember(result, "requestState") as string | undefined;
  const entries = Object.entries(inputRequests).filter(([, request]) => request !== undefined);
  if (entries.length > maxRequests) {
    throw new LocalError("limit_exceeded", `${method} asks for more than ${maxRequests} inputs (maxIncomingRequests)`);
  }
  const requests = entries.map(([key, request]): Asking => {
    if (!covers(spanOf(request.method, "embedded"), version)) {
      throw invalid(`${method} asks for ${request.method}, which no result may ask for`, { key });
    }
    const handler = asked.get(request.method);
    if (handler !== undefined) return { key, request, handler };
    throw new LocalError("unsupported", `the server wants ${request.method} before it completes ${method}, which nothing here answers`, {
      details: { method: request.method, inputRequests: entries.map(([name]) => name) },
    });
  });
  return { requests, state };
}

function spanOf(method: string, what: "asksForInput" | "embedded"): Span | undefined {
  const known = METHODS.get(method);
  return known?.kind === "request" ? known[what] : undefined;
}

async function answerAll(method: string, requests: readonly Asking[], limit: CallLimit, parts: InputParts): Promise<JsonObject> {
  const source = createSignal(limit.signal);
  const answerOne = async ({ key, request, handler }: Asking): Promise<readonly [string, JsonObject]> => {
    const params = request.params ?? {};
    const context = inputContext(parts, request.method, params, source.signal);
    try {
      return [key, await handler.answer(params, context)];
    } catch (error) {
      // The handlers refuse a wrong request by -32602, which in this revision nobody would send.
      const code = error instanceof RpcError && error.code === ErrorCode.invalidParams ? "invalid_message" : "aborted";
      throw new LocalError(code, `${method} was given up, as ${request.method} could not be answered: ${describeError(error)}`, {
        details: { key, method: request.method },
        cause: error,
      });
    }
  };
  try {
    const responses: JsonObject = {};
    const answering = parts.policy.inOrder ? answerInOrder(requests, answerOne, source.signal) : Promise.all(requests.map(answerOne));
    for (const [key, answer] of await waitFor(answering, limit.signal)) setMember(responses, key, answer);
    return responses;
  } finally {
    // Handlers that are still at it after another one failed are told.
    source.abort(new LocalError("closed", "nobody waits for the answer any more"));
  }
}

async function answerInOrder<Answer>(
  requests: readonly Asking[],
  answerOne: (asking: Asking) => Promise<Answer>,
  signal: Signal,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const asking of requests) {
    if (signal.aborted) break;
    answers.push(await answerOne(asking));
  }
  return answers;
}

function pause(host: Host, ms: number, signal: Signal): Promise<void> {
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => (cancel = host.setTimer(resolve, ms)));
  return waitFor(over, signal).finally(cancel);
}

function inputContext({ host, version }: InputParts, method: string, { _meta: meta }: JsonObject, coreSignal: Signal): InputContext {
  let signal: PlatformSignal | undefined;
  return {
    method,
    era: "stateless",
    protocolVersion: version,
    meta: isObject(meta) ? meta : {},
    get signal() {
      return (signal ??= platformSignal(coreSignal, host));
    },
    coreSignal,
  };
}

function invalid(message: string, details: JsonObject = {}): LocalError {
  return new LocalError("invalid_message", message, { details });
}
