import type { Change } from "../base/json-diff.ts";
import type { Provenance } from "../chain/provenance.ts";
import type { Direction } from "../chain/plan.ts";
import type { ChainResult, ChainResultEntry } from "../chain/result.ts";
import type { InvocationContext, Phase, Severity } from "../wire/gen/interceptors.ts";
import type { RequestId } from "../wire/message.ts";
import type { FrameKind } from "./lane.ts";

/** Why a message did not go on; stable codes for logs and metrics. */
export type BlockReason =
  | "validation_failed"
  | "mutation_failed"
  | "timeout"
  | "invalid_message" //   it would not be valid off the wire, before or after mutation
  | "duplicate_id" //      its id is in flight already
  | "unknown_exchange" //  a response to nothing that is in flight
  | "overloaded" //        too many messages are being judged
  | "context_failed" //    the context provider rejected
  | "record_failed" //     the audit record could not be written
  | "cancelled" //         its request was cancelled meanwhile
  | "failed"; //           the guard itself failed

/** What a guard decided about one message. Names, ids and durations only, so that it can be logged as it is: no payload, but with `provenance: "values"`. */
export interface Decision {
  /** ISO 8601. */
  readonly at: string;
  /** Milliseconds from arrival to the decision. */
  readonly durationMs: number;
  readonly role: "server" | "client";
  readonly direction: Direction;
  readonly kind: FrameKind;
  readonly event: string;
  readonly phase: Phase;
  readonly id?: RequestId;
  /** `passed` and `changed` went on; `blocked` was answered with an error; `dropped` vanished, as notifications do. */
  readonly verdict: "passed" | "changed" | "blocked" | "dropped";
  readonly reason?: BlockReason;
  /** The interceptor that decided, where one did. */
  readonly by?: string;
  /** The code of the error that was answered. */
  readonly code?: number;
  /** JSON pointers into the payload that mutators changed. */
  readonly changes?: readonly Change[];
  readonly interceptors: readonly InterceptorOutcome[];
  readonly connection?: string;
  readonly sessionId: string;
  readonly traceId?: string;
  /** The span that the message names as the one it belongs to (`_meta.traceparent`); of a response, that of its request. */
  readonly parentSpanId?: string;
  /** The tool of a `tools/call`, by the name that the asker knows it by. */
  readonly tool?: string;
  /** Digests of the payload as it came, and as it went on where it was changed; see `policy.digest`. */
  readonly digests?: { readonly payload: string; readonly final?: string };
  /** `issuer` is the claim `iss`: an id is unique with its issuer alone. */
  readonly principal?: { readonly type: string; readonly id?: string; readonly issuer?: string };
}

/** What one interceptor made of a message: names and numbers, nothing of the payload. */
export interface InterceptorOutcome {
  readonly name: string;
  /** `label/name` in the chain, which tells two of one name apart. */
  readonly address?: string;
  readonly type: ChainResultEntry["type"];
  readonly mode?: "audit";
  readonly outcome: "valid" | "invalid" | "modified" | "unmodified" | "observed" | "failed";
  readonly severity?: Severity;
  /** The stable failure code, such as `timeout` or `crashed`. */
  readonly failure?: string;
  readonly durationMs: number;
  /** Which places it changed, or would have in mode `audit`, where the policy asks: pointers into the payload of `event`. */
  readonly provenance?: Provenance;
  /** With `provenance`: the event of that payload, as a message may carry several. */
  readonly event?: string;
}

export function outcomesOf(result: ChainResult): readonly InterceptorOutcome[] {
  return result.results.map((entry) => ({
    name: entry.interceptor,
    address: entry.address,
    type: entry.type,
    ...(entry.mode === "audit" ? { mode: entry.mode } : {}),
    outcome: outcomeOf(entry),
    ...(entry.valid === false && entry.severity !== undefined ? { severity: entry.severity } : {}),
    ...(entry.error !== undefined ? { failure: entry.error.reason } : {}),
    durationMs: entry.elapsedMs,
    ...(entry.provenance !== undefined ? { provenance: entry.provenance, event: result.event } : {}),
  }));
}

function outcomeOf(entry: ChainResultEntry): InterceptorOutcome["outcome"] {
  if (entry.error !== undefined) return "failed";
  if (entry.type === "sink") return "observed";
  if (entry.type === "validation") return entry.valid === true ? "valid" : "invalid";
  return entry.modified === true ? "modified" : "unmodified";
}

export function principalOf(context: InvocationContext | undefined): Decision["principal"] {
  const principal = context?.principal;
  if (principal === undefined) return undefined;
  const { type, id, claims } = principal;
  const issuer = claims?.["iss"];
  return { type, ...(id !== undefined && { id }), ...(typeof issuer === "string" && { issuer }) };
}
