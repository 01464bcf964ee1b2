import { isObject } from "../core/base/json.ts";
import { isFailureReason, type FailureReason } from "../core/interceptor/failure.ts";
import type { InvokeParams, Principal } from "../core/wire/gen/interceptors.ts";

/** What a worker is started with, as its `workerData`. */
export interface WorkerStart {
  /** The file that exports interceptors. */
  readonly module: string;
  readonly maxDepth: number;
  readonly maxMessageBytes: number;
  /** Printed bytes on their way, above which the worker drops what is printed. */
  readonly maxPrintedBytes: number;
}

export type ToWorker =
  | { readonly type: "run"; readonly id: number; readonly params: InvokeParams; readonly caller: Principal | undefined }
  /** Nobody waits for this run any more. */
  | { readonly type: "cancel"; readonly id: number }
  /** Answered by `pong` unless the thread is stuck. */
  | { readonly type: "ping" }
  /** So many printed bytes have arrived. */
  | { readonly type: "seen"; readonly bytes: number };

export type FromWorker =
  | { readonly type: "ready"; readonly descriptors: readonly unknown[] }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  | { readonly type: "error"; readonly id: number; readonly reason: FailureReason; readonly message: string }
  | { readonly type: "pong" }
  | { readonly type: "printed"; readonly chunk: Uint8Array };

/** A message of a worker, or `undefined` for anything else: the module shares the thread, and may post what it likes. */
export function readFromWorker(value: unknown): FromWorker | undefined {
  if (!isObject(value)) return undefined;
  const { type, id, message, reason, descriptors, result, chunk } = value;
  switch (type) {
    case "ready":
      return Array.isArray(descriptors) ? { type, descriptors } : undefined;
    case "failed":
      return typeof message === "string" ? { type, message } : undefined;
    case "result":
      return typeof id === "number" ? { type, id, result } : undefined;
    case "error":
      return typeof id === "number" && typeof message === "string" && isFailureReason(reason) ? { type, id, reason, message } : undefined;
    case "pong":
      return { type };
    case "printed":
      return chunk instanceof Uint8Array ? { type, chunk } : undefined;
    default:
      return undefined;
  }
}
