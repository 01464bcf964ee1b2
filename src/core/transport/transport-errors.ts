import { LocalError } from "../base/errors.ts";

export function closedError(what = "the connection is closed", cause?: unknown): LocalError {
  return new LocalError("closed", what, cause === undefined ? {} : { cause });
}

export function secondReceive(): LocalError {
  return new LocalError("conflict", "receive was called while another receive is pending; a transport has one puller at a time");
}

/** A getter or a proxy may throw whatever it likes while its value is read; `send` rejects with a `LocalError` all the same. */
export function notJson(thrown: unknown): LocalError {
  if (thrown instanceof LocalError) return thrown;
  return new LocalError("not_json", "the message cannot be read as JSON", { cause: thrown });
}
