import { mergeOverlaps } from "./detect/merge.ts";
import { replaceMatches } from "./detect/replace.ts";
import { editPayload, type PayloadEdit, type Stands } from "./payload-edit.ts";
import { isCopyIn, withCopiesOf } from "./redact-payload.ts";
import type { Exchange } from "./redact-structure.ts";
import type { SecretKind, SecretMatch } from "./secrets/kinds.ts";
import { isUserAndPassword } from "./secrets/authorization.ts";
import { namesAccount, namesIdentifier } from "./secrets/identifier-names.ts";
import { isPassphrase, isSentence } from "./secrets/passphrase.ts";
import { isAccountKey } from "./secrets/public-ids.ts";
import { isPlaceholder } from "./secrets/plausible.ts";
import type { FindSecrets } from "./secrets/scan.ts";
import { isCount, kindOfEntries, kindOfName } from "./secrets/secret-names.ts";
import { isRule, isSecretValue, SHORTEST_VALUE } from "./secrets/secret-value.ts";

export interface SecretEdit {
  readonly findSecrets: FindSecrets;
  /** Whether a member that is named like a secret holds one. */
  readonly findsNames: boolean;
  readonly known: ReadonlySet<string>;
  readonly allow: ReadonlySet<string>;
  readonly masks: ReadonlyMap<SecretKind, string>;
  readonly maxTextChars: number;
}

/** Counts of what was masked, by kind. */
export type SecretTally = Map<SecretKind, number>;

/** The payload with a mask in place of each secret, as `editPayload` finds texts; those in text blocks next to each other are looked at joined, too. */
export function maskSecrets(payload: unknown, exchange: Exchange, edit: SecretEdit, tally: SecretTally): unknown {
  return withCopiesOf(payload, editPayload(payload, exchange, createEdit(edit, tally, exchange.phase, isCopyIn(payload, exchange))), exchange);
}

