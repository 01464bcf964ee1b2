import type { Report } from "./kinds.ts";
import { isSentence } from "./passphrase.ts";
import { isPlaceholder } from "./plausible.ts";
import { kindOfName } from "./secret-names.ts";

// What sentences say a password is: `the password is …`, `das Passwort lautet …`, `密码是…`.

const SAID = /["'`\u201c\u201e\u00ab]([^\s"'`\u201c\u201d\u00bb]{6,64})["'`\u201c\u201d\u00bb]|([^\s"'`<>,;()]{6,64})/y;
const SAID_UNSPACED = /["'`\u300c]([!-~]{6,64}?)["'`\u300d]|([!#-&*-+\--:=-Z^-~]{6,64})/y;
const MARKED = /[0-9!^*~$%@]/;
const MIXED = /[a-z][A-Z]{2,}[a-z]|[a-z][A-Z][a-z].*[a-z][A-Z]/;

/** What follows `password is`: in quotes, or with what words do not have. */
export function findSaid(text: string, from: number, report: Report): void {
  reportSaid(text, from, SAID, (bare) => MARKED.test(bare) || MIXED.test(bare), report);
}

function reportSaid(text: string, from: number, said: RegExp, isMarked: (bare: string) => boolean, report: Report): void {
  said.lastIndex = from;
  const [all = "", quoted, bare = ""] = said.exec(text) ?? [];
  const password = quoted ?? (isMarked(bare) ? bare.replace(/[.!?:]+$/, "") : "");
  // `base64-encoded` says how it is kept.
  if (password.length < 6 || !/[A-Za-z]/.test(password) || /^[A-Za-z0-9]+-[a-z]+$/.test(password) || isSentence(password) || isPlaceholder(password)) return;
  const start = from + all.indexOf(password);
  report("assignment", start, start + password.length);
}

// What says in other languages that a name is one, by what such names end with.
type Link = readonly [ending: string, link: RegExp];

// Each is searched for by an ending that starts with a letter that is rare: searches stop at every letter they start with.
const BEHIND_WORD: readonly Link[] = [
  ["wort ", /(?:ist|lautet):? /y],
  ["woord ", /is:? /y],
];
const LINKS: readonly Link[] = [
  ["passe ", /(?<=de passe )est ?:? /y],
  ["\u00f1a ", /es:? /y],
  ["\u00e9", /(?<=senha \u00e9):? /y],
  ["\u043f\u0430\u0440\u043e\u043b\u044c ", /[\u2013\u2014] /y],
];
const UNSPACED_LINKS: readonly Link[] = [
  ...["\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4"].map((name) => [name, /\s?[\u662f\u4e3a\u70ba]\s?/y] as const),
  ["\u30d1\u30b9\u30ef\u30fc\u30c9", /\u306f\s?/y],
  ["\ube44\ubc00\ubc88\ud638", /[\ub294\uc740]\s?/y],
];
const MOST_NAME = 24;

/** `Ihr Kennwort lautet …`, `het wachtwoord is …`: the `wo` of the name is at `at`. In quotes, or with a digit. */
export function findSaidBehindWord(text: string, at: number, report: Report): void {
  for (const link of BEHIND_WORD) if (text.startsWith(link[0], at)) findLinked(text, at, link, SAID, report);
}

/** `le mot de passe est …`, `パスワードは…です`: in quotes, or with a digit. */
export function findSaidInForeign(text: string, report: Report): void {
  for (const [links, said] of [[LINKS, SAID], [UNSPACED_LINKS, SAID_UNSPACED]] as const) {
    for (const link of links) {
      const [ending] = link;
      for (let at = text.indexOf(ending); at !== -1; at = text.indexOf(ending, at + ending.length)) findLinked(text, at, link, said, report);
    }
  }
}

function findLinked(text: string, at: number, [ending, link]: Link, said: RegExp, report: Report): void {
  const end = at + ending.length;
  link.lastIndex = end;
  if (!link.test(text) || kindOfName(text.slice(Math.max(0, end - MOST_NAME), end).replace(/ \u00e9?$/, "")) !== "password") return;
  reportSaid(text, link.lastIndex, said, (bare) => /[0-9]/.test(bare), report);
}
