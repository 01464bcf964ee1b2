import { LocalError } from "../../base/errors.ts";
import { setMember } from "../../base/json.ts";

/**
 * A URI template (RFC 6570) that is read backwards: which URIs does it stand for, with which values? Known are `{a}`, `{a,b}`, `{+a}`,
 * `{#a}`, `{.a}`, `{/a}`, `{/a*}`, `{?a,b}` and `{&a,b}`; a query has its members in the order of the template, none left out.
 */
export interface UriTemplate {
  /** In their order. */
  readonly variables: readonly string[];
  /**
   * The values, percent-decoded: so `{a}`, which takes no slash, may still give one from `%2F`. `undefined` where the URI does not fit.
   * Of several readings, the one in which earlier variables take more.
   */
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

interface Variable {
  readonly name: string;
  /** Characters that end it. */
  readonly stop: string;
}
type Part = string | Variable;

// Longer ones are no address of anything; the bound keeps a match below some milliseconds, whatever is sent.
const MAX_URI_LENGTH = 65_536;

const OPERATORS: { readonly [operator: string]: { first: string; between: string; named: boolean; stop: string } } = {
  "": { first: "", between: ",", named: false, stop: "/?#," },
  "+": { first: "", between: ",", named: false, stop: "" },
  "#": { first: "#", between: ",", named: false, stop: "" },
  ".": { first: ".", between: ".", named: false, stop: "/?#" },
  "/": { first: "/", between: "/", named: false, stop: "/?#" },
  "?": { first: "?", between: "&", named: true, stop: "&#" },
  "&": { first: "&", between: "&", named: true, stop: "&#" },
};

/** Throws `invalid_argument` for a template that is malformed, or of a kind that is not known here. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseParts(template);
  const variables = parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
  if (new Set(variables).size !== variables.length) throw malformed(template, "a variable occurs twice");
  const head = typeof parts[0] === "string" ? parts[0] : "";
  return {
    variables,
    match(uri) {
      if (!uri.startsWith(head) || uri.length > MAX_URI_LENGTH) return undefined;
      const values = matchParts(parts, uri);
      return values === undefined ? undefined : decodeValues(variables, values);
    },
  };
}

function parseParts(template: string): Part[] {
  const parts: Part[] = [];
  // A literal joins the one before, so that two of them never stand side by side.
  const literal = (text: string) => {
    const last = parts.length - 1;
    const before = parts[last];
    if (typeof before === "string") parts[last] = before + text;
    else if (text !== "") parts.push(text);
  };
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{", at);
    literal(template.slice(at, open < 0 ? template.length : open));
    if (open < 0) break;
    const close = template.indexOf("}", open);
    if (close < 0) throw malformed(template, "a brace is not closed");
    const [, sign = "", list = ""] = /^([+#./?&]?)(.*)$/s.exec(template.slice(open + 1, close)) ?? [];
    const operator = OPERATORS[sign];
    if (operator === undefined) throw malformed(template, `the operator ${sign} is not known`);
    list.split(",").forEach((item, index) => {
      const [, name, explode] = /^([A-Za-z0-9_.%]+)(\*?)$/.exec(item) ?? [];
      if (name === undefined) throw malformed(template, `{${sign}${list}} is not known here`);
      literal((index === 0 ? operator.first : operator.between) + (operator.named ? `${name}=` : ""));
      parts.push({ name, stop: sign === "/" && explode === "*" ? "?#" : operator.stop });
    });
    at = close + 1;
  }
  if (template.replaceAll(/\{[^}]*\}/g, "").includes("}")) throw malformed(template, "a brace is not opened");
  return parts;
}

/**
 * Works from the end: `fits[p]` says whether the parts from here on take the text from `p` to its end. So there is no trying and coming
 * back: time and space are the length of the text times the number of parts.
 */
function matchParts(parts: readonly Part[], text: string): string[] | undefined {
  const tables: Uint8Array[] = new Array<Uint8Array>(parts.length + 1);
  let fits: Uint8Array = new Uint8Array(text.length + 1);
  fits[text.length] = 1;
  tables[parts.length] = fits;
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index]!;
    const own = new Uint8Array(text.length + 1);
    if (typeof part === "string") {
      for (let at = text.length - part.length; at >= 0; at--) if (fits[at + part.length] === 1 && text.startsWith(part, at)) own[at] = 1;
    } else {
      // Whether the variable, having come to `at + 1`, may end there or later.
      for (let at = text.length - 1; at >= 0; at--) {
        if (!part.stop.includes(text[at]!) && (fits[at + 1] === 1 || own[at + 1] === 1)) own[at] = 1;
      }
    }
    tables[index] = fits = own;
  }
  if (fits[0] !== 1) return undefined;

  const values: string[] = [];
  let at = 0;
  parts.forEach((part, index) => {
    if (typeof part === "string") {
      at += part.length;
      return;
    }
    const rest = tables[index + 1]!;
    let end = at;
    for (let to = at; to < text.length && !part.stop.includes(text[to]!); to++) if (rest[to + 1] === 1) end = to + 1;
    values.push(text.slice(at, end));
    at = end;
  });
  return values;
}

function decodeValues(variables: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const decoded: Record<string, string> = {};
  try {
    variables.forEach((name, index) => setMember(decoded, name, decodeURIComponent(values[index] ?? "")));
  } catch {
    // A percent sign that escapes nothing: no URI.
    return undefined;
  }
  return decoded;
}

function malformed(template: string, why: string): LocalError {
  return new LocalError("invalid_argument", `the URI template ${JSON.stringify(template)} cannot be used: ${why}`);
}
