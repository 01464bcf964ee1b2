import { describeError, LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";
import type { Direction } from "../chain/plan.ts";
import type { PeerContext } from "../transport/transport.ts";
import { contextProblem } from "../wire/context.ts";
import type { InvocationContext, Phase } from "../wire/gen/interceptors.ts";
import type { Message, RequestId } from "../wire/message.ts";
import { outcomesOf, principalOf, type BlockReason, type Decision } from "./decision.ts";
import { decisionEvent } from "./events.ts";
import type { Judgement } from "./judge.ts";
import type { GuardOptions } from "./options.ts";
import type { FrameKind } from "./lane.ts";
import type { GuardState } from "./state.ts";
import type { Trace } from "./trace.ts";

/** What a decision is about. */
export interface Subject {
  readonly direction: Direction;
  readonly kind: FrameKind;
  readonly event: string;
  readonly phase: Phase;
  readonly id: RequestId | undefined;
  readonly from: PeerContext | undefined;
  readonly message: Message;
}

/** The context that interceptors get; `undefined` where the provider rejected, so that the message must not pass. */
export function contextOf(
  state: GuardState,
  subject: Subject,
  { traceId, spanId }: Trace,
  version: string | undefined,
): InvocationContext | Promise<InvocationContext | undefined> {
  const base: InvocationContext = { timestamp: state.shared.timestamp(), traceId, spanId };
  // A connection of one exchange is no session: whoever keeps something by it would begin anew with each message.
  if (subject.from?.single !== true) base.sessionId = state.sessionId;
  if (subject.from?.principal !== undefined) base.principal = subject.from.principal;
  const provide = state.shared.options.context;
  return provide === undefined ? base : providedContext(state, subject, version, base, provide);
}

async function providedContext(
  state: GuardState,
  subject: Subject,
  version: string | undefined,
  base: InvocationContext,
  provide: NonNullable<GuardOptions["context"]>,
): Promise<InvocationContext | undefined> {
  try {
    const asked = provide({
      method: subject.event,
      direction: subject.direction,
      message: subject.message,
      ...(subject.id === undefined ? {} : { id: subject.id }),
      ...(version === undefined ? {} : { protocolVersion: version }),
      ...(subject.from === undefined ? {} : { from: subject.from }),
    });
    const provided: unknown = isThenable(asked) ? await within(state.shared.host, asked, state.shared.policy.contextTimeoutMs ?? PATIENCE_MS, "the context provider") : asked;
    if (provided !== undefined && !isObject(provided)) throw new LocalError("invalid_argument", "it must give an object");
    // A copy: whoever provides it may keep it.
    const context = cloneJson<JsonObject>({ ...base, ...provided }, state.shared.limits.maxDepth, state.shared.limits.maxMessageBytes);
    const problem = contextProblem(context);
    if (problem !== undefined) throw new LocalError("invalid_argument", problem);
    return context;
  } catch (thrown) {
    state.shared.log("error", `no context for ${subject.event}: ${describeError(thrown)}`);
    return undefined;
  }
}

// How long the owner's own functions may take where the policy says nothing: a message that waits for them holds its lane.
const PATIENCE_MS = 30_000;

function within<T>(host: Host, settled: PromiseLike<T>, ms: number, who: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = host.setTimer(() => reject(new LocalError("timeout", `${who} took longer than ${ms} ms`)), ms);
    // A promise of ours, which stays one whatever the owner's does.
    new Promise<T>((settle) => settle(settled)).then(
      (value) => {
        cancel();
        resolve(value);
      },
      (thrown: unknown) => {
        cancel();
        reject(thrown);
      },
    );
  });
}

interface Judged {
  readonly judgement: Judgement;
  readonly context: InvocationContext;
  readonly started: number;
  readonly trace: Trace;
  /** As it was before the chain. */
  readonly before: Message;
  /** Of a `tools/call`. */
  readonly tool: string | undefined;
}

/** Refused before the chain could look at it. */
interface Unjudged {
  readonly verdict: "blocked" | "dropped";
  readonly reason: BlockReason;
  readonly code?: number;
}

/** Whether anybody is told about decisions. */
export function isWatched({ shared: { options } }: GuardState): boolean {
  return options.observe !== undefined || options.record !== undefined;
}

/**
 * Tells the outside about a decision: `record` is awaited, then observers hear of it. False where the record could not be written and the policy says
 * that nothing goes on without one; what would have gone on is told as nothing then, as it is to be refused. Without `recorded`, where the record
 * has just failed, it is not asked again: whoever waits has waited for it once.
 */
export async function decide(state: GuardState, subject: Subject, outcome: Judged | Unjudged, recorded = true): Promise<boolean> {
  if (!isWatched(state)) return true;
  const record = recorded ? state.shared.options.record : undefined;
  const rest = "judgement" in outcome ? judged(state, subject, outcome) : { durationMs: 0, interceptors: [], ...outcome };
  const decision: Decision = { ...header(state, subject, "context" in outcome ? outcome.context : undefined), ...rest };
  const goesOn = decision.verdict === "passed" || decision.verdict === "changed";
  const written = record === undefined || (await isWritten(state, record, decision));
  if (written || !goesOn) state.shared.observer?.tell(decisionEvent(decision, "judgement" in outcome ? outcome.judgement.run : 0));
  return written;
}

// True, too, where it could not be written and the policy says to go on.
async function isWritten(state: GuardState, record: NonNullable<GuardOptions["record"]>, decision: Decision): Promise<boolean> {
  try {
    const writing: unknown = record(decision);
    // Whatever the type says: one that is written in JavaScript may be done at once.
    if (isThenable(writing)) await within(state.shared.host, writing, state.shared.policy.recordTimeoutMs ?? PATIENCE_MS, "the record");
    return true;
  } catch (thrown) {
    state.shared.log("error", `a decision about ${decision.event} could not be recorded: ${describeError(thrown)}`);
    return state.shared.policy.onRecordFailure === "continue";
  }
}

function header(state: GuardState, subject: Subject, context: InvocationContext | undefined) {
  const principal = principalOf(context);
  return {
    at: state.shared.timestamp(),
    role: state.shared.options.role,
    direction: subject.direction,
    kind: subject.kind,
    event: subject.event,
    phase: subject.phase,
    sessionId: state.sessionId,
    ...(subject.id === undefined ? {} : { id: subject.id }),
    ...(subject.from === undefined ? {} : { connection: subject.from.connection }),
    ...(context?.traceId === undefined ? {} : { traceId: context.traceId }),
    ...(principal === undefined ? {} : { principal }),
  };
}

function judged(state: GuardState, subject: Subject, { judgement, started, trace, tool, before }: Judged) {
  const { refusal, changes, results, frame } = judgement;
  const { digest } = state.shared.policy;
  const blocked = subject.kind === "notification" ? ("dropped" as const) : ("blocked" as const);
  return {
    durationMs: state.shared.host.now() - started,
    interceptors: results.flatMap(outcomesOf),
    verdict: refusal !== undefined ? blocked : changes.length > 0 ? ("changed" as const) : ("passed" as const),
    ...(refusal === undefined ? {} : { reason: refusal.reason, code: refusal.error.code }),
    ...(refusal?.by === undefined ? {} : { by: refusal.by }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(trace.given === true ? { parentSpanId: trace.spanId } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(digest === undefined
      ? {}
      : { digests: { payload: digest(payloadOf(before)), ...(changes.length === 0 ? {} : { final: digest(payloadOf(frame.message)) }) } }),
  };
}

function payloadOf(message: Message): unknown {
  if ("method" in message) return message.params ?? {};
  return "result" in message ? message.result : message.error;
}
