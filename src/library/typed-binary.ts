import type { JsonObject } from "../core/base/json.ts";

/** Base64 by its typed field, never by its look: the `data` of images and audio, the `blob` of a resource. */
export function isTypedBinary(member: string, object: JsonObject): boolean {
  if (member === "data") return object["type"] === "image" || object["type"] === "audio";
  return member === "blob" && typeof object["uri"] === "string";
}
