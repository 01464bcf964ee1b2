// Whether a value that stands where a secret would is one, or stands for one: a template, a type, a word for it.

const STANDS_FOR = new Set(
  (
    "password passwd passphrase pass pwd secret token key apikey none null nil undefined true false yes no on off string str text number int integer " +
    "boolean bool object array any unknown required optional default empty value hidden masked removed omitted test testing sample changeme change_me " +
    "changeit bearer basic digest oauth oauth2 jwt base64 utf8 utf-8 hex sha1 sha256 sha512 md5 hs256 rs256 es256 eddsa not-set notset unset todo tbd n/a " +
    "username user pem ssh-rsa confirm confirmation"
  ).split(" "),
);

const TEMPLATE = /^(?:[<[{(%]|\$[A-Za-z_{(]|--|\.\.|xxx|XXX|\*)|\$\{|\{\{|<[a-zA-Z]|\.\.\.|…|\*\*\*|%[A-Za-z_]+%$|^:[A-Za-z_]+:?$/;
const SAYS_SO = /(?:^|[^a-z0-9])(?:example|sample|your|placeholder|dummy|fake|insert|replace|redacted|changeme|change-me|todo|some|here|goes|xxx+)(?:$|[^a-z0-9])/;

/** `<your-token>`, `${TOKEN}`, `********`, `string`, `changeme`. */
export function isPlaceholder(value: string): boolean {
  if (TEMPLATE.test(value)) return true;
  const lower = value.toLowerCase();
  return STANDS_FOR.has(lower) || SAYS_SO.test(lower) || /^[a-z_.-]*pass(?:word|wd|phrase)[a-z_.-]*$/.test(lower) || distinctChars(value) < 3;
}

/** How many different characters a text has; those beyond ASCII count by the last seven bits of their codes. */
export function distinctChars(text: string): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & 0x7f;
    const bit = 1 << (code & 31);
    if (code < 32) first |= bit;
    else if (code < 64) second |= bit;
    else if (code < 96) third |= bit;
    else fourth |= bit;
  }
  return bits(first) + bits(second) + bits(third) + bits(fourth);
}

function bits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

export interface Make {
  readonly digits: number;
  readonly upper: number;
  readonly lower: number;
  readonly others: number;
  /** Of the neighbours, how many are of different kinds; 0 to 1. */
  readonly changes: number;
}

/** How a value is made up. `-`, `_`, `.`, `/` and `+` are neither counted as others nor as a change: names have them. */
export function makeOf(value: string): Make {
  let [digits, upper, lower, others, changes, pairs] = [0, 0, 0, 0, 0, 0];
  let last = JOINT;
  for (let at = 0; at < value.length; at++) {
    const kind = kindOf(value.charCodeAt(at));
    if (kind === DIGIT) digits++;
    else if (kind === UPPER) upper++;
    else if (kind === LOWER) lower++;
    else if (kind === OTHER) others++;
    if (kind !== JOINT && last !== JOINT) {
      pairs++;
      if (kind !== last) changes++;
    }
    last = kind;
  }
  return { digits, upper, lower, others, changes: pairs === 0 ? 0 : changes / pairs };
}

const DIGIT = 0;
const UPPER = 1;
const LOWER = 2;
const OTHER = 3;
const JOINT = 4;

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  // Letters of other scripts have either case or none; their punctuation is rare in secrets.
  if ((code >= 0x61 && code <= 0x7a) || code >= 0xc0) return LOWER;
  return code === 0x2d || code === 0x5f || code === 0x2e || code === 0x2f || code === 0x2b ? JOINT : OTHER;
}