function createEdit({ findSecrets, findsNames, known, allow, masks, maxTextChars }: SecretEdit, tally: SecretTally, phase: Exchange["phase"], isCopy: (text: string) => boolean): PayloadEdit {
  const count = (kind: SecretKind) => tally.set(kind, (tally.get(kind) ?? 0) + 1);
  const maskOf = ({ type }: SecretMatch) => masks.get(type) ?? "";
  const isMask = (text: string) => [...masks.values()].includes(text);
  const find = (text: string, isIdentifier = false) => {
    const found = findSecrets(text, isIdentifier);
    return allow.size === 0 ? found : found.filter(({ start, end }) => !allow.has(text.slice(start, end)));
  };
  return {
    maxTextChars,
    inBlobs: true,
    text(text, member, stands) {
      if (findsNames && member !== undefined && isHeldSecret(text, member, stands) && !allow.has(text) && !isMask(text)) {
        count("assignment");
        return masks.get("assignment") ?? "";
      }
      // What a query or a sentence holds is named by itself.
      const isIdentifier = member !== undefined && ((namesIdentifier(member, false) && !/[\s?#]/.test(text)) || (namesAccount(member) && isAccountKey(text)));
      let found = find(text, isIdentifier);
      if (found.length === 0) return text;
      // What is random in data is an id or none by the members that hold it, which are looked at by themselves.
      if (member === undefined && found.some(({ type }) => type === "high-entropy") && isCopy(text)) found = find(text, true);
      for (const { type } of found) count(type);
      return replaceMatches(text, found, maskOf);
    },
    number(value, member) {
      const digits = String(value);
      const type = known.has(digits) ? "known" : findsNames && isHeldNumber(value, member) && !allow.has(digits) ? "assignment" : undefined;
      if (type === undefined) return value;
      count(type);
      return masks.get(type) ?? "";
    },
    // What somebody sends is where it is for: masked it would lead elsewhere.
    ...(phase === "response" && {
      address(text: string) {
        const found = find(text, true);
        for (const { type } of found) count(type);
        return found.length === 0 ? text : replaceMatches(text, found, maskOf);
      },
    }),
    blocks: (texts) => maskAcross(texts, find, ({ type }, isFirst) => {
      if (isFirst) count(type);
      return masks.get(type) ?? "";
    }),
  };
}

/** By its name alone: whatever is no template, type or word for a secret, and no sentence. In a list, what is under the name of a key is one by its look. */
function isHeldSecret(text: string, member: string, stands: Stands): boolean {
  if (member === "auth" && isUserAndPassword(text)) return true;
  const kind = text.length < SHORTEST_VALUE ? undefined : stands === "listed" ? kindOfEntries(member) : kindOfName(member);
  if (kind === undefined || isPlaceholder(text)) return false;
  // Two texts are a list as often as a name and a value.
  if (stands === "paired" && !(/[0-9]/.test(text) && /[A-Za-z]/.test(text) && text.length >= LEAST_PAIRED)) return false;
  if (stands !== "held" && (isRule(text) || (kind === "key" && !isSecretValue(text, { isPassword: false, isTight: true, isQuoted: true, isLine: false })))) return false;
  if (!/\s/.test(text)) return true;
  return /\s.*\s/.test(text) ? isPassphrase(text) : !isSentence(text);
}

const LEAST_PAIRED = 8;
const LEAST_PASSWORD = 1_000;
const LEAST_KEY = 10_000_000;

/** A password of four digits or more, a key of eight. What a `pass` counts is none. */
function isHeldNumber(value: number, member: string | undefined): boolean {
  const kind = member === undefined || !Number.isInteger(value) || value < LEAST_PASSWORD || isCount(member) ? undefined : kindOfName(member);
  return kind === "password" || (kind === "key" && value >= LEAST_KEY);
}

// More than any token has; of a longer text only this much at either end can be part of a secret that goes on in the next.
const EDGE_CHARS = 4_096;

/** Masks what goes from one text into the next: in each of them its part. What lies within one text is left to be masked there. */
function maskAcross(texts: readonly string[], find: FindSecrets, maskOf: (match: SecretMatch, isFirst: boolean) => string): readonly string[] {
  const edges = texts.map(edgesOf);
  const byText = texts.map((): SecretMatch[] => []);
  const add = (parts: readonly Edge[]) => findAcross(parts, find, (index, match) => byText[index]?.push(match));
  add(edges.flat());
  // What stands before a secret hides it where it is glued to it: each two of them by themselves, too.
  for (let index = 1; texts.length > 2 && index < texts.length; index++) add([...(edges[index - 1] ?? []).slice(-1), ...(edges[index] ?? []).slice(0, 1)]);

  const touched = new Set<number>();
  return texts.map((text, index) =>
    replaceMatches(text, mergeOverlaps(byText[index] ?? []), (match) => {
      const isFirst = !touched.has(index - 1);
      touched.add(index);
      return maskOf(match, isFirst);
    }),
  );
}

/** Reports what is found in several texts joined, and is in more than one of them: each part by its text. */
function findAcross(parts: readonly Edge[], find: FindSecrets, report: (index: number, match: SecretMatch) => void): void {
  let length = 0;
  const places = parts.map((part) => ({ ...part, at: (length += part.text.length) - part.text.length }));
  let next = 0;
  // They come in order, and none overlaps another.
  for (const match of find(parts.map(({ text }) => text).join(""))) {
    const touched: (typeof places)[number][] = [];
    while (next < places.length && places[next]!.at + places[next]!.text.length <= match.start) next++;
    for (let place = places[next]; place !== undefined && place.at < match.end; place = places[next + touched.length]) touched.push(place);
    const [first] = touched;
    const isNamedBefore = first !== undefined && first.index > 0 && first.from === 0 && mayBeNamedBefore(match, first.text, match.start - first.at);
    if (!isNamedBefore && new Set(touched.map(({ index }) => index)).size < 2) continue;
    for (const { index, at, from, text } of touched) {
      report(index, { type: match.type, start: Math.max(match.start - at, 0) + from, end: Math.min(match.end - at, text.length) + from });
    }
  }
}

// What is told by what stands before it, and the most of that which may stand in the same text.
const NAMED_KINDS: ReadonlySet<SecretKind> = new Set(["assignment", "authorization", "url-password"]);
const MOST_NAME_PART = 64;

/** Whether the name of what starts at `start` in a text may stand in the text before, or go on from there: `password:` and then the password, or `pass` and `word=…`. */
function mayBeNamedBefore({ type }: SecretMatch, text: string, start: number): boolean {
  return start <= MOST_NAME_PART && (NAMED_KINDS.has(type) ? /^[^\r\n]*$/ : /^[\s"'`]{0,4}$/).test(text.slice(0, Math.max(0, start)));
}

interface Edge {
  readonly text: string;
  /** Which of the texts it is part of, and where it starts there. */
  readonly index: number;
  readonly from: number;
}

function edgesOf(text: string, index: number): Edge[] {
  if (text.length <= 2 * EDGE_CHARS) return [{ text, index, from: 0 }];
  const from = text.length - EDGE_CHARS;
  // What is left out is in no class of characters.
  return [{ text: `${text.slice(0, EDGE_CHARS)}\0`, index, from: 0 }, { text: text.slice(from), index, from }];
}
