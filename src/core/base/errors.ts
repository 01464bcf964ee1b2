import type { JsonObject } from "./json.ts";

/**
 * Why something failed on this side of the wire. Each code is a heading in `src/ERRORS.md`.
 * A local error never crosses the wire: whoever answers a peer turns it into an {@link RpcError} first.
 */
export type LocalErrorCode =
  | "aborted" //          the caller gave up
  | "ambiguous" //        a bare name fits several entries
  | "closed" //           the connection or the object is closed
  | "conflict" //         a name or an id is taken
  | "host_missing" //     the runtime lacks something that was asked for
  | "invalid_argument" // the caller's input is wrong
  | "invalid_message" //  a message breaks JSON-RPC or MCP
  | "limit_exceeded" //   a bound of `Limits` was hit
  | "malformed_result" // an interceptor returned something that is no result
  | "not_found" //        a name that nothing has
  | "not_json" //         a value that JSON cannot carry
  | "refused" //          a policy or a chain change was refused
  | "spawn_failed" //     a child process did not start
  | "timeout" //          a deadline passed
  | "unsupported"; //     the peer or this build cannot do it

/** An error for the code that embeds us. `details` holds what a log wants to know; it is JSON. */
export class LocalError extends Error {
  override readonly name = "LocalError";
  readonly code: LocalErrorCode;
  readonly details: JsonObject | undefined;

  constructor(code: LocalErrorCode, message: string, options: { details?: JsonObject; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }
}

/**
 * A JSON-RPC error object as an exception: thrown by a handler it becomes the response, and a received error
 * response rejects the request with it. `data`, if there is any, is JSON.
 */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The `error` member of the response. */
  toJson(): { code: number; message: string; data?: unknown } {
    return this.data === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, data: this.data };
  }
}

/** JSON-RPC 2.0 section 5.1, and the codes that MCP adds (revision 2026-07-28, basic/index, Error Codes). */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  interceptorTimeout: -32000,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/** `instanceof` for what somebody else has thrown: false of a proxy that throws when it is asked. */
export function isInstance<T extends Error>(thrown: unknown, type: new (...given: never[]) => T): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/** Text of whatever was thrown, for logs on this side. Never throws, whatever the value does when it is read. */
export function describeError(thrown: unknown): string {
  try {
    // String: nothing keeps an error's members from being overwritten with something else.
    if (thrown instanceof Error) return String(thrown.message === "" ? thrown.name : thrown.message);
    if (typeof thrown === "string") return thrown;
    if (typeof thrown === "object" && thrown !== null && "message" in thrown && typeof thrown.message === "string") {
      return thrown.message;
    }
    return String(thrown);
  } catch {
    return "an error that cannot be read";
  }
}
