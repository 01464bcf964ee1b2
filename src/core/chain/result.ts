import type { JsonObject } from "../base/json.ts";
import type { FailureReason } from "../interceptor/failure.ts";
import type { ListedType } from "../wire/descriptors.ts";
import type { Phase, Severity, Signature, Suggestion, ValidationMessage } from "../wire/gen/interceptors.ts";
import type { Provenance } from "./provenance.ts";

/** How an execution ended (SEP-2624, Chain Execution); all but `success` block the message. */
export type ChainStatus = "success" | "validation_failed" | "mutation_failed" | "timeout";

/** What one invocation came to. It has `error`, or the members of its type. */
export interface ChainResultEntry {
  readonly interceptor: string;
  /** `label/name`, which tells servers apart. */
  readonly address: string;
  readonly type: ListedType;
  readonly phase: Phase;
  /** It had no say; so it is with every sink. */
  readonly mode?: "audit";
  /** A second judgement, on the mutated payload. */
  readonly revalidation?: true;
  /** Whole milliseconds, as the interceptor's server counts them. */
  readonly durationMs: number;
  /** With fractions, as the chain counts them: the way there and back included. */
  readonly elapsedMs: number;
  readonly info?: JsonObject;
  readonly valid?: boolean;
  readonly severity?: Severity;
  readonly messages?: readonly ValidationMessage[];
  readonly suggestions?: readonly Suggestion[];
  readonly signature?: Signature;
  readonly modified?: boolean;
  /** Only with `modified: true`; not applied where `mode` is `audit`. */
  readonly payload?: unknown;
  /** With `modified: true`, where `provenance` was asked for: which places it changed, or would have in mode `audit`. */
  readonly provenance?: Provenance;
  /** Of a sink: it took note. */
  readonly recorded?: boolean;
  /** Of a sink. */
  readonly metrics?: Readonly<Record<string, number>>;
  readonly error?: EntryError;
}

/** Why an invocation failed. `message` is for this side alone: it may quote an exception. */
export interface EntryError {
  readonly code: number;
  readonly reason: FailureReason;
  readonly message: string;
  /** With the reason `timeout`: the limit that ran out, the entry's or the chain's. */
  readonly timeoutMs?: number;
  /** The failure did not stop the chain, as the entry's policy is to fail open. */
  readonly failOpen?: true;
}

export interface ValidationSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

/** Where and why a chain stopped. `reason` is the validator's first error message, or a `FailureReason`. */
export interface AbortedAt {
  readonly interceptor: string;
  readonly address: string;
  readonly reason: string;
  readonly type: "validation" | "mutation" | "timeout";
}

/**
 * What a chain came to (SEP-2624, ChainExecutionResult). Its payloads belong to the chain until `settled`: read them, do not edit them.
 * `finalPayload` is there exactly on success, and is the payload that was given in, or a copy of it, where nothing was modified.
 */
export interface ChainResult {
  readonly status: ChainStatus;
  readonly event: string;
  readonly phase: Phase;
  /** In the order of the start; validators of a step in the order of entries. Audit entries and sinks that have not ended are missing. */
  readonly results: readonly ChainResultEntry[];
  readonly finalPayload?: unknown;
  /** Where the chain stopped: the payload after the last mutation that was applied. It never went anywhere. */
  readonly lastValidPayload?: unknown;
  /** The final payload is the work of a mutator. */
  readonly modified: boolean;
  readonly validationSummary: ValidationSummary;
  /** Whole milliseconds, rounded up. */
  readonly totalDurationMs: number;
  readonly abortedAt?: AbortedAt;
  /** The complete result, once the audit entries that outlived the chain have ended. Never rejects. */
  readonly settled: Promise<ChainResult>;
}
