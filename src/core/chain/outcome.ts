import { ErrorCode, RpcError } from "../base/errors.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import { blocks, REJECTED, type ReadResult } from "../wire/results.ts";
import type { Failure } from "./classify.ts";
import type { Outcome, Slot } from "./invocation.ts";
import { traceChanges } from "./provenance.ts";
import type { AbortedAt, ChainResult, ChainResultEntry, ChainStatus, EntryError, ValidationSummary } from "./result.ts";

/** The invocation that stopped a chain, and how. */
export interface Stop {
  readonly slot: Slot;
  readonly kind: "verdict" | "failure" | "timeout";
}

/**
 * What stops the chain after its validators, from a place on, all of which have ended: a verdict outranks a failure, and a failure that
 * is no timeout outranks a timeout; among equals the first in entry order counts. Audit entries and failures that are let pass stop
 * nothing.
 */
export function judge(slots: readonly Slot[], from: number): Stop | undefined {
  let worst: Stop | undefined;
  for (let index = from; index < slots.length; index++) {
    const slot = slots[index]!;
    const kind = stopKind(slot);
    if (kind !== undefined && (worst === undefined || RANK[kind] > RANK[worst.kind])) worst = { slot, kind };
  }
  return worst;
}

const RANK: Record<Stop["kind"], number> = { verdict: 3, failure: 2, timeout: 1 };

/** How this one invocation stops the chain, if it does. */
export function stopKind({ planned, outcome }: Slot): Stop["kind"] | undefined {
  if (!planned.active || outcome === undefined) return undefined;
  if (outcome.result !== undefined) return blocks(outcome.result) ? "verdict" : undefined;
  if (planned.entry.policy.failOpen) return undefined;
  return outcome.failure.reason === "timeout" ? "timeout" : "failure";
}

export function statusOf(stop: Stop | undefined): ChainStatus {
  if (stop === undefined) return "success";
  if (stop.kind === "timeout") return "timeout";
  return stop.slot.planned.entry.type === "mutation" ? "mutation_failed" : "validation_failed";
}

export function abortedAt({ slot, kind }: Stop): AbortedAt {
  const { address, name, type } = slot.planned.entry;
  const { result, failure } = slot.outcome ?? {};
  const reason = failure?.reason ?? (result?.type === "validation" ? errorTexts(result.messages)[0] : undefined) ?? REJECTED;
  return { interceptor: name, address, reason, type: kind === "timeout" ? "timeout" : type === "mutation" ? type : "validation" };
}

/** Messages by severity, of active and audit validators; of one that has judged twice only the second time counts, and failures do not. */
export function summarize(slots: readonly Slot[]): ValidationSummary {
  const count = { error: 0, warn: 0, info: 0 };
  for (const { planned, revalidation, outcome } of slots) {
    if (outcome?.result?.type !== "validation") continue;
    const { valid, severity, messages } = outcome.result;
    if (valid && messages === undefined) continue;
    if (!revalidation && slots.some((later) => later.revalidation && later.outcome !== undefined && later.planned === planned)) continue;
    if (messages === undefined) count[severity ?? "error"]++;
    else for (const message of messages) count[message.severity]++;
  }
  return { errors: count.error, warnings: count.warn, infos: count.info };
}

/** The entries of `results`; slots without an outcome have none. */
export function listResults(slots: readonly Slot[], phase: Phase): ChainResultEntry[] {
  const entries: ChainResultEntry[] = [];
  for (const slot of slots) if (slot.outcome !== undefined) entries.push(resultEntry(slot, slot.outcome, phase));
  return entries;
}

type Draft = { -readonly [Member in keyof ChainResultEntry]: ChainResultEntry[Member] };

// Member by member: this runs for each invocation, and spreads cost ten times as much.
function resultEntry({ planned, revalidation, trace }: Slot, { result, failure, elapsedMs }: Outcome, phase: Phase): ChainResultEntry {
  const { entry, active } = planned;
  const durationMs = result?.durationMs ?? Math.ceil(elapsedMs);
  const draft: Draft = { interceptor: entry.name, address: entry.address, type: entry.type, phase, durationMs, elapsedMs };
  if (!active) draft.mode = "audit";
  if (revalidation) draft.revalidation = true;
  if (result === undefined) draft.error = entryError(failure, active && entry.policy.failOpen);
  else copyMembers(draft, result);
  if (trace !== undefined && result?.type === "mutation" && result.modified) {
    draft.provenance = trace.record ??= traceChanges(trace.before, result.payload, trace.how);
  }
  return draft;
}

