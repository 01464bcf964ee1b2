import { base64Encode, utf8Encode } from "../../core/base/bytes.ts";
import { isAlphanumeric } from "../detect/characters.ts";
import type { Report } from "./kinds.ts";

/** Finds known values in a text, whatever surrounds them. */
export type FindKnown = (text: string, report: Report) => void;

const SHORTEST_INSIDE = 6;
const SHORTEST_BASE64 = 8;

/**
 * A search for values as they are, and encoded: in Base64 of either alphabet wherever they stand in what was encoded, in hex, with the escapes of URLs
 * and of JSON (`\/`, twice over). A value shorter than six characters is found only where no letter or digit touches it, so that `1234` is not in `512340`.
 */
export function createFindKnown(values: readonly string[]): FindKnown {
  const forms = [...new Set(values.flatMap(formsOf))].filter((form) => form !== "");
  return (text, report) => {
    for (const form of forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
        const end = at + form.length;
        if (form.length >= SHORTEST_INSIDE || standsAlone(text, at, end)) report("known", at, end);
      }
    }
  };
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !isAlphanumeric(text.charCodeAt(start - 1)) && !isAlphanumeric(text.charCodeAt(end));
}

function formsOf(value: string): string[] {
  const bytes = utf8Encode(value);
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [value, json, json.replaceAll("/", "\\/"), JSON.stringify(json).slice(1, -1), encodeURIComponent(value)];
  forms.push(encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()));
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  forms.push(hex, hex.toUpperCase());
  // At each of three places in a group, without the letters that what stands before and after has a part in.
  for (let before = 0; before < 3; before++) {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    const whole = shifted.length - (shifted.length % 3);
    const inside = base64Encode(shifted.subarray(0, whole)).slice(before === 0 ? 0 : 4);
    const form = before === 0 ? base64Encode(bytes).replace(/=+$/, "") : inside;
    for (const base64 of [form, inside]) {
      if (base64.length >= SHORTEST_BASE64 || (before === 0 && base64 === form)) forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
    }
  }
  return forms;
}
