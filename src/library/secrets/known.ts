import { base64Encode, utf8Encode } from "../../core/base/bytes.ts";
import { isAlphanumeric } from "../detect/characters.ts";
import type { Report } from "./kinds.ts";

/** Finds known values in a text, whatever surrounds them. */
export type FindKnown = (text: string, report: Report) => void;

// Shorter values, and what encodes them in fewer letters, are parts of words and numbers too often.
const SHORTEST_INSIDE = 8;

interface Form {
  readonly text: string;
  /** Whether letters and digits that touch it make it something else. */
  readonly isWord: boolean;
}

/**
 * A search for values as they are, and encoded: in Base64 of either alphabet wherever they stand in what was encoded, in hex, with the escapes of URLs
 * and of JSON (`\/`, twice over), in letters of full width, and with accents apart from their letters. A value shorter than eight characters is found only where no letter or digit touches it, so that `1234` is not in `512340`.
 */
export function createFindKnown(values: readonly string[]): FindKnown {
  // The same form of two values counts inside of words if one of them says so.
  const forms = new Map<string, boolean>();
  for (const value of values) for (const { text, isWord } of writingsOf(value).flatMap(formsOf)) if (text !== "") forms.set(text, isWord && forms.get(text) !== false);
  return (text, report) => {
    for (const [form, isWord] of forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
        const end = at + form.length;
        if (!isWord || standsAlone(text, at, end)) report("known", at, end);
      }
    }
  };
}

/** Where the form itself begins or ends with a sign, nothing can be glued to it there. */
function standsAlone(text: string, start: number, end: number): boolean {
  return !isGlued(text, start - 1, start) && !isGlued(text, end - 1, end);
}

function isGlued(text: string, left: number, right: number): boolean {
  return isAlphanumeric(text.charCodeAt(left)) && isAlphanumeric(text.charCodeAt(right));
}

/** With accents in one with their letters, and apart. */
function writingsOf(value: string): readonly string[] {
  return [...new Set([value, value.normalize("NFC"), value.normalize("NFD")])];
}

function formsOf(value: string): readonly Form[] {
  const isShort = [...value].length < SHORTEST_INSIDE;
  return [
    ...escapedForms(value).map((text) => ({ text, isWord: isShort })),
    ...codedForms(value).map((text) => ({ text, isWord: text.length < SHORTEST_INSIDE })),
  ];
}

const TO_WIDE = 0xfee0;

function escapedForms(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value);
  // What else reads a text makes letters and digits plain, but no signs, and takes a byte of an escape for a letter.
  const wide = value.replace(/[!-,./:-@[-^`{-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + TO_WIDE));
  const letters = Array.from(utf8Encode(value), (byte) => String.fromCharCode(byte)).join("");
  return [value, wide, letters, json, json.replaceAll("/", "\\/"), JSON.stringify(json).slice(1, -1), url, url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())];
}

function codedForms(value: string): readonly string[] {
  const bytes = utf8Encode(value);
  const forms: string[] = [];
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  for (const hex of [pairs.join(""), pairs.join(":")]) forms.push(hex, hex.toUpperCase());
  // At each of three places in a group, without the letters that what stands before and after has a part in.
  for (let before = 0; before < 3; before++) {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    const whole = shifted.length - (shifted.length % 3);
    const inside = base64Encode(shifted.subarray(0, whole)).slice(before === 0 ? 0 : 4);
    const form = before === 0 ? base64Encode(bytes).replace(/=+$/, "") : inside;
    for (const base64 of [form, inside]) {
      if (base64.length >= SHORTEST_INSIDE || (before === 0 && base64 === form)) forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
    }
  }
  return forms;
}
