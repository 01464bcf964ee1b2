import { foldHost, parseHost, type UrlHost } from "./host.ts";

/** What a URL says of whom it reaches. `host` is null where it names none: an opaque URL (`mailto:`), or a path (`file:///etc`). */
export interface UrlTarget {
  readonly scheme: string;
  readonly host: UrlHost | null;
}

/** A URL that cannot be read in one way only, and why. */
export interface Unreadable {
  readonly problem: string;
}

// Those for which parsers take a missing or doubled slash, a backslash, as `//` (WHATWG URL, special schemes).
const SPECIAL: ReadonlySet<string> = new Set(["http", "https", "ws", "wss", "ftp"]);
const SCHEME = /^[a-z][a-z0-9+.-]{0,30}(?=:)/i;
const MAX_AUTHORITY_CHARS = 2_000;
const MAX_SLASHES = 100;

/** The scheme that a text starts with, in lower case. */
export function schemeOf(text: string): string | undefined {
  return SCHEME.exec(text)?.[0].toLowerCase();
}

/**
 * Reads a value that is a URL and nothing else. Strict: whitespace, control characters, user names and passwords, backslashes, a broken
 * port or host make it unreadable, as parsers do not agree on them. Undefined for what has no scheme.
 */
export function parseUrl(text: string): UrlTarget | Unreadable | undefined {
  const scheme = schemeOf(text);
  if (scheme === undefined) return undefined;
  const rest = text.slice(scheme.length + 1);
  const slashes = /^[/\\]*/.exec(rest)?.[0] ?? "";
  if (!SPECIAL.has(scheme) && !slashes.startsWith("//")) return { scheme, host: null };
  if (SPECIAL.has(scheme) && slashes !== "//") return { problem: "has other than two slashes after its scheme" };
  const end = authorityEnd(rest, 2);
  if (end === undefined) return { problem: "is too long to be read" };
  if (/[\s\u0000-\u0020\u007f]/.test(rest.slice(0, end + 1))) return { problem: "has spaces or control characters in it" };
  if (rest[end] === "\\") return { problem: "has a backslash in it" };
  return readAuthority(scheme, rest.slice(2, end));
}

/** Reads `host`, `host:port`, or either with a path after it, as a value that leaves out the scheme. */
export function parseHostPort(text: string): UrlTarget | Unreadable {
  const parsed = parseUrl(`http://${text.replace(/^\/\//, "")}`);
  return parsed ?? { problem: "cannot be read" };
}

function readAuthority(scheme: string, authority: string): UrlTarget | Unreadable {
  if (authority.includes("@")) return { problem: "has a user name or password in it" };
  if (authority === "") return SPECIAL.has(scheme) ? { problem: "names no host" } : { scheme, host: null };
  const folded = foldHost(authority.replace(/:\d{0,5}$/, ""));
  const host = folded === undefined ? undefined : parseHost(folded);
  return host === undefined ? { problem: "names a host that cannot be read" } : { scheme, host };
}

// The first character after `from` that ends an authority; undefined where none comes within what is read.
function authorityEnd(text: string, from: number): number | undefined {
  const stop = /[/?#\\]/g;
  stop.lastIndex = from;
  const head = text.slice(0, from + MAX_AUTHORITY_CHARS + 1);
  const found = stop.exec(head)?.index ?? head.length;
  return found > from + MAX_AUTHORITY_CHARS ? undefined : found;
}

/** Whether a text that starts with a URL has a user name in it, spaces and all: parsers take `http://a b@host` for a URL of `host`. */
export function hasUser(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,30}:[/\\]{0,100}[^/?#\\]*@/i.test(text.slice(0, MAX_AUTHORITY_CHARS));
}

/** Schemes that are taken for a URL in the middle of a text: the web's, and those that requests are smuggled with. */
const SCHEMES_IN_TEXT: ReadonlySet<string> = new Set([...SPECIAL, "gopher", "dict", "ldap", "ldaps", "tftp"]);
const LONGEST_IN_TEXT = 6;
// `http://%s/`, `http://${host}/`, `http://<host>/`: what templates have in place of a host.
const PLACEHOLDER = /^(?:%(?![0-9a-f]{2})|[$({<"'`\u2026])/i;

/**
 * The targets of all URLs in a text, of those schemes that a text is searched for. What follows a URL is cut off where prose or markup would: quotes,
 * brackets, commas. A mention without a host (`http://…`, `http://${host}`) is none. Linear in the text.
 */
export function* urlsIn(text: string): Generator<UrlTarget | Unreadable> {
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", colon + 1)) {
    const after = text.charCodeAt(colon + 1);
    if (after !== 0x2f && after !== 0x5c) continue;
    const scheme = /[a-z]+$/i.exec(text.slice(Math.max(0, colon - LONGEST_IN_TEXT - 1), colon))?.[0].toLowerCase();
    // A longer word that ends in a scheme's name is another scheme, or none.
    if (scheme === undefined || !SCHEMES_IN_TEXT.has(scheme)) continue;
    let start = colon + 1;
    while (start - colon <= MAX_SLASHES && (text[start] === "/" || text[start] === "\\")) start++;
    yield* mentioned(scheme, text.slice(start, start + MAX_AUTHORITY_CHARS));
  }
}

function* mentioned(scheme: string, rest: string): Generator<UrlTarget | Unreadable> {
  const run = /^[^/?#\\\s\u0000-\u0020\u007f]*/.exec(rest)?.[0] ?? "";
  if (/^\\[^/?#\\\s]*@/.test(rest.slice(run.length))) return yield { problem: "has a backslash in it" };
  const at = run.lastIndexOf("@");
  const before = at === -1 ? run : run.slice(0, at);
  const delimited = /["'`<>]/.test(before);
  // `a@b` is a user and a host. After a quote the run may as well be two texts that markup sets side by side, so both hosts count.
  if (at !== -1 && !delimited) return yield { problem: "has a user name or password in it" };
  for (const part of at === -1 ? [run] : [before, run.slice(at + 1)]) {
    const folded = foldHost(part);
    if (folded === undefined) {
      if (!PLACEHOLDER.test(part)) yield { problem: "names a host that cannot be read" };
      continue;
    }
    const cut = /^(?:\[[0-9a-f:.]*\]|[-.0-9_a-z\u00a1-\u{10ffff}]*)/u.exec(folded)?.[0] ?? "";
    if (/^\.*$/.test(cut) && !/^\[[0-9a-f]*:/.test(folded)) continue;
    const host = parseHost(cut.replace(/\.{1,3}$/, ""));
    yield host === undefined ? { problem: "names a host that cannot be read" } : { scheme, host };
  }
}

/** A URL without what parsers drop at both ends: spaces and all control characters. */
export function trimControls(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end).trim();
}
