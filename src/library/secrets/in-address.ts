import { kindOfName } from "./secret-names.ts";

// Random strings name documents, objects and versions in addresses: there they are no secrets by their look alone.

const MOST_BEFORE = 256;
const MOST_NAMED = 80;
const CHUNK_END = /[\s"'`<>|,;=()[\]{}]/;
const ESCAPED_SIGN = /\\\/|%2[Ff]|%3[Aa]/g;

// One-time links and hooks hold what lets in whoever has it.
const OPENS = /(?:^|[-_.])(?:hooks?|webhooks?|tokens?|secrets?|keys?|apikeys?|passwords?|reset|verify|verification|confirm|invite|invites|magic|auth|oauth|sessions?|credentials?|login|signin)$/;

/**
 * Whether what starts at `start` is a segment in the path of a URL or a file, and none that the segments before it say opens something. What stands in a query, behind
 * a `#`, or before the `@` of a URL is in no path.
 */
export function isPathSegment(text: string, start: number, end: number): boolean {
  const chunk = chunkBefore(text, start);
  const before = chunk.includes("\\") || chunk.includes("%") ? chunk.replace(ESCAPED_SIGN, unescapedSign) : chunk;
  const scheme = before.lastIndexOf("://");
  const path = scheme === -1 ? before : before.slice(scheme + 3);
  if (/[?#]/.test(path) || !(scheme === -1 ? isOfFile(text, path, end) : path.includes("/"))) return false;
  return !path.slice(-MOST_NAMED).toLowerCase().split(/[/\\]/).slice(-4).some((segment) => OPENS.test(segment) || kindOfName(segment) !== undefined);
}

function chunkBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MOST_BEFORE && !isChunkEnd(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

const ENDS: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, code) => (CHUNK_END.test(String.fromCharCode(code)) ? 1 : 0));

function isChunkEnd(code: number): boolean {
  return ENDS[code] === 1;
}

function unescapedSign(sign: string): string {
  return sign.startsWith("%3") ? ":" : "/";
}

/**
 * A path without a scheme says so by how it begins, by two slashes, or by the ending of a file's name. A backslash counts behind the letter of a drive, or with another at the end: elsewhere
 * it escapes.
 */
function isOfFile(text: string, path: string, end: number): boolean {
  if (path.endsWith("\\")) return /^[A-Za-z]:\\/.test(path) || text.charAt(end) === "\\";
  if (!path.endsWith("/")) return false;
  return /^[~.]{0,2}\//.test(path) || path.indexOf("/") < path.length - 1 || text.charAt(end) === "/" || /^\.[a-z][a-z0-9]{1,4}(?![A-Za-z0-9])/.test(text.slice(end, end + 8));
}
