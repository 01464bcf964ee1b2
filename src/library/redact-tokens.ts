import type { SensitiveType } from "./detect/detector.ts";
import type { MaskOf } from "./redact-text.ts";

/** What a session has been shown instead of values, and gives back for them. */
export interface TokenMap {
  /** The token that stands for a value, always the same: `[EMAIL_1]`. Undefined once there are too many, or for a long value. */
  tokenFor(type: SensitiveType, value: string): string | undefined;
  /** The text without what only looks like a token of ours: it is given one, too, so that it comes back as it was. */
  withoutLookalikes(text: string): string;
  /** The text with its values in place of the tokens that were given; others stay as they are. */
  restore(text: string): string;
  /** Notes that a token has stood for a number; what is no token of ours does not. */
  noteNumber(token: string): void;
  /** The number that a text stands for where all of it is the token of one. */
  numberOf(text: string): number | undefined;
}

// Of one session: 1,000 values of 256 characters are less than a megabyte.
const MAX_TOKENS = 1_000;
const MAX_VALUE_CHARS = 256;

const TOKEN = /\[(?:EMAIL|PHONE|CARD|IBAN|SSN|IP|TEXT)_[0-9]{1,6}\]/g;

export function createTokenMap(): TokenMap {
  // By type and value, and the other way round; nothing is forgotten before the session is, so a token never changes its meaning.
  const tokens = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = new Map<string, number>();
  const numbers = new Set<string>();

  const tokenFor = (name: string, value: string): string | undefined => {
    const key = `${name} ${value}`;
    const known = tokens.get(key);
    if (known !== undefined) return known;
    if (tokens.size >= MAX_TOKENS || value.length > MAX_VALUE_CHARS) return undefined;
    const count = (counts.get(name) ?? 0) + 1;
    const token = `[${name}_${count}]`;
    counts.set(name, count);
    tokens.set(key, token);
    values.set(token, value);
    return token;
  };
  const replace = (text: string, by: (token: string) => string) => (text.includes("[") ? text.replace(TOKEN, by) : text);
  return {
    tokenFor: (type, value) => tokenFor(type.toUpperCase(), value),
    // Once there are too many, one that might be mistaken for a value's loses its brackets.
    withoutLookalikes: (text) => replace(text, (token) => tokenFor("TEXT", token) ?? token.slice(1, -1)),
    restore: (text) => replace(text, (token) => values.get(token) ?? token),
    noteNumber(token) {
      if (values.has(token)) numbers.add(token);
    },
    numberOf: (text) => (numbers.has(text) ? Number(values.get(text)) : undefined),
  };
}

/** A token for each value, or its mask where the map takes no more. */
export function tokenOr(tokens: TokenMap, masks: MaskOf): MaskOf {
  return (type, value) => tokens.tokenFor(type, value) ?? masks(type, value);
}
