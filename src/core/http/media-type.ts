import { trimOws } from "../wire/header-value.ts";

/** A media type as RFC 9110 (section 8.3) has it, names in lower case. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

// Tried before case is folded: there are letters beyond ASCII that fold into it.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, section 5.6.4: a quote within is escaped, and there are no control characters.
const QUOTED = /^"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"$/;

/** Reads the value of a Content-Type header; `undefined` for what is none. */
export function parseMediaType(text: string): MediaType | undefined {
  const [first = "", ...rest] = splitOutsideQuotes(text, ";");
  const type = trimOws(first);
  const slash = type.indexOf("/");
  if (!TOKEN.test(type.slice(0, Math.max(slash, 0))) || !TOKEN.test(type.slice(slash + 1))) return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const trimmed = trimOws(part);
    if (trimmed === "") continue;
    const equals = trimmed.indexOf("=");
    const written = trimmed.slice(0, Math.max(equals, 0));
    const name = written.toLowerCase();
    const value = unquote(trimmed.slice(equals + 1));
    if (!TOKEN.test(written) || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return { type: type.toLowerCase(), parameters };
}

/** Whether a Content-Type says that a body is JSON text in UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  // What nearly everybody sends; the rest is parsed.
  if (contentType === "application/json") return true;
  const parsed = contentType === undefined ? undefined : parseMediaType(contentType);
  if (parsed === undefined || parsed.type !== "application/json") return false;
  const charset = parsed.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  return charset === "utf-8" || charset === "utf8";
}

/** Whether an Accept header allows a type; without a header everything is allowed (RFC 9110, section 12.5.1). */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === "application/json, text/event-stream") return true;
  const main = type.slice(0, type.indexOf("/"));
  let specificity = 0;
  let allowed = false;
  for (const range of splitOutsideQuotes(accept, ",")) {
    const [first = "", ...rest] = splitOutsideQuotes(range, ";");
    const named = trimOws(first).toLowerCase();
    const fits = named === type ? 3 : named === `${main}/*` ? 2 : named === "*/*" ? 1 : 0;
    // The most specific range decides; of two alike, the one that allows.
    if (fits === 0 || fits < specificity) continue;
    const yes = !rest.some(isZeroWeight);
    allowed = fits === specificity ? allowed || yes : yes;
    specificity = fits;
  }
  return allowed;
}

function isZeroWeight(parameter: string): boolean {
  return /^[ \t]*q[ \t]*=[ \t]*0(?:\.0{0,3})?[ \t]*$/i.test(parameter);
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(value: string): string | undefined {
  if (!value.startsWith('"')) return TOKEN.test(value) ? value : undefined;
  if (!QUOTED.test(value)) return undefined;
  return value.slice(1, -1).replace(/\\(.)/g, "$1");
}
