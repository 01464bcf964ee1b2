import { join } from "node:path";
import type { Intake } from "../../node/http-handler.ts";
import { replicaOfState } from "../parking.ts";

/** A worker's place among the processes that serve one gateway. Plain JSON: the primary process sends it. */
export interface WorkerPlace {
  /** From 1 to `count`. Whoever takes a dead worker's place has its number. */
  readonly slot: number;
  readonly count: number;
  /** Of the whole, unlike that of any other gateway: letters and digits. */
  readonly name: string;
  /** Seals the states of parked calls, as Base64 of 32 bytes: whoever takes a dead worker's place knows those that this one gave out. */
  readonly stateKey: string;
  /** Where each worker listens for what the others pass on to it; nobody else can enter it. */
  readonly folder: string;
}

/** A worker as its own process has it. */
export interface PlacedWorker extends WorkerPlace {
  /** How connections come that the primary process accepts for all. Without it this one listens by itself. */
  readonly intake?: Intake;
}

// Of a state's replica, which has 64 characters at most: what the number of a worker leaves.
const MAX_REPLICA_CHARS = 61;

/** The private listener of a worker. */
export function socketOf({ name, folder }: WorkerPlace, slot: number): string {
  return process.platform === "win32" ? `\\\\.\\pipe\\mcp-interceptors-${name}-${slot}` : join(folder, `${slot}.sock`);
}

export function sessionPrefix({ slot }: WorkerPlace): string {
  return `${slot}-`;
}

/** The other worker that a session is at, by its id; `undefined` where it can only be here, or nowhere. Ids are the client's word: the owner checks everything. */
export function ownerOfSession({ slot, count }: WorkerPlace, id: string): number | undefined {
  const owner = Number(/^([1-9]\d?)-/.exec(id)?.[1]);
  return owner <= count && owner !== slot ? owner : undefined;
}

/** What a worker's parked states name; `configured` is the name of the whole gateway among its replicas. */
export function replicaOf({ name }: WorkerPlace, slot: number, configured: string = name): string {
  return `${configured.slice(0, MAX_REPLICA_CHARS)}-${slot}`;
}

/** The other worker that a parked call waits at, by the state of a retry. */
export function ownerOfState(place: WorkerPlace, state: string, configured?: string): number | undefined {
  const named = replicaOfState(state);
  const owner = Number(/-([1-9]\d?)$/.exec(named ?? "")?.[1]);
  return owner <= place.count && owner !== place.slot && named === replicaOf(place, owner, configured) ? owner : undefined;
}
