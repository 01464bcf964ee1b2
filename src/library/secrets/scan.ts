import { IPV6_CLASS, TOKEN_CLASS } from "../detect/characters.ts";
import type { Span } from "../detect/detector.ts";
import { blankColours, coloursIn } from "../detect/escapes.ts";
import { mergeOverlaps } from "../detect/merge.ts";
import { nextRun, runEnd, runStart } from "../detect/runs.ts";
import { findAssignment } from "./assignment.ts";
import { findAuthorizations } from "./authorization.ts";
import { decodedColons, decodedRun, unescaped, type View, withoutColours } from "./decode.ts";
import { isRandom, LONGEST_RANDOM, mayBeRandom, SHORTEST_RANDOM } from "./entropy.ts";
import { findConfigForms } from "./config-forms.ts";
import { findHookUrl } from "./hook-url.ts";
import { isNamedIdentifier } from "./identifier-names.ts";
import { isPathSegment } from "./in-address.ts";
import { findJwts } from "./jwt.ts";
import { type Report, SECRET_KINDS, type SecretKind, type SecretMatch } from "./kinds.ts";
import { createFindKnown } from "./known.ts";
import { findPrivateKeys } from "./private-key.ts";
import { findProviderTokens, findTokensWithTilde } from "./provider-token.ts";
import { isEscaped, isPublicKey, isWrapped, publicBlocks, within } from "./public-data.ts";
import { isPublicId } from "./public-ids.ts";
import { findSpokenAssignments } from "./spoken-assignment.ts";
import { findInTables, findPgpass, mayBePort } from "./tables.ts";
import { findDriverPasswords, findUrlPassword } from "./url-password.ts";
import { readBlock } from "./wrapped.ts";

export interface SecretScanOptions {
  /** All unless given; `known` is what `known` names. */
  readonly kinds?: readonly SecretKind[];
  readonly known?: readonly string[];
}

/**
 * Finds secrets in a text: matches in order, without overlaps; where several overlap they are one, named for the first. An identifier is no secret by its
 * look alone.
 */
export type FindSecrets = (text: string, isIdentifier?: boolean) => SecretMatch[];

// `pwd=abcd`; member names and words of data are mostly shorter.
const SHORTEST_TEXT = 8;

// Encodings within encodings that are read.
const MOST_DEPTH = 3;
const NOTHING: SecretMatch[] = [];

export function createFindSecrets({ kinds = SECRET_KINDS, known = [] }: SecretScanOptions = {}): FindSecrets {
  const wants = new Set(kinds);
  const findKnown = known.length === 0 ? undefined : createFindKnown(known);

  const find = (original: string, depth: number, report: Report): void => {
    findKnown?.(original, report);
    // What colours touch is a word by itself, and what they stand within is one text.
    const colours = depth === 0 ? [] : coloursIn(original);
    if (colours.length === 0) return findIn(original, depth, report);
    const shown = withoutColours(original, colours);
    findIn(blankColours(original, colours), depth - 1, (type, start, end) => type !== "high-entropy" && report(type, start, end));
    find(shown.text, depth - 1, placed(shown, report));
  };

  const findIn = (text: string, depth: number, report: Report): void => {
    const wanted: Report = (type, start, end) => {
      if (wants.has(type)) report(type, start, end);
    };
    findPrivateKeys(text, wanted);
    findInRuns(text, wanted, (start, end, run = text.slice(start, end)) => {
      const decoded = depth === 0 ? undefined : decodedRun(run);
      // What is found in there stands for all of it.
      if (decoded !== undefined) find(decoded, depth - 1, (type) => type !== "high-entropy" && report(type, start, end));
      return decoded !== undefined;
    });
    findAuthorizations(text, wanted);
    findAtSigns(text, wanted);
    findSpokenAssignments(text, wanted);
    findDriverPasswords(text, wanted);
    findInTables(text, wanted);
    findTokensWithTilde(text, wanted);
    findConfigForms(text, wanted);
    if (depth > 0) eachColonRun(text, (start, end) => {
      const decoded = decodedColons(text.slice(start, end));
      if (decoded !== undefined) find(decoded, depth - 1, (type) => type !== "high-entropy" && report(type, start, end));
    });
    const view = depth === 0 ? undefined : unescaped(text);
    if (view !== undefined) find(view.text, depth - 1, placed(view, report));
  };

  return (text, isIdentifier = false) => {
    if (text.length < SHORTEST_TEXT && findKnown === undefined) return NOTHING;
    let found = NOTHING;
    find(text, MOST_DEPTH, (type, start, end) => {
      if (isIdentifier && type === "high-entropy") return;
      if (found === NOTHING) found = [];
      found.push({ type, start, end });
    });
    return found.length < 2 ? found : mergeOverlaps(found);
  };
}

