import type { FailureReason } from "../interceptor/failure.ts";
import type { ListedType } from "../wire/descriptors.ts";
import type { Mode, Phase, Severity } from "../wire/gen/interceptors.ts";
import type { Direction } from "./plan.ts";

/** What every event says. Names and numbers only: no event holds a payload, a message or an exception's text. */
export interface Told {
  /** Which execution of the chain, counted from 1. */
  readonly run: number;
  /** ISO 8601. */
  readonly at: string;
  readonly event: string;
  readonly phase: Phase;
  /** Of the context, if it has one. */
  readonly traceId?: string;
}

/** What an event about one interceptor says besides. */
interface ToldOfEntry extends Told {
  /** `label/name`. */
  readonly address: string;
  readonly interceptor: string;
  readonly type: ListedType;
  readonly mode: Mode;
  /** It judges a mutated payload again. */
  readonly revalidation?: true;
}

/** An execution begins. */
export interface PlannedEvent extends Told {
  readonly kind: "planned";
  readonly direction: Direction;
  /** How many entries have hooked it; fewer may be invoked. */
  readonly interceptors: number;
}

/** An entry is called. */
export interface InvokedEvent extends ToldOfEntry {
  readonly kind: "invoked";
  /** What it may take. */
  readonly timeoutMs: number;
}

/** An invocation has ended and changes nothing. `invalid`: a validator said no; of severity `error` it blocks, unless the mode is `audit`. */
export interface VerdictEvent extends ToldOfEntry {
  readonly kind: "verdict";
  readonly outcome: "valid" | "invalid" | "unchanged" | "observed";
  /** With `invalid`. */
  readonly severity?: Severity;
  readonly elapsedMs: number;
}

/** A mutator has given a new payload, and it was accepted. In mode `audit` it is not applied. */
export interface MutatedEvent extends ToldOfEntry {
  readonly kind: "mutated";
  readonly elapsedMs: number;
}

/** An entry came to nothing, for another reason than its timeout. `elapsedMs` is since its call. */
export interface FailedEvent extends ToldOfEntry {
  readonly kind: "failed";
  readonly reason: Exclude<FailureReason, "timeout">;
  readonly elapsedMs: number;
}

/** An entry has not answered in time. `elapsedMs` is since its call. */
export interface TimedOutEvent extends ToldOfEntry {
  readonly kind: "timed_out";
  /** The limit that ran out. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}

/** An answer that came after its invocation had failed by timeout, and was dropped. */
export interface LateEvent extends ToldOfEntry {
  readonly kind: "late";
  /** Since the invocation began. */
  readonly elapsedMs: number;
}

/** An execution has ended, and what it was asked about does not go on. */
export interface BlockedEvent extends Told {
  readonly kind: "blocked";
  /** The status of the result, or `aborted` where the caller gave up. Of a guard: a `BlockReason`. */
  readonly reason: string;
  /** The interceptor that decided, where one did. */
  readonly by?: string;
  readonly elapsedMs: number;
}

/** An execution has ended with success. */
export interface PassedEvent extends Told {
  readonly kind: "passed";
  readonly modified: boolean;
  readonly elapsedMs: number;
}

/**
 * What a chain does, as it does it, told apart by `kind`. Each execution is `planned` first and `blocked` or `passed` last, but for audit entries
 * that outlive it; each entry that is `invoked` ends in one of `verdict`, `mutated`, `failed` and `timed_out`, unless the caller gives up. An entry
 * that cannot judge the message's version fails without being invoked.
 */
export type ChainEvent =
  | PlannedEvent
  | InvokedEvent
  | VerdictEvent
  | MutatedEvent
  | FailedEvent
  | TimedOutEvent
  | LateEvent
  | BlockedEvent
  | PassedEvent;

type Without<T, Members extends PropertyKey> = T extends unknown ? Omit<T, Members> : never;

/** An event without what every event of its execution says. */
export type EventDraft = Without<ChainEvent, keyof Told>;

/** Tells the observers of one execution. */
export type Teller = (draft: EventDraft) => void;
