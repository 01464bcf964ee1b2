import { BriefMap } from "../base/brief-map.ts";
import type { SignalSource } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import type { PeerContext } from "../transport/transport.ts";
import type { RequestId, RequestMessage } from "../wire/message.ts";
import type { TaskOrigin } from "./task-table.ts";
import type { Trace } from "./trace.ts";

/** Who sent a request: the other end of the guarded transport, or the application that holds the guard. */
export type Initiator = "peer" | "app";

/**
 * One request and what belongs to it, from the moment it is seen until its answer has gone on.
 * - `judging-request`: held by the chain; the other side does not know of it.
 * - `in-line`: it may go on when its turn comes; the other side does not know of it.
 * - `open`: it has been delivered, and an answer is awaited.
 * - `judging-response`: the answer is held by the chain.
 * - `ended`: answered, refused or cancelled; no longer in the ledger.
 */
export interface Exchange {
  readonly initiator: Initiator;
  readonly id: RequestId;
  readonly method: string;
  /** The chain's snapshot for both phases, read once. */
  readonly chain: Chain;
  readonly version: string | undefined;
  /** Who the peer is; for a request of the application's own, who it was last seen to be. */
  readonly from: PeerContext | undefined;
  /** Aborts what runs for this exchange. */
  readonly stop: SignalSource;
  /** The request as it came, and as it went on after mutation. */
  readonly original: RequestMessage;
  final: RequestMessage;
  /** The event of the response phase; for a task's result it is the method that created the task, `undefined` if nobody knows. */
  responseEvent: string | undefined;
  /** For a request about a task: the request that created the task, `undefined` if nobody knows. */
  readonly task?: TaskOrigin | undefined;
  /** Of `tools/call`: the tool, by the name that the asker knows it by. */
  readonly tool?: string | undefined;
  /** Of both phases: set when the first of them is judged. */
  trace?: Trace;
  state: "judging-request" | "in-line" | "open" | "judging-response" | "ended";
}

/** The exchanges in flight, by initiator and typed id (1 and "1" differ). Empty when nothing is in flight. */
export interface Ledger {
  readonly size: number;
  /** False, and nothing changes, where that initiator has a request with this id in flight, or an abandoned one that may still be answered. */
  open(exchange: Exchange): boolean;
  find(initiator: Initiator, id: RequestId): Exchange | undefined;
  /** Ends an exchange, releases its signal and forgets it. Idempotent. */
  end(exchange: Exchange): void;
  /**
   * Keeps the id of an exchange that its initiator has cancelled taken until `answered`: whoever serves it may answer all the same, and that must
   * not be judged as the answer to another request. Bounded by `limit`: past that the oldest id is free again.
   */
  abandon(exchange: Exchange): void;
  /** An answer has come that belongs to nothing in flight; an abandoned request that it may belong to is forgotten. */
  answered(initiator: Initiator, id: RequestId): void;
  /** Ends all of them, aborting what runs. */
  abortAll(reason: unknown): void;
}

export function createLedger(limit: number): Ledger {
  return new OwnLedger(limit);
}

// A class for its getter, see `createQueue`.
class OwnLedger implements Ledger {
  readonly #limit: number;
  readonly #exchanges: Record<Initiator, BriefMap<RequestId, Exchange>> = { peer: new BriefMap(), app: new BriefMap() };
  readonly #abandoned: Record<Initiator, Set<RequestId> | undefined> = { peer: undefined, app: undefined };

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#exchanges.peer.size + this.#exchanges.app.size;
  }

  open(exchange: Exchange): boolean {
    const { initiator, id } = exchange;
    const table = this.#exchanges[initiator];
    if (table.has(id)) return false;
    if (this.#abandoned[initiator]?.has(id) === true) return false;
    table.set(id, exchange);
    return true;
  }

  find(initiator: Initiator, id: RequestId): Exchange | undefined {
    return this.#exchanges[initiator].get(id);
  }

  end(exchange: Exchange): void {
    exchange.state = "ended";
    exchange.stop.dispose();
    const table = this.#exchanges[exchange.initiator];
    if (table.get(exchange.id) === exchange) table.delete(exchange.id);
  }

  abandon({ initiator, id }: Exchange): void {
    const ids = (this.#abandoned[initiator] ??= new Set());
    const oldest = ids.size < this.#limit ? undefined : ids.keys().next();
    if (oldest?.done === false) ids.delete(oldest.value);
    ids.add(id);
  }

  answered(initiator: Initiator, id: RequestId): void {
    this.#abandoned[initiator]?.delete(id);
  }

  abortAll(reason: unknown): void {
    for (const table of [this.#exchanges.peer, this.#exchanges.app]) {
      for (const exchange of table.values()) {
        exchange.stop.abort(reason);
        this.end(exchange);
      }
    }
  }
}
