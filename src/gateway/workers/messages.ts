import { isObject } from "../../core/base/json.ts";
import type { MetricsSnapshot } from "../metrics-registry.ts";
import type { WorkerPlace } from "./place.ts";

// What the primary process and its workers say to each other, over the channel that `node:cluster` gives them. Both are of one build.

/** What a worker says when it serves, and when it has taken another configuration in. */
export interface Served {
  /** What is where, for people. */
  readonly serving: string;
  readonly warnings: readonly string[];
  /** Absolute paths of all that it has read, for whoever watches them. */
  readonly files: readonly string[];
}

/** `text` is that of the configuration, `undefined` of a module. */
export type ToWorker =
  | { readonly kind: "start"; readonly place: WorkerPlace; readonly port: number; readonly text?: string }
  | { readonly kind: "reload"; readonly id: number; readonly text?: string }
  | { readonly kind: "metrics" | "health"; readonly id: number }
  // Goes with a socket. After `until`, in milliseconds of wall time, its client has been cut off.
  | { readonly kind: "connection"; readonly id: number; readonly until: number }
  | { readonly kind: "end" }
  | { readonly kind: "force"; readonly signal: NodeJS.Signals };

/** A question of the primary's has one answer, with its `id`. */
export type FromWorker =
  // It listens: what was sent before is lost.
  | { readonly kind: "hello" }
  | ({ readonly kind: "ready" } & Served)
  | { readonly kind: "reloaded"; readonly id: number; readonly served?: Served; readonly error?: string }
  | { readonly kind: "counted"; readonly id: number; readonly snapshot?: MetricsSnapshot }
  // What keeps it from taking calls.
  | { readonly kind: "health"; readonly id: number; readonly unready: readonly string[] }
  // A connection. Who does not take it gets no other.
  | { readonly kind: "took"; readonly id: number; readonly taken: boolean }
  // It takes none from now on.
  | { readonly kind: "shut" };

const TO_WORKER: ReadonlySet<unknown> = new Set<ToWorker["kind"]>(["start", "reload", "metrics", "health", "connection", "end", "force"]);
const FROM_WORKER: ReadonlySet<unknown> = new Set<FromWorker["kind"]>(["hello", "ready", "reloaded", "counted", "health", "took", "shut"]);

// A module that was loaded may use the channel as well: what is not ours is passed over. What has a kind of ours was made by this very code.
export function isToWorker(value: unknown): value is ToWorker {
  return isObject(value) && TO_WORKER.has(value["kind"]);
}

export function isFromWorker(value: unknown): value is FromWorker {
  return isObject(value) && FROM_WORKER.has(value["kind"]);
}