/** Reports what is found in a view at its place in the text that it shows. */
function placed(view: View, report: Report): Report {
  return (type, start, end) => report(type, view.starts[start]!, view.ends[end - 1]!);
}

// Sixteen bytes; an address of IPv6 has fewer characters.
const SHORTEST_COLONS = 47;

function eachColonRun(text: string, look: (start: number, end: number) => void): void {
  // The engine's own search is faster than one for runs.
  if (!text.includes(":")) return;
  for (let start = nextRun(text, 0, SHORTEST_COLONS, IPV6_CLASS); start !== -1; ) {
    const end = runEnd(text, start, IPV6_CLASS);
    look(start, end);
    start = nextRun(text, end + 1, SHORTEST_COLONS, IPV6_CLASS);
  }
}

/** As Chinese and Japanese are written with. */
const WIDE_COLON = "\uff1a";

function findAtSigns(text: string, report: Report): void {
  for (let at = text.indexOf("="); at !== -1; at = text.indexOf("=", at + 1)) findAssignment(text, at, report);
  for (let at = text.indexOf(WIDE_COLON); at !== -1; at = text.indexOf(WIDE_COLON, at + 1)) findAssignment(text, at, report);
  // The next @, without which no URL has a password.
  let sign = -1;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    if (!text.startsWith("//", at + 1)) {
      findAssignment(text, at, report);
      if (mayBePort(text, at)) findPgpass(text, at, report);
    } else {
      findHookUrl(text, at, report);
      if (sign < at) sign = text.indexOf("@", at);
      if (sign === -1) sign = text.length;
      if (sign < text.length) findUrlPassword(text, at, report);
    }
  }
}

/** Looks into what a run says in another encoding, the text from `start` to `end` unless given; false where it says nothing. */
type Decode = (start: number, end: number, run?: string) => boolean;

// A token or a part of one is a run of token characters at least this long.
const SHORTEST_RUN = SHORTEST_RANDOM;

const LONGEST_TOKEN = 400;

// Machines make no token, nor hex or Base64, without a digit or a capital; paths and words with hyphens are done with here.
const MADE = /[A-Z0-9]/;

function findInRuns(text: string, report: Report, decode: Decode): void {
  const isPublic = within(publicBlocks(text));
  // Where the last block of lines ends, and whether it said something.
  let blockEnd = 0;
  let saysText = false;
  for (let done = 0; ; ) {
    const run = nextRun(text, done, SHORTEST_RUN, TOKEN_CLASS);
    if (run === -1) return;
    const start = chainStart(text, run, done);
    const lineEnd = runEnd(text, run + SHORTEST_RUN, TOKEN_CLASS);
    const end = chainEnd(text, lineEnd);
    done = end + 1;
    const piece = text.slice(start, end);
    if (!MADE.test(piece)) continue;
    const isData = text.startsWith("base64,", run - 7);
    // A text may be sent as data in which a token stands by itself; media is longer.
    if (!isData || end - run <= LONGEST_TOKEN) {
      findProviderTokens(text, start, end, report);
      // An unsigned one ends in a dot.
      findJwts(text.charAt(end) === "." ? `${piece}.` : piece, start, report);
    }
    if (run >= blockEnd) {
      const block = lineEnd === end ? readBlock(text, run, end) : undefined;
      blockEnd = block?.end ?? 0;
      saysText = block?.readings.some((reading) => decode(reading.start, reading.end, reading.joined)) === true;
    }
    findInChain(text, { start: run, end }, isData || saysText || isPublic(run), report, decode);
  }
}

