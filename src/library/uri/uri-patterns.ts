import { trimControls } from "./url.ts";

/** Patterns of URIs: a URI, or `prefix*`. What two spellings of one resource would tell apart must not decide. */
export interface UriPatterns {
  /** Whether a pattern matches every reading of a URI: what is allowed must be so however it is read. */
  matchesAll(uri: string): boolean;
  /** Whether a pattern matches one reading of a URI, whatever the case: what is denied must be so however it is written. */
  matchesAny(uri: string): boolean;
  /** Whether a URI that a template (RFC 6570) expands to may match. */
  mayMatchTemplate(template: string): boolean;
}

const MAX_URI_CHARS = 32_768;
const MAX_DECODINGS = 4;

export function compileUriPatterns(patterns: readonly string[]): UriPatterns {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    const isPrefix = pattern.endsWith("*");
    for (const reading of readingsOf(isPrefix ? pattern.slice(0, -1) : pattern) ?? []) {
      if (isPrefix) prefixes.push(reading);
      else exact.add(reading);
    }
  }
  const foldedExact = new Set([...exact].map((uri) => uri.toLowerCase()));
  const foldedPrefixes = prefixes.map((prefix) => prefix.toLowerCase());
  const matchesAll = (uri: string) => readingsOf(uri)?.every((reading) => exact.has(reading) || prefixes.some((prefix) => reading.startsWith(prefix))) ?? false;
  return {
    matchesAll,
    matchesAny(uri) {
      const readings = readingsOf(uri);
      // What cannot be read in a bounded number of ways is whatever is looked for.
      if (readings === undefined) return true;
      return readings.some((reading) => {
        const folded = reading.toLowerCase();
        return foldedExact.has(folded) || foldedPrefixes.some((prefix) => folded.startsWith(prefix));
      });
    },
    mayMatchTemplate(template) {
      const brace = template.indexOf("{");
      if (brace === -1) return matchesAll(template);
      const head = template.slice(0, brace);
      return prefixes.some((prefix) => prefix.startsWith(head) || head.startsWith(prefix)) || [...exact].some((uri) => uri.startsWith(head));
    },
  };
}

/**
 * The readings of a URI: as it stands; with scheme and host in lower case, dot segments, empty segments and backslashes resolved, and without what parsers drop; and the same
 * after each percent-decoding. Undefined for one that is too long, or encoded too many times.
 */
function readingsOf(uri: string): readonly string[] | undefined {
  if (uri.length > MAX_URI_CHARS) return undefined;
  const readings = new Set<string>();
  let current = uri;
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    readings.add(current);
    readings.add(resolved(current));
    const decoded = decode(current);
    if (decoded === current) return [...readings];
    current = decoded;
  }
  return undefined;
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      // No UTF-8: byte by byte, as a lax decoder would.
      return run.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
    }
  });
}

function resolved(uri: string): string {
  // Parsers drop tabs and line breaks anywhere, and all that is no character at both ends (WHATWG URL).
  const text = trimControls(uri.replace(/[\t\r\n]/g, "")).normalize("NFC").replaceAll("\\", "/");
  const found = /^([a-z][a-z0-9+.-]{0,60}:)(\/\/[^/?#]*)?/i.exec(text);
  const [start = "", scheme = "", authority = ""] = found ?? [];
  const rest = text.slice(start.length);
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const host = authority.toLowerCase().replace(/^\/\/localhost$/, scheme.toLowerCase() === "file:" ? "//" : "//localhost");
  return scheme.toLowerCase() + host + withoutDots(path) + rest.slice(path.length);
}

function withoutDots(path: string): string {
  if (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path;
  const kept: string[] = [];
  const segments = path.split("/");
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const last = segments.at(-1);
  const folder = kept.length > 0 && (last === "" || last === "." || last === "..");
  return (path.startsWith("/") ? "/" : "") + kept.join("/") + (folder ? "/" : "");
}
