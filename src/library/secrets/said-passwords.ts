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

// How names end in other languages, and what says there that it is one. A search for each is faster than one for all, and skips the more the longer it is.
const LINKS: readonly (readonly [ending: string, link: RegExp])[] = [
  ["asswort ", /(?:ist|lautet):? /y],
  ["ennwort ", /(?:ist|lautet):? /y],
  ["de passe ", /est ?:? /y],
  ["ontrase\u00f1a ", /es:? /y],
  ["senha \u00e9", /:? /y],
  ["achtwoord ", /is:? /y],
  ["\u043f\u0430\u0440\u043e\u043b\u044c ", /[\u2013\u2014] /y],
];
const UNSPACED_LINKS: readonly (readonly [ending: string, link: RegExp])[] = [
  ...["\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4"].map((name) => [name, /\s?[\u662f\u4e3a\u70ba]\s?/y] as const),
  ["\u30d1\u30b9\u30ef\u30fc\u30c9", /\u306f\s?/y],
  ["\ube44\ubc00\ubc88\ud638", /[\ub294\uc740]\s?/y],
];
const MOST_NAME = 24;

/** `Ihr Kennwort lautet …`, `le mot de passe est …`, `パスワードは…です`: in quotes, or with a digit. */
export function findSaidInForeign(text: string, report: Report): void {
  for (const [links, said] of [[LINKS, SAID], [UNSPACED_LINKS, SAID_UNSPACED]] as const) {
    for (const [ending, link] of links) {
      // A search for one rare letter takes no time.
      const rare = /[\u0080-\uffff]/.exec(ending)?.[0];
      if (rare !== undefined && !text.includes(rare)) continue;
      for (let at = text.indexOf(ending); at !== -1; at = text.indexOf(ending, at + ending.length)) {
        const end = at + ending.length;
        link.lastIndex = end;
        if (link.test(text) && kindOfName(text.slice(Math.max(0, end - MOST_NAME), end).replace(/ \u00e9?$/, "")) === "password") reportSaid(text, link.lastIndex, said, (bare) => /[0-9]/.test(bare), report);
      }
    }
  }
}
