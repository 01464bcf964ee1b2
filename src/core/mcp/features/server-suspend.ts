import { ErrorCode, LocalError, RpcError } from "../../base/errors.ts";
import { cloneJson, isObject, ownMember, type JsonObject } from "../../base/json.ts";
import type { Limits } from "../../base/limits.ts";
import { isThenable } from "../../base/thenable.ts";
import type { IncomingRequest } from "../../jsonrpc/incoming.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkRetryParams, type ClientCapabilities, type InputRequest } from "../../wire/gen/mcp.ts";
import type { SchemaCompiler } from "../endpoint.ts";
import { invalidParams } from "../lifecycle.ts";
import type { Binding, SealedStates } from "../sealed-state.ts";
import { keyProblem, requireCapability, suspended, type Asker, type AskOptions, type Question } from "./server-ask.ts";
import { requireSound } from "./server-question.ts";

/** One request of a revision in which a server asks by its result. */
export interface Suspendable {
  /** Made when it is first asked for: a request whose handler does not ask pays nothing. */
  readonly asker: () => Asker;
  /**
   * Runs the handler, and gives what `complete` makes of the outcome: the handler's, or an `input_required` result where it has asked what
   * is not answered yet.
   */
  run(handler: () => unknown, complete: (result: unknown) => unknown): unknown;
}

export interface SuspensionParts {
  readonly states: SealedStates;
  readonly limits: Limits;
  readonly compile: SchemaCompiler;
}

/** The requests that may be answered by questions (2026-07-28, basic/patterns/mrtr, Supported Requests). */
const ASKING: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** What the client keeps for us between two runs, by the key of the question. */
interface Saved {
  /** How often the client has been asked. */
  readonly rounds: number;
  /** Digests of the questions. */
  readonly asked: JsonObject;
  readonly answers: JsonObject;
  readonly kept: JsonObject;
}

/** A question of this run; without an answer it is still to be put to the client. */
interface Asked {
  readonly key: string;
  readonly request: InputRequest;
  readonly digest: string;
  readonly sealed: boolean;
  readonly answer?: unknown;
}

const NOTHING_SAVED: Saved = { rounds: 0, asked: {}, answers: {}, kept: {} };

/**
 * A handler that asks is stopped there, and run again from its start when the client comes back with the answer; nothing is kept here in
 * between. Questions are known by their order and their digest, so that an answer never serves for another question: a handler that asks
 * something else when it is run again gets no stale answer, and the client is asked anew.
 */
export function createSuspendable(parts: SuspensionParts, request: IncomingRequest, capabilities: ClientCapabilities): Suspendable {
  const { method, params } = request;
  // As it came: what the handler makes of its arguments must not change what its state is bound to.
  const { _meta, inputResponses: _given, requestState: _state, ...content } = params;
  const original = ASKING.has(method) ? cloneJson(content) : content;
  let opened: Suspension | undefined;
  const open = () => (opened ??= openSuspension(parts, request, original, capabilities));
  return {
    asker: () => open().asker,
    run(handler, complete) {
      const retried = params["requestState"] !== undefined || params["inputResponses"] !== undefined;
      if (!retried || !ASKING.has(method)) return runNow(() => opened, handler, complete);
      const problem = checkRetryParams(withoutResponses(params));
      if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
      const state = params["requestState"];
      // A handler that asks by results of its own has states of its own, which are none of our business.
      if (typeof state !== "string" || !parts.states.looksSealed(state)) return runNow(() => opened, handler, complete);
      return open().resume(state).then(() => runNow(() => opened, handler, complete));
    },
  };
}

/**
 * Keys that nobody asked for are ignored whatever they hold (2026-07-28, basic/patterns/mrtr), so that a response is looked at where its
 * question is.
 */
function withoutResponses(params: JsonObject): JsonObject {
  return isObject(params["inputResponses"]) ? { ...params, inputResponses: {} } : params;
}

function runNow(opened: () => Suspension | undefined, handler: () => unknown, complete: (result: unknown) => unknown): unknown {
  const done = (result: unknown): unknown => {
    const suspension = opened();
    return suspension === undefined ? complete(result) : suspension.finish(() => result).then(complete);
  };
  const failed = (thrown: unknown): unknown => {
    const suspension = opened();
    if (suspension === undefined) throw thrown;
    const rethrow = () => {
      throw thrown;
    };
    return suspension.finish(rethrow).then(complete);
  };
  let outcome: unknown;
  try {
    outcome = handler();
  } catch (thrown) {
    return failed(thrown);
  }
  return isThenable(outcome) ? Promise.resolve(outcome).then(done, failed) : done(outcome);
}

/** The part that exists once a handler has asked, or the client has come back. */
interface Suspension {
  readonly asker: Asker;
  /** Takes up what was sealed. Rejects with the `RpcError` for a state that is not taken. */
  resume(state: string): Promise<void>;
  /** Decides between the handler's own outcome and the questions that it has put. */
  finish(outcome: () => unknown): Promise<unknown>;
}

