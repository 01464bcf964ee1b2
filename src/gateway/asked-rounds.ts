import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { formatPointer, type JsonObject } from "../core/base/json.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import { pause, timedSignal } from "../core/http/pause.ts";
import { isErrorResponse, type ResultMessage } from "../core/wire/message.ts";
import { outcomeOf, type Answer, type Call, type Outcome, type Question } from "./call.ts";
import { composed, keepRaw, type RawTexts } from "./frame-text.ts";
import { gatewayError } from "./own-errors.ts";

export interface RoundsParts {
  readonly host: Host;
  readonly maxAsks: number;
  /** Those of the upstream, over all rounds. */
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
  /** One round at the upstream. */
  call(call: Call, signal: Signal): Promise<Outcome>;
  /** One question to the client. */
  ask(question: Question, signal: Signal): Promise<Answer>;
}

export type Final = Exclude<Outcome, { kind: "input" }>;

/** Rounds in a row that ask for nothing but another try: with the waits between them, half a minute. */
const MAX_IDLE_ROUNDS = 10;

/**
 * A call until it has an answer: what a stateless upstream asks for in results is asked of the client, and the call is made again. Never rejects for
 * what either of them does.
 */
export async function callThrough(first: Call, signal: Signal, parts: RoundsParts): Promise<Final> {
  const { host, maxCallMs } = parts;
  const startedAt = host.now();
  const outcome = await parts.call(first, signal);
  if (outcome.kind !== "input") return outcome;
  const limit = maxCallMs === Infinity ? createSignal(signal) : timedSignal(host, Math.max(1, startedAt + maxCallMs - host.now()), signal);
  try {
    const final = await goOn(first, outcome, startedAt, limit.signal, parts);
    return final.kind === "cancelled" && !signal.aborted ? timedOut(`The upstream has not answered within ${maxCallMs} ms`) : final;
  } finally {
    limit.abort("done");
  }
}

type Input = Extract<Outcome, { kind: "input" }>;

async function goOn(first: Call, input: Input, startedAt: number, signal: Signal, parts: RoundsParts): Promise<Final> {
  const { host, maxAsks, callTimeoutMs } = parts;
  let wanted = input;
  let idle = 0;
  let heardAt = startedAt;
  for (let round = 0; round < maxAsks; round++) {
    if (wanted.requests.size > 0) idle = 0;
    else {
      // A server that sheds load asks for nothing but another try. To whoever waits that is silence.
      if (++idle > MAX_IDLE_ROUNDS) return timedOut(`The upstream has asked for another try ${MAX_IDLE_ROUNDS} times, and for nothing else`);
      if (host.now() - heardAt >= callTimeoutMs) return timedOut(`The upstream has asked for nothing but other tries for ${callTimeoutMs} ms`);
      await pause(host, Math.min(50 * 2 ** idle, 5_000), signal);
    }
    const asked = await askAll(wanted.requests, signal, parts);
    if ("kind" in asked) return asked;
    if (idle === 0) heardAt = host.now();
    const outcome = await parts.call(retryOf(first, asked.answers, wanted.state), signal);
    if (outcome.kind !== "input") return outcome;
    wanted = outcome;
  }
  return { kind: "error", message: gatewayError("unsupported", `The upstream asks more than ${maxAsks} times (maxAsks)`), source: undefined };
}

function timedOut(why: string): Final {
  return { kind: "error", message: gatewayError("timeout", why, { delivery: "unknown" }), source: undefined };
}

/** What the client has answered, or what the call ends with instead. */
type Asked = { readonly answers: ReadonlyMap<string, Answer> } | Final;

async function askAll(requests: ReadonlyMap<string, Question>, signal: Signal, { ask }: RoundsParts): Promise<Asked> {
  const others = createSignal(signal);
  try {
    const entries = [...requests].map(async ([key, question]): Promise<[string, Answer]> => [key, await ask(question, others.signal)]);
    const answers = new Map(await Promise.all(entries));
    const failed = [...answers.values()].find(({ message }) => isErrorResponse(message));
    if (failed === undefined) return { answers };
    // In that revision an answer cannot be an error, so the call ends here.
    return { kind: "error", message: gatewayError("not_asked", "The client could not answer what the upstream asks for this call"), source: undefined };
  } catch (thrown) {
    const outcome = outcomeOf(thrown instanceof LocalError ? thrown : new LocalError("closed", "the client was not asked", { cause: thrown }));
    if (outcome.kind === "cancelled") return outcome;
    return { kind: "error", message: gatewayError("not_asked", "The client could not be asked"), source: undefined };
  } finally {
    others.abort("one of them was not answered");
  }
}

/** The same request, with the answers and the state as they came. */
function retryOf({ frame, message, ...rest }: Call, answers: ReadonlyMap<string, Answer>, state: string | undefined): Call {
  const raws: RawTexts = new Map();
  for (const [member, value] of Object.entries(message.params ?? {})) keepRaw(raws, value, frame, formatPointer(["params", member]));
  const inputResponses: JsonObject = {};
  for (const [key, { message: answer, source }] of answers) {
    // Those that are errors have ended the call.
    const { result } = answer as ResultMessage;
    keepRaw(raws, result, source, "/result");
    inputResponses[key] = result;
  }
  const { inputResponses: _answers, requestState: _state, ...params } = message.params ?? {};
  const retried = {
    ...message,
    params: { ...params, ...(answers.size === 0 ? {} : { inputResponses }), ...(state === undefined ? {} : { requestState: state }) },
  };
  return { ...rest, message: retried, frame: composed(retried, raws) };
}
