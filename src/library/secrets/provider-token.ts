import { ALPHANUMERIC_CLASS, CLASS_OF } from "../detect/characters.ts";
import { endsInChecksum } from "./checksum.ts";
import type { Report } from "./kinds.ts";
import { distinctChars } from "./plausible.ts";
import { OTHER_FORMATS, TOKEN_FORMATS } from "./token-formats.ts";

const AFTER = "(?![A-Za-z0-9])";
const OTHERS = new RegExp(`(?<![A-Za-z0-9])(?:${OTHER_FORMATS.join("|")})${AFTER}`, "g");
// What each of the others has, so that most pieces are not searched for them.
const OF_OTHERS = /:AA|\.[A-Za-z0-9_-]{6}\.|\/B|-us[0-9]|\.atlasv1\./;
const WITH_CHECKSUM = /^(?:gh[pousr]|npm)_/;

/** By the first two characters, as one number: what tells whether a token starts here. An expression for all would be tried at each word, which costs. */
const BY_PAIR: readonly (RegExp | undefined)[] = byPair();

function byPair(): (RegExp | undefined)[] {
  const formats = new Map<number, string[]>();
  for (const [beginnings, rest] of TOKEN_FORMATS) {
    for (const beginning of beginnings.split("|")) {
      const key = pairAt(beginning, 0);
      formats.set(key, [...(formats.get(key) ?? []), beginning.replaceAll(".", "\\.") + rest]);
    }
  }
  return Array.from({ length: 1 << 14 }, (_, key) => {
    const found = formats.get(key);
    return found === undefined ? undefined : new RegExp(`(?:${found.join("|")})${AFTER}`, "y");
  });
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);
}

/** Finds tokens of known providers that start within a range of token characters and dots. */
export function findProviderTokens(text: string, start: number, end: number, report: Report): void {
  let isInWord = start > 0 && isAlphanumericCode(text.charCodeAt(start - 1));
  for (let at = start; at < end; at++) {
    const wasInWord = isInWord;
    isInWord = isAlphanumericCode(text.charCodeAt(at));
    if (wasInWord || !isInWord) continue;
    const format = BY_PAIR[pairAt(text, at)];
    if (format === undefined) continue;
    format.lastIndex = at;
    const token = format.exec(text)?.[0];
    if (token === undefined || !isToken(token)) continue;
    report("provider-token", at, at + token.length);
    at += token.length - 1;
  }
  findOthers(text.slice(start, end), start, report);
}

function isAlphanumericCode(code: number): boolean {
  return (CLASS_OF[code]! & ALPHANUMERIC_CLASS) !== 0;
}

function findOthers(piece: string, offset: number, report: Report): void {
  if (!OF_OTHERS.test(piece)) return;
  // An iterator of matches would copy the expression each time.
  OTHERS.lastIndex = 0;
  for (let match = OTHERS.exec(piece); match !== null; match = OTHERS.exec(piece)) {
    if (isFilledIn(match[0])) report("provider-token", offset + match.index, offset + match.index + match[0].length);
  }
}

function isToken(token: string): boolean {
  const prefix = WITH_CHECKSUM.exec(token)?.[0];
  return prefix !== undefined ? endsInChecksum(token.slice(prefix.length)) : isFilledIn(token);
}

/** Words with hyphens (`sk-loading-indicator-small`) and templates (`AIzaXXXX…`) have the form too, but not two digits, or few characters. */
function isFilledIn(token: string): boolean {
  let digits = 0;
  for (const character of token) if (character >= "0" && character <= "9") digits++;
  return (digits >= 2 || /^[A-Z0-9]+$/.test(token) || /[A-Z].*[a-z]|[a-z].*[A-Z]/.test(token.slice(4))) && distinctChars(token.slice(-16)) >= 5 && distinctChars(token.slice(-10)) >= 4;
}

const AZURE_TOKEN = /(?<![A-Za-z0-9_~-])[A-Za-z0-9_~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_~-])/y;
const OPENSHIFT_TOKEN = /(?<![A-Za-z0-9])sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/y;

/** Client secrets of Azure and tokens of OpenShift, which have a tilde within. */
export function findTokensWithTilde(text: string, report: Report): void {
  for (let at = text.indexOf("~"); at !== -1; at = text.indexOf("~", at + 1)) {
    const last = text.charAt(at - 1);
    if (last !== "Q" && last !== "6") continue;
    const [format, before] = last === "Q" ? [AZURE_TOKEN, 5] : [OPENSHIFT_TOKEN, 6];
    format.lastIndex = Math.max(0, at - before);
    const token = format.exec(text);
    if (token !== null) report("provider-token", token.index, token.index + token[0].length);
  }
}
