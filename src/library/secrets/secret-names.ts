import { FOREIGN_PASSWORD, mayNameForeign } from "./foreign-passwords.ts";

// What names of secrets end with, once hyphens and the like are left out: passwords, which people choose, and keys, which machines make.
// Forms ask for one twice, and for the old and the new one.
const PASSWORD =
  /(?:(?:pass(?:word|wort|wd|phrase|code)|pwd)(?:[_.-]?(?:confirmation|confirm|again|repeat|old|new|current))?(?:[_.-]?[0-9]{1,2})?|kennwort|securestring|(?:^|[_.-])(?:pass|psk|pw))$/;
const OF_KEYS =
  "api|access|secret|private|auth|signing|encryption|master|account|shared|storage|service|client|webhook|app|application|session|consumer|deploy|license|" +
  "subscription|functions|hmac|cipher|admin|jwt|cookie";
const KEY = new RegExp(`(?:secret|token|(?:${OF_KEYS})[_.-]?key|sharedaccesskey|credentials?|_auth|^sig|^(?:secure_)?auth_salt|^logged_in_(?:key|salt)|^nonce_(?:key|salt)|authorization|secret_?key_?base)$`);

/** Tokens that say where a list goes on, or that are words of a model. */
const CURSOR = /(?:page|continuation|sync|next|resume|start|stop|max|min|eos|bos|pad|unk|cancel(?:l?ation)?|progress)[_.-]?token$/;

const MOST_NAME = 40;

/** The last two letters of each of these names, since most names that anything is assigned to are none. */
const ENDINGS = endings("rd rt ng wd se de ss et en ey al ls th on ig sk lt rm in ds ew ld pw");

/** A table of those of two letters. */
export function endings(pairs: string): Uint8Array {
  const table = new Uint8Array(32 * 32);
  for (const pair of pairs.split(" ")) table[endingOf(pair, pair.length)] = 1;
  return table;
}

/** The two letters before `end`, of either case, as one number. */
export function endingOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) & 31) << 5) | (text.charCodeAt(end - 1) & 31);
}

/** Whether a name that ends at `end` may be one of a secret; most are not. */
export function mayNameSecret(text: string, end: number): boolean {
  return ENDINGS[endingOf(text, end)] === 1;
}

/** What a name says is in it: a password, a key, or neither. */
export function kindOfName(name: string): "password" | "key" | undefined {
  const last = name.slice(-MOST_NAME);
  const lower = last.toLowerCase();
  if (PASSWORD.test(lower) || /[a-z]Pass$/.test(last) || (mayNameForeign(lower, lower.length) && FOREIGN_PASSWORD.test(lower))) return "password";
  return KEY.test(lower) && !CURSOR.test(lower) ? "key" : undefined;
}

/** What a name says of the entries of a list that it holds: `passwords`, too. */
export function kindOfEntries(name: string): "password" | "key" | undefined {
  const one = kindOfName(name);
  return one === undefined && /[a-z]s$/i.test(name) && kindOfName(name.slice(0, -1)) === "password" ? "password" : one;
}

/** Whether a name is that of a token that says where a list goes on. */
export function isCursor(lower: string): boolean {
  return CURSOR.test(lower);
}

/** Whether a number under this name of a password counts something: `"pass": 1532`, of tests, or measures it: `pw=1280`, a page. */
export function isCount(name: string): boolean {
  return /(?:^|[^A-Za-z])(?:pass|pw)$/i.test(name);
}
