// Whether a value that stands where a secret would is one, or stands for one: a template, a type, a word for it.

const STANDS_FOR = new Set(
  (
    "password passwd passphrase pass pwd secret token key apikey none null nil undefined true false yes no on off string str text number int integer " +
    "boolean bool object array any unknown required optional default empty value hidden masked removed omitted test testing sample changeme change_me " +
    "changeit bearer basic digest oauth oauth2 jwt base64 utf8 utf-8 hex sha1 sha256 sha512 md5 hs256 rs256 es256 eddsa not-set notset unset todo tbd n/a " +
    "username user pem ssh-rsa"
  ).split(" "),
);

const TEMPLATE = /^(?:[<[{(%]|\$[A-Za-z_{(]|--|\.\.|xx|XX|\*)|\$\{|\{\{|<[a-zA-Z]|\.\.\.|…|\*\*\*|%[A-Za-z_]+%$/;
const SAYS_SO = /(?:^|[^a-z0-9])(?:example|sample|your|placeholder|dummy|fake|insert|replace|redacted|changeme|change-me|todo|some|here|goes|xxx+)(?:$|[^a-z0-9])/;

/** `<your-token>`, `${TOKEN}`, `********`, `string`, `changeme`. */
export function isPlaceholder(value: string): boolean {
  if (TEMPLATE.test(value)) return true;
  const lower = value.toLowerCase();
  return STANDS_FOR.has(lower) || SAYS_SO.test(lower) || new Set(value).size < 3;
}

export interface Make {
  readonly digits: number;
  readonly upper: number;
  readonly lower: number;
  readonly others: number;
  /** Of the neighbours, how many are of different kinds; 0 to 1. */
  readonly changes: number;
  readonly distinct: number;
}

/** How a value is made up. `-`, `_`, `.`, `/` and `+` are neither counted as others nor as a change: names have them. */
export function makeOf(value: string): Make {
  const counts = [0, 0, 0, 0, 0];
  let changes = 0;
  let last = -1;
  let pairs = 0;
  for (let at = 0; at < value.length; at++) {
    const kind = kindOf(value.charCodeAt(at));
    counts[kind]!++;
    if (kind === JOINT) last = -1;
    else {
      if (last !== -1) {
        pairs++;
        if (kind !== last) changes++;
      }
      last = kind;
    }
  }
  const [digits = 0, upper = 0, lower = 0, others = 0] = counts;
  return { digits, upper, lower, others, changes: pairs === 0 ? 0 : changes / pairs, distinct: new Set(value).size };
}

const JOINT = 4;

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 0;
  if (code >= 0x41 && code <= 0x5a) return 1;
  if (code >= 0x61 && code <= 0x7a) return 2;
  return code === 0x2d || code === 0x5f || code === 0x2e || code === 0x2f || code === 0x2b ? JOINT : 3;
}