function openSuspension(parts: SuspensionParts, request: IncomingRequest, original: JsonObject, capabilities: ClientCapabilities): Suspension {
  const { states, compile } = parts;
  const { maxAsks, maxDepth, maxMessageBytes } = parts.limits;
  const { method, params } = request;
  // By the order of the questions, which their digests may not be ready in.
  const asked: (Asked | undefined)[] = [];
  const keys = new Set<string>();
  const kept = new Map<string, unknown>();
  const started: Promise<unknown>[] = [];
  let saved = NOTHING_SAVED;
  // What decides over the handler's own outcome, however it went on.
  let verdict: "suspended" | RpcError | undefined;

  const answerTo = async <Answer>(index: number, { request: given, check }: Question<Answer>, options: AskOptions): Promise<Answer> => {
    const { key = `ask-${index + 1}`, sealed = true } = options;
    if (!ASKING.has(method)) throw new LocalError("unsupported", `in this revision nothing can be asked while ${method} is answered`);
    const problem = keyProblem(options, key, keys);
    if (problem !== undefined) throw (verdict = problem);
    if (typeof params["requestState"] === "string" && !states.looksSealed(params["requestState"])) {
      throw (verdict = invalidParams("params.requestState is not what this server gave out"));
    }
    // Copies, here and below: what a handler does to a question or an answer later is of no effect on what is sent or kept.
    const question = cloneJson(given, maxDepth, maxMessageBytes);
    if (index >= maxAsks) throw (verdict = askedTooMuch(`more than ${maxAsks} questions`));
    requireSound(question);
    requireCapability(question, capabilities);
    const digest = await states.digest([question.method, question.params ?? {}]);
    const responses = isObject(params["inputResponses"]) ? params["inputResponses"] : {};
    const asAsked = ownMember(saved.asked, key) === digest;
    const known =
      (asAsked ? ownMember(saved.answers, key) : undefined) ??
      (asAsked || (!sealed && params["requestState"] === undefined) ? ownMember(responses, key) : undefined);
    if (known === undefined) {
      asked[index] = { key, request: question, digest, sealed };
      verdict ??= "suspended";
      throw suspended();
    }
    const misfit = check(known, compile);
    if (misfit !== undefined) throw (verdict = invalidParams(describeProblem(misfit, `params.inputResponses.${key}`)));
    asked[index] = { key, request: question, digest, sealed, answer: known };
    // The check vouches for the type.
    return cloneJson(known) as Answer;
  };

  const asker: Asker = {
    ask(question, options = {}) {
      const answer = answerTo(started.length, question, options);
      // Whoever asked gets the rejection, if he waits for it at all.
      started.push(answer.catch(() => {}));
      return answer;
    },
    async once<Value>(key: string, make: () => Value | Promise<Value>) {
      const before = ownMember(saved.kept, key);
      // What is kept goes through JSON, on the first run as on the later ones.
      const value = kept.has(key) ? kept.get(key) : before !== undefined ? before : cloneJson(await make(), maxDepth, maxMessageBytes);
      kept.set(key, value);
      // A copy, as above. Kept under the key by the caller's own function of the same type, in this run or an earlier one.
      return cloneJson(value) as Value;
    },
  };

  const binding = async (): Promise<Binding> => {
    const { type, id } = request.from.principal ?? {};
    return { principal: JSON.stringify([type ?? null, id ?? null]), method, params: await states.digest(original) };
  };
  const inputRequired = async (): Promise<JsonObject> => {
    const rounds = saved.rounds + 1;
    if (rounds > maxAsks) throw askedTooMuch(`${maxAsks} times and is not done`);
    const all = asked.filter((one) => one !== undefined);
    const content = {
      rounds,
      asked: Object.fromEntries(all.map(({ key, digest }) => [key, digest])),
      answers: Object.fromEntries(all.flatMap(({ key, answer }) => (answer === undefined ? [] : [[key, answer]]))),
      kept: Object.fromEntries(kept),
    } satisfies Saved;
    const result = {
      resultType: "input_required",
      inputRequests: Object.fromEntries(all.flatMap(({ key, request: question, answer }) => (answer === undefined ? [[key, question]] : []))),
    };
    const stateless = kept.size === 0 && all.every(({ sealed, answer }) => !sealed && answer === undefined);
    return stateless ? result : { ...result, requestState: await states.seal(content, await binding()) };
  };
  return {
    asker,
    async resume(state) {
      const content = await states.open(state, await binding());
      // Sealed by `inputRequired`.
      saved = content as unknown as Saved;
    },
    async finish(outcome) {
      // Questions that were put side by side are all in one result.
      await Promise.all(started);
      if (verdict === undefined) return outcome();
      if (verdict === "suspended") return await inputRequired();
      throw verdict;
    },
  };
}

function askedTooMuch(what: string): RpcError {
  return new RpcError(ErrorCode.internalError, `The handler asks ${what} (maxAsks)`);
}
