import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Signal } from "../base/signal.ts";
import { diffJson, type Change } from "../base/json-diff.ts";
import { splice, spliceText } from "../base/splice.ts";
import type { Chain } from "../chain/chain.ts";
import type { ChainEvent } from "../chain/events.ts";
import { entryFact } from "../chain/entry-facts.ts";
import { chainError } from "../chain/outcome.ts";
import type { ChainResult } from "../chain/result.ts";
import type { Direction } from "../chain/plan.ts";
import type { RefusalAnswer } from "../interceptor/define.ts";
import type { Frame } from "../wire/frame.ts";
import type { InvocationContext } from "../wire/gen/interceptors.ts";
import { restoreReservedMeta } from "../wire/meta.ts";
import { isErrorResponse, isResult, type Message } from "../wire/message.ts";
import { hooksMatch } from "../wire/patterns.ts";
import type { BlockReason } from "./decision.ts";
import { isStep, type GuardEvent } from "./events.ts";
import type { ImmutableCheck } from "./immutable.ts";
import type { GuardPolicy } from "./options.ts";
import { brokenResult, type BrokenResult } from "./tool-result.ts";
import type { TaskOrigin } from "./task-table.ts";
import type { ToolSchemas } from "./tool-schemas.ts";
import { checkPart, followingCases, type Case } from "./routes.ts";

interface JudgeInput {
  readonly frame: Frame;
  readonly cases: readonly Case[];
  readonly chain: Chain;
  readonly direction: Direction;
  readonly version: string | undefined;
  readonly context: InvocationContext;
  readonly policy: GuardPolicy;
  /** The message is an error that goes out as it is, whatever `policy.errorResponses` says. */
  readonly keepsError: boolean;
  readonly signal: Signal;
  /** Whether somebody asks what changed; a frame without text goes on faster where nobody does. */
  readonly explain: boolean;
  /** Told of what the chain does; undefined where nobody observes. */
  readonly tell: ((event: GuardEvent) => void) | undefined;
  /** The tool that a response is from, by the name that the asker knows it by. */
  readonly tool: string | undefined;
  readonly tools: ToolSchemas;
  readonly immutable: ImmutableCheck | undefined;
  /** For a response: the request that it answers, as it went on. */
  readonly request: { readonly method: string; readonly params: JsonObject } | undefined;
  /** For what belongs to a task: the request that created it, which its outcome answers. */
  readonly task?: TaskOrigin | undefined;
}

export interface Judgement {
  /** The frame to go on with; the one that came in, to the byte, where nothing was changed. */
  readonly frame: Frame;
  /** Empty, too, where nobody asked for it (`explain`). */
  readonly changes: readonly Change[];
  readonly results: readonly ChainResult[];
  /** The number of the last run that was observed; 0 without one. */
  readonly run: number;
  readonly refusal?: {
    readonly error: RpcError;
    readonly reason: BlockReason;
    readonly by?: string;
    /** What that one declares to be answered. */
    readonly answerAs?: RefusalAnswer;
    /** Beats the policy's. */
    readonly blockAs?: GuardPolicy["blockAs"];
    /** For the operator, where the results do not say it. */
    readonly why?: string;
  };
}

/** Whether any interceptor would see any of the cases; what is not worth judging goes on untouched. */
export function concerns(chain: Chain, cases: readonly Case[]): boolean {
  return cases.some(
    (item) => chain.matches(item.event, item.phase) || (item.event === "subscriptions/listen" && chain.matches("resources/subscribe", item.phase)),
  );
}

/**
 * What a message carries past the active interceptors of its own event, or of what it embeds, as a sentence. Where none of them is concerned, anything may be
 * beside what is judged.
 */
export function unseenBy({ entries }: Chain, cases: readonly Case[], own: Pick<Case, "event" | "phase">): string | undefined {
  const unseen = cases.find((item) => item.unseen !== undefined)?.unseen;
  if (unseen === undefined) return undefined;
  const looks = entries.some(({ type, policy: { mode, hooks } }) => type !== "sink" && mode === "active" && [own, ...cases].some(({ event, phase }) => hooksMatch(hooks, event, phase)));
  return looks ? unseen : undefined;
}

/**
 * Runs a message's cases through the chain, one after the other, and builds what goes on. Rejects only with the abort reason of `signal`; every
 * other fault is a refusal.
 */
