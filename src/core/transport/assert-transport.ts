import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";

/** Throws `invalid_argument` for what is no transport, which would be noticed late or never. `subject` says what it was to be. */
export function assertTransport(given: unknown, subject: string): void {
  if (isObject(given) && typeof given["send"] === "function" && typeof given["close"] === "function") {
    if (typeof given["receive"] === "function") return;
    if (typeof given["start"] === "function") throw refusal(subject, "what was given is one of an official SDK's: use fromSdkTransport or guardSdkTransport");
  }
  const what = isThenable(given) ? "a promise was given: await it" : `got ${given === undefined ? "nothing" : given === null ? "null" : typeof given}`;
  throw refusal(subject, what);
}

function refusal(subject: string, what: string): LocalError {
  return new LocalError("invalid_argument", `${subject} must be a transport, with send, receive and close: ${what}`);
}
