import { isObject, ownMember } from "../core/base/json.ts";
import type { ErrorPayload } from "../core/wire/events.ts";

/** Whether the payload of a response is that of an error. No result is: those of tools and lists have members that must be there. */
export function isErrorPayload(payload: unknown): payload is ErrorPayload {
  return isObject(payload) && Object.keys(payload).length === 1 && isObject(ownMember(payload, "error"));
}
