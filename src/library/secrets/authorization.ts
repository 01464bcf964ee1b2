import { utf8Decode } from "../../core/base/bytes.ts";
import { base64Bytes } from "../encoded-bytes.ts";
import type { Report } from "./kinds.ts";
import { isPlaceholder } from "./plausible.ts";

// Without their first letter these have a least length that a search can skip by.
const SCHEME = /(?:earer|asic|EARER|ASIC)[ \t]/g;
const MOST_CREDENTIALS = 131_072;
const CREDENTIALS = /^ {0,3}([A-Za-z0-9._~+/-]{6,}={0,2})/;

/** What follows `Bearer` and `Basic`. */
export function findAuthorizations(text: string, report: Report): void {
  SCHEME.lastIndex = 0;
  for (let found = SCHEME.exec(text); found !== null; found = SCHEME.exec(text)) {
    if (!/[Bb]/.test(text.charAt(found.index - 1))) continue;
    const start = SCHEME.lastIndex;
    const match = CREDENTIALS.exec(text.slice(start, start + MOST_CREDENTIALS));
    const credentials = match?.[1]?.replace(/\.+$/, "");
    if (match === null || credentials === undefined) continue;
    const from = start + match[0].length - (match[1]?.length ?? 0);
    const isOne = /^asic/i.test(found[0]) ? isUserAndPassword(credentials) : isToken(credentials);
    if (isOne) report("authorization", from, from + credentials.length);
  }
}

/** `Basic authentication` is prose: what it stands for in Base64 is no user and password. */
export function isUserAndPassword(credentials: string): boolean {
  const bytes = base64Bytes(credentials.replace(/={1,2}$/, ""));
  return bytes !== undefined && /^[^\x00-\x1f\x7f\ufffd:]*:[^\x00-\x1f\x7f\ufffd]+$/.test(utf8Decode(bytes));
}

function isToken(credentials: string): boolean {
  return /[0-9]/.test(credentials) && /[A-Za-z]/.test(credentials) && !isPlaceholder(credentials);
}
