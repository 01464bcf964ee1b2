import type { Host } from "../base/host.ts";
import type { Limits } from "../base/limits.ts";
import type { Direction } from "../chain/plan.ts";
import type { PeerContext } from "../transport/transport.ts";
import type { InvocationContext } from "../wire/gen/interceptors.ts";
import type { ErrorObject, Message, RequestId } from "../wire/message.ts";
import type { ProvenanceMode } from "../chain/provenance.ts";
import type { Observing } from "../chain/observer.ts";
import type { ChainSource } from "./chain-source.ts";
import type { Decision } from "./decision.ts";
import type { GuardEvent } from "./events.ts";
import type { RefusalAnswer } from "../interceptor/define.ts";
import type { Immutable } from "./immutable.ts";

/** What a context provider is told. Everything is read-only; `from` and its headers are verified, `message` is what the peer claims. */
export interface ExchangeInfo {
  readonly method: string;
  readonly id?: RequestId;
  readonly direction: Direction;
  readonly message: Message;
  readonly protocolVersion?: string;
  readonly from?: PeerContext;
}

/** What a guard does in which case. Everything has a default, and the defaults are strict. */
export interface GuardPolicy {
  /** Judge notifications too. Default false; on in `wrap`. */
  readonly interceptNotifications?: boolean;
  /**
   * Let the peer's calls of the interceptor methods through: for a server that hosts interceptors, which would judge calls of themselves.
   * Default false; `guardServer` sees for itself.
   */
  readonly hostsChain?: boolean;
  /** What happens to an error response that an active response hook of its event does not handle. Default `pass`. */
  readonly errorResponses?: "pass" | "generic";
  /**
   * Whether an error goes out as it is all the same, under `errorResponses: "generic"`: one that the guarded side has made itself, of fixed texts. Gets
   * the object that was sent. Must not throw.
   */
  readonly keepsError?: (error: ErrorObject) => boolean;
  /** Answer a blocked `tools/call` as a result with `isError: true`, which models can read. Default `error`. */
  readonly blockAs?: "error" | "result";
  /** By interceptor name: the error to answer for what that interceptor refuses, in place of the usual one; `tool-filter` answers like a server without the tool. */
  readonly answerAs?: Readonly<Record<string, RefusalAnswer>>;
  /** Show a validator's messages to the side that did not send the judged payload as well. Default false. */
  readonly exposeMessages?: boolean;
  /** Show exception texts to the peer. Default false. */
  readonly exposeErrors?: boolean;
  /**
   * JSON pointers into payloads, of all events or by event (as hooks name them). A mutator that changes, adds or removes what is there has failed
   * with `malformed_result`, and the failure names the pointer.
   */
  readonly immutable?: Immutable;
  /**
   * What becomes of a tool's result that mutators have left broken: its structured content no longer fits the `outputSchema` that the tool advertised
   * on this connection, or the text that repeats it says something else. `block`: an error; `error-result`: a result with `isError: true`. Default: as
   * `blockAs` says.
   */
  readonly onSchemaBreak?: "block" | "error-result";
  /** Record in each decision which places each mutator changed (see `writersOf`), with their values or without. Default: as the chain says. */
  readonly provenance?: ProvenanceMode;
  /**
   * Makes a digest of a payload (params, result or error) for decisions, where somebody is told of them. Reads it only, and keeps nothing of it. What it
   * throws fails the message.
   */
  readonly digest?: (payload: unknown) => string;
  /** Milliseconds that one chain may take. Default: no limit but those of its entries. */
  readonly chainTimeoutMs?: number;
  /** Milliseconds that `context` may take; then the message is blocked. Default 30,000. */
  readonly contextTimeoutMs?: number;
  /** Milliseconds that `record` may take; then it has failed. Default 30,000. */
  readonly recordTimeoutMs?: number;
  /** What to do where `record` rejects. Default `block`. */
  readonly onRecordFailure?: "block" | "continue";
}

/** How one transport is guarded. */
export interface GuardOptions {
  /** Which side of the connection the guarded application is. */
  readonly role: "server" | "client";
  /** Where it is given by `current()`, that is read once per exchange, so that a chain can be swapped while requests are in flight. */
  readonly chain: ChainSource;
  /** Who is behind the message, and its trace. What rejects blocks the message. Called only where something will be judged. */
  context?(exchange: ExchangeInfo): Partial<InvocationContext> | Promise<Partial<InvocationContext>>;
  /** Awaited before the message goes on: for audit. What it throws or rejects with is a failure, see `policy.onRecordFailure`. */
  record?(decision: Decision): Promise<void> | void;
  /**
   * False while `record` is known to fail. Then a request is refused before it goes on, whoever would look at it, but for the lifecycle's: its answer could not be
   * recorded. `policy.onRecordFailure: "continue"` lets it go on. Must not throw.
   */
  canRecord?(): boolean;
  /**
   * Told what happens, for metrics and traces: through a bounded queue, so that it neither slows nor breaks anything; see `createObserver`. Each
   * message that was judged ends in one event `blocked` or `passed`, which has the `decision`.
   */
  readonly observe?: Observing<GuardEvent>;
  /** A line for the operator: what was dropped or went wrong, but for what an interceptor has thrown, of which the log of the chain is told. What it throws is dropped. */
  log?(entry: { readonly level: "info" | "warn" | "error"; readonly message: string }): void;
  readonly policy?: GuardPolicy;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
}

/** What the owner of a server or client says of its guard; the rest is known. */
export type AttachOptions = Omit<GuardOptions, "role" | "chain">;
