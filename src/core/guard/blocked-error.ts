import { RpcError } from "../base/errors.ts";
import type { ChainResult } from "../chain/result.ts";

// Registered, so that two copies of the package know each other's errors.
const BLOCKED: unique symbol = Symbol.for("mcp-interceptors.blocked");

/**
 * A chain has refused a call of a guarded function, or its answer. What it says (`code`, `message`, `data`) is what would cross a boundary, so
 * that it may be passed on to a peer; `result` holds all else. It is no failure of the function: tell the two apart by {@link isBlocked}.
 */
export class BlockedError extends RpcError {
  override readonly name = "BlockedError";
  readonly #result: ChainResult;

  constructor(error: RpcError, result: ChainResult) {
    super(error.code, error.message, error.data);
    this.#result = result;
  }

  /** Why, by which interceptor (`abortedAt`), in which phase. It holds payloads, so it is no own member: whoever logs the error does not log them. */
  get result(): ChainResult {
    return this.#result;
  }

  get [BLOCKED](): true {
    return true;
  }
}

/** Whether an error means that a chain refused the call or its answer, made by this copy of the package or by another. Never throws. */
export function isBlocked(thrown: unknown): thrown is BlockedError {
  try {
    return typeof thrown === "object" && thrown !== null && BLOCKED in thrown;
  } catch {
    return false;
  }
}