// `bot`, up to ten digits, and a colon.
const MOST_BOT = 14;

/** Where the parts before a run start that are joined to it by dots, or a bot's number by a colon. */
function chainStart(text: string, run: number, limit: number): number {
  let start = run;
  if (text.charAt(start - 1) === ":") start = Math.max(limit, start - MOST_BOT);
  while (text.charAt(start - 1) === "." && start - 1 > limit) {
    const before = runStart(text, start - 1, TOKEN_CLASS, limit);
    if (before === start - 1) break;
    start = before;
  }
  return start;
}

function chainEnd(text: string, runStop: number): number {
  let end = runStop;
  while (text.charAt(end) === ".") {
    const next = runEnd(text, end + 1, TOKEN_CLASS);
    if (next === end + 1) break;
    end = next;
  }
  return end;
}

function findInChain(text: string, chain: Span, isData: boolean, report: Report, decode: Decode): void {
  for (let start = chain.start; start < chain.end; ) {
    if (isEscaped(text, start)) start++;
    const end = runEnd(text, start, TOKEN_CLASS, chain.end);
    if (end - start >= SHORTEST_RUN) {
      let padded = end;
      while (padded < end + 2 && text.charAt(padded) === "=") padded++;
      const run = text.slice(start, end);
      if (MADE.test(run)) {
        // What says something is not random.
        const isText = decode(start, padded) || decodeParts(run, start, decode);
        if (!isText && !isData && mayBeRandom(run) && !isDigest(text, start) && !isWrapped(text, start, end)) findRandom(text, run, start, padded, report);
      }
    }
    start = end + 1;
  }
}

/** What stands in a path, or behind one, is looked into by itself. */
function decodeParts(run: string, start: number, decode: Decode): boolean {
  if (!run.includes("/")) return false;
  let isText = false;
  let at = start;
  for (const part of run.split("/")) {
    if (part.length >= SHORTEST_RUN && decode(at, at + part.length)) isText = true;
    at += part.length + 1;
  }
  return isText;
}

const DIGEST_BEFORE = /(?:sha-?[0-9]{1,3}|md5|fingerprint|\bh1)["']?\s?[:=]\s?["']?$/i;
const DIGEST = /^(?:sha[0-9]{1,3}|md5)-/i;

/** `sha256-…` says what it is, and so does `SHA256:…`. */
function isDigest(text: string, start: number): boolean {
  return DIGEST.test(text.slice(start, start + 8)) || DIGEST_BEFORE.test(text.slice(Math.max(0, start - 16), start));
}

function findRandom(text: string, run: string, start: number, padded: number, report: Report): void {
  if (isPublicKey(run)) return;
  if (isRandom(run)) {
    if (!isPathSegment(text, start, padded) && !isNamedIdentifier(text, start) && !isPublicId(text, start, padded)) report("high-entropy", start, padded);
    return;
  }
  // A part of a path may be random, too; one of Base64 that is too long for a secret is not.
  if (!run.includes("/") || run.length > LONGEST_RANDOM) return;
  let at = start;
  for (const part of run.split("/")) {
    const end = at + part.length;
    if (isRandom(part) && !isPathSegment(text, at, end) && !isNamedIdentifier(text, start) && !isPublicId(text, at, end)) report("high-entropy", at, end);
    at = end + 1;
  }
}
