import { describeError, LocalError } from "../base/errors.ts";
import { createTimestamp, detectHost, type Host } from "../base/host.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import { createLinkedList } from "../base/linked-list.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { createRandomHex, type RandomHex } from "../base/random-hex.ts";
import type { SignalSource } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import { harmless } from "../chain/report.ts";
import { isRequest, type Message } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import { observerOf, type Observer } from "../chain/observer.ts";
import { currentOf } from "./chain-source.ts";
import type { GuardEvent } from "./events.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import type { GuardOptions, GuardPolicy } from "./options.ts";
import { createRetries, type Retries } from "./retries.ts";
import type { ImmutableCheck } from "./immutable.ts";
import { immutableOf } from "./policy-checks.ts";
import { metaOf, paramsOf } from "./parts.ts";
import { createTaskTable, type TaskTable } from "./task-table.ts";
import { createToolSchemas, type ToolSchemas } from "./tool-schemas.ts";

/** What guards of the same options have in common. Where each request has a connection, it would be made for each request. */
export interface GuardShared {
  readonly options: GuardOptions;
  readonly chain: { current(): Chain };
  readonly policy: GuardPolicy;
  readonly host: Host;
  readonly limits: Limits;
  /** What other connections to the same server have been told. */
  readonly toolSchemas: ToolSchemas | undefined;
  /** The policy's word on what no mutator may change. */
  readonly immutable: ImmutableCheck | undefined;
  readonly randomHex: RandomHex;
  /** The time now, as ISO 8601 text. */
  timestamp(): string;
  /** Cannot break anything, whatever it throws or rejects with. */
  readonly observer: Observer<GuardEvent> | undefined;
  log(level: "info" | "warn" | "error", message: string): void;
}

/** Throws `invalid_argument` for options that say what cannot be. */
export function shareGuard(options: GuardOptions, toolSchemas?: ToolSchemas): GuardShared {
  // What JavaScript lets through.
  if (!isObject(options) || (options.role !== "server" && options.role !== "client")) {
    throw new LocalError("invalid_argument", 'a guard needs options with a role, which is "server" or "client": the side that it guards');
  }
  const chain = currentOf(options.chain);
  const host = options.host ?? detectHost();
  const limits = resolveLimits(options.limits);
  const log = harmless(options.log);
  const { policy = {} } = options;
  const immutable = immutableOf(policy);
  return {
    options,
    chain,
    policy,
    host,
    limits,
    toolSchemas,
    immutable: immutable && ((event, before, after) => {
      try {
        immutable(event, before, after);
      } catch (thrown) {
        // The peer is told a reason code alone, and the decision by whom.
        log?.({ level: "error", message: `a mutation of ${JSON.stringify(event.slice(0, 80))} was refused: ${describeError(thrown)}` });
        throw thrown;
      }
    }),
    randomHex: createRandomHex(host),
    timestamp: createTimestamp(host),
    observer: observerOf(options.observe, limits.maxQueuedEvents),
    log: (level, message) => log?.({ level, message }),
  };
}

/** What the two directions of one guard share. */
export class GuardState {
  readonly shared: GuardShared;
  readonly ledger: Ledger;
  readonly tasks: TaskTable;
  readonly retries: Retries;
  readonly tools: ToolSchemas;
  /** A name that we mint for the connection; never the transport's own id. */
  readonly sessionId: string;
  // Signals of notifications being judged; aborted when the guard closes.
  readonly #running = createLinkedList<SignalSource>();
  #negotiated: string | undefined;

  constructor(shared: GuardShared) {
    const { limits } = shared;
    this.shared = shared;
    this.ledger = createLedger(limits.maxPendingRequests);
    this.tasks = createTaskTable({ maxTasks: limits.maxPendingRequests, maxChars: limits.maxMessageBytes });
    this.retries = createRetries(limits.maxPendingRequests);
    this.tools = createToolSchemas(limits, (message) => shared.log("warn", message), shared.toolSchemas);
    this.sessionId = `s-${shared.randomHex(8)}`;
  }

  /** The revision that a message is of: its own word, else what the handshake settled. */
  versionOf(message: Message): string | undefined {
    const declared = metaOf(message, META.protocolVersion);
    if (typeof declared === "string") return declared;
    const requested = isRequest(message) && message.method === "initialize" ? ownMember(paramsOf(message), "protocolVersion") : undefined;
    return typeof requested === "string" ? requested : this.#negotiated;
  }

  /** Takes note of the handshake's result. */
  learn(method: string, result: JsonObject): void {
    if (method === "initialize" && typeof result["protocolVersion"] === "string") this.#negotiated = result["protocolVersion"];
  }

  /** The current chain, or `undefined` where it cannot be had. */
  chainOrNone(): Chain | undefined {
    try {
      return this.shared.chain.current();
    } catch (thrown) {
      this.shared.log("error", `the chain cannot be had: ${describeError(thrown)}`);
      return undefined;
    }
  }

  /** False while nothing can be recorded, where nothing goes on without. */
  canRecord(): boolean {
    const { options, policy } = this.shared;
    return policy.onRecordFailure === "continue" || (options.canRecord?.() ?? true);
  }

  /** Has a signal abort with the guard, until what this gives is called. */
  track(stop: SignalSource): () => void {
    const node = this.#running.add(stop);
    return () => {
      this.#running.remove(node);
      stop.dispose();
    };
  }

  /** Aborts all that runs. */
  stopAll(reason: unknown): void {
    this.ledger.abortAll(reason);
    for (const stop of this.#running) stop.abort(reason);
  }
}