export async function judge(input: JudgeInput): Promise<Judgement> {
  const { frame, chain, direction, version, context, policy, signal, request, tell } = input;
  const results: ChainResult[] = [];
  const pending = [...input.cases];
  // A message's messages go back to the side that sent the judged payload; the answer to a response goes the other way.
  const toSender = "method" in frame.message;
  let message = frame.message;
  let run = 0;
  const observe =
    tell &&
    ((event: ChainEvent) => {
      run = event.run;
      if (isStep(event)) tell(event);
    });
  // Nobody edits the frame while it is judged, so the chain need not copy it. Once it has gone on it is its receiver's, and what an audit
  // entry reads after that must be a copy.
  const owned = nobodyAudits(chain.entries);
  const isPrivate = isResult(message) && input.cases.some(({ event }) => mayMutate(chain.entries, event));

  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const item = next;
    if (chain.matches(item.event, item.phase)) {
      const { task } = item.outcome === true ? input : {};
      const result = await chain.execute({
        event: item.event,
        phase: item.phase,
        direction,
        payload: item.payload(message),
        owned,
        context,
        signal,
        // What is processed must be what was judged, so a mutated arrival is judged again.
        revalidate: "if-modified",
        accept(after, last) {
          const accepted = acceptMutation(item, after, last);
          input.immutable?.(item.event, last, accepted);
          return accepted;
        },
        error: item.error,
        version,
        request: item.outcome === true ? task && { method: task.method, params: task.params } : request,
        timeoutMs: policy.chainTimeoutMs,
        observe,
        provenance: policy.provenance,
      });
      results.push(result);
      const error = chainError(result, {
        exposeMessages: toSender || policy.exposeMessages === true,
        exposeErrors: policy.exposeErrors === true,
      });
      if (error !== undefined) return { frame, changes: [], results, run, refusal: refusalOf(result, error, chain) };
      if (result.modified && item.event === "tools/call" && item.phase === "response" && !item.error) {
        const broken = brokenResult(item.payload(message), result, item.outcome === true ? task?.tool : input.tool, input.tools);
        if (broken !== undefined) return { frame, changes: [], results, run, refusal: refusalOfBroken(broken, policy) };
      }
      // On success the final payload is an object: acceptMutation lets nothing else through.
      if (result.modified && isObject(result.finalPayload)) message = item.write(message, result.finalPayload);
    }
    if (pending.length === 0 && "method" in message) pending.push(...followUps(input.cases, item, message));
  }
  if (!input.keepsError) message = withErrorPolicy(message, chain, input.cases, policy);
  if (isPrivate) message = withPrivateCache(message);
  if (message === frame.message) return { frame, changes: [], results, run };
  const finished = finish(frame, message, input.explain);
  return { frame: finished.frame, changes: finished.changes, results, run };
}

function followUps(cases: readonly Case[], done: Case, message: Message): readonly Case[] {
  return done === cases.at(-1) ? followingCases(message, done.event) : [];
}

function refusalOf(result: ChainResult, error: RpcError, chain: Chain): NonNullable<Judgement["refusal"]> {
  const reason = result.status === "success" ? "failed" : result.status;
  if (result.abortedAt === undefined) return { error, reason };
  const { interceptor: by, address } = result.abortedAt;
  const answerAs = chain.entries.find((entry) => entry.address === address)?.answerAs;
  return answerAs === undefined ? { error, reason, by } : { error, reason, by, answerAs };
}

function refusalOfBroken({ why, by, error }: BrokenResult, { onSchemaBreak }: GuardPolicy): NonNullable<Judgement["refusal"]> {
  const refusal = { error, reason: "mutation_failed", by, why } as const;
  return onSchemaBreak === undefined ? refusal : { ...refusal, blockAs: onSchemaBreak === "error-result" ? "result" : "error" };
}

// The final payload must do as a message off the wire would, and keeps what is not the interceptors' to change.
function acceptMutation(item: Case, after: unknown, before: unknown): unknown {
  if (!isObject(after)) throw new LocalError("malformed_result", `the payload of ${item.event} must be an object`);
  if (item.error) {
    const error = ownMember(after, "error");
    if (!isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string") {
      throw new LocalError("malformed_result", "an error payload must be { error: { code, message } }");
    }
    return { error };
  }
  const shown = item.withoutHidden === undefined ? after : item.withoutHidden(after);
  const own = item.mended === undefined ? shown : item.mended(shown, before);
  const kept = isObject(before) ? restoreReservedMeta(before, own) : own;
  let payload = kept;
  if (item.event === "notifications/progress" && isObject(before)) {
    // Whose progress it is, and how far, is bookkeeping between the peers.
    payload = typeof kept["message"] === "string" ? { ...before, message: kept["message"] } : { ...before };
    if (kept["message"] === undefined) delete payload["message"];
  }
  const wrong = checkPart(item.event, item.phase, payload) ?? item.wrong?.(payload, before);
  if (wrong !== undefined) throw new LocalError("malformed_result", wrong);
  return payload;
}

function withErrorPolicy(message: Message, chain: Chain, cases: readonly Case[], policy: GuardPolicy): Message {
  if (policy.errorResponses !== "generic" || !isErrorResponse(message)) return message;
  if (!cases.some((item) => chain.missesErrors(item.event))) return message;
  return { ...message, error: { code: message.error.code, message: GENERIC_MESSAGES.get(message.error.code) ?? "Request failed" } };
}

const GENERIC_MESSAGES: ReadonlyMap<number, string> = new Map([
  [ErrorCode.parseError, "Parse error"],
  [ErrorCode.invalidRequest, "Invalid request"],
  [ErrorCode.methodNotFound, "Method not found"],
  [ErrorCode.invalidParams, "Invalid params"],
  [ErrorCode.internalError, "Internal error"],
]);

// What an interceptor may vary from caller to caller is nobody else's to cache (revision 2026-07-28, server/utilities/caching): nor is what its condition
// spares one of them.
const mayMutate = entryFact((entries, event) =>
  entries.some(({ type, policy }) => type === "mutation" && policy.mode === "active" && hooksMatch(policy.hooks, event, "response")),
);

const nobodyAudits = entryFact((entries) => entries.every(({ policy: { mode } }) => mode === "active"));

function withPrivateCache(message: Message): Message {
  if (!isResult(message) || message.result["cacheScope"] !== "public") return message;
  return { ...message, result: { ...message.result, cacheScope: "private" } };
}

function finish(frame: Frame, message: Message, explain: boolean): { frame: Frame; changes: readonly Change[] } {
  if (frame.text === undefined) return { frame: { message }, changes: explain ? diffJson(frame.message, message) : [] };
  if (!explain) return { frame: { message, text: spliceText(frame.text, frame.message, message) }, changes: [] };
  const { text, changes } = splice(frame.text, frame.message, message);
  return { frame: { message, text }, changes };
}