function copyMembers(draft: Draft, result: ReadResult): void {
  if (result.info !== undefined) draft.info = result.info;
  if (result.type === "sink") {
    if (result.recorded !== undefined) draft.recorded = result.recorded;
    if (result.metrics !== undefined) draft.metrics = result.metrics;
    return;
  }
  if (result.type === "mutation") {
    draft.modified = result.modified;
    // An unmodified payload is not repeated.
    if (result.modified) draft.payload = result.payload;
    return;
  }
  draft.valid = result.valid;
  if (result.severity !== undefined) draft.severity = result.severity;
  if (result.messages !== undefined) draft.messages = result.messages;
  if (result.suggestions !== undefined) draft.suggestions = result.suggestions;
  if (result.signature !== undefined) draft.signature = result.signature;
}

function entryError({ code, reason, message, timeoutMs }: Failure, failOpen: boolean): EntryError {
  return { code, reason, message, ...(timeoutMs !== undefined && { timeoutMs }), ...(failOpen && { failOpen }) };
}

/** What of a failure may cross to the other side, beside its stable reason. */
export interface BoundaryOptions {
  /** The text of failures crosses instead of their reason code. */
  readonly exposeErrors?: boolean;
  /**
   * Validators' messages cross. By default in the request phase alone, where the error goes back to whoever sent the judged payload; in the
   * response phase the payload was on its way to them, and a message may quote what was blocked.
   */
  readonly exposeMessages?: boolean;
}

/** What the peer is told of a chain that did not succeed (SEP-2624, Error Handling); `undefined` on success. */
export function chainError(result: ChainResult, options: BoundaryOptions = {}): RpcError | undefined {
  const { status, abortedAt, phase } = result;
  const { exposeErrors = false, exposeMessages = phase === "request" } = options;
  if (status === "success" || abortedAt === undefined) return undefined;
  const stopping = result.results.filter(stops);
  // For the last two statuses: nothing else outranks the first that stopped.
  const error = stopping[0]?.error;
  switch (status) {
    case "validation_failed":
      return new RpcError(ErrorCode.invalidParams, "Interceptor validation failed", {
        validationErrors: stopping.flatMap((entry) => validationErrors(entry, exposeErrors, exposeMessages)),
      });
    case "mutation_failed":
      return new RpcError(ErrorCode.internalError, "Interceptor mutation failed", {
        failedInterceptor: abortedAt.interceptor,
        reason: exposeErrors && error !== undefined ? error.message : abortedAt.reason,
      });
    case "timeout":
      return new RpcError(ErrorCode.interceptorTimeout, "Interceptor execution timeout", {
        interceptor: abortedAt.interceptor,
        timeoutMs: error?.timeoutMs,
        phase,
      });
  }
}

function stops({ mode, type, valid, severity, error }: ChainResultEntry): boolean {
  if (mode === "audit") return false;
  return error === undefined ? type === "validation" && valid === false && severity === "error" : error.failOpen !== true;
}

function validationErrors({ interceptor, error, messages }: ChainResultEntry, exposeErrors: boolean, exposeMessages: boolean) {
  const severity = "error";
  if (error !== undefined) return [{ interceptor, severity, message: exposeErrors ? error.message : error.reason }];
  const errors = exposeMessages ? (messages ?? []).filter((message) => message.severity === "error") : [];
  if (errors.length === 0) return [{ interceptor, severity, message: REJECTED }];
  return errors.map(({ message, path }) => ({ interceptor, severity, message, ...(path !== undefined && { path }) }));
}

function errorTexts(messages: readonly { readonly message: string; readonly severity: string }[] = []): string[] {
  return messages.filter(({ severity }) => severity === "error").map(({ message }) => message);
}
