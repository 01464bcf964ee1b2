import { asksInForeign, endsInForeignSecret } from "./foreign-secret-words.ts";
import { plainWords } from "./look-alike.ts";
import { shownText } from "./markup.ts";

// Words, and words one after the other, that name what nobody should type into a form of a server's. The last word may be a plural.
const SECRETS: readonly string[] = [
  ...["password", "passwd", "pwd", "passphrase", "passcode", "passkey", "otp", "totp", "cvv", "cvc", "ssn", "mnemonic", "credential", "secret", "apikey", "privatekey", "pin"],
  ...["token", "api key", "api token", "access key", "access token", "auth token", "auth key", "bearer token", "refresh token", "session token", "session cookie", "secret key", "private key", "ssh key"],
  ...["encryption key", "signing key", "master key", "license key", "client secret", "app secret", "webhook secret", "security code", "verification code", "authentication code", "one time code", "2fa code"],
  ...["mfa code", "sms code", "recovery code", "backup code", "recovery phrase", "seed phrase", "card number", "credit card", "debit card", "cc number", "card code", "pin code", "pin number", "social security"],
  ...["social security number", "account number", "routing number", "iban", "passport number", "tax id", "national id", "driver license", "drivers license", "connection string"],
  ...["pass word", "pass code", "pass phrase", "pass key", "factor code", "factor token", "2fa token", "mfa token", "authenticator code", "authorization header", "auth header"],
  ...["user pass", "login pass", "admin pass", "root pass", "account pass", "database pass", "db pass", "smtp pass", "mail pass", "ftp pass", "wifi pass"],
  ...["pw", "jwt", "kubeconfig", "kube config", "psk", "wifi key", "auth cookie", "login cookie", "security answer", "secret answer", "wallet seed", "seed word", "wallet word", "recovery word", "wallet phrase", "backup phrase"],
  ...["secret phrase", "mnemonic phrase", "12 word phrase", "24 word phrase", "twelve word phrase", "otp code", "github pat", "git hub pat", "gitlab pat", "git lab pat", "bitbucket pat", "azure pat", "devops pat", "jira pat"],
];
const PHRASES: ReadonlySet<string> = new Set(SECRETS);
// Names of secrets where they are the whole name: a boarding pass and a prior authorization are none.
const WHOLE_NAMES: ReadonlySet<string> = new Set(["pass", "bearer", "authorization", "pat", "2fa", "mfa"]);
// Words that may stand after what is asked for, and change nothing: `password_again`, `API key (required)`.
const TRAILERS: ReadonlySet<string> = new Set(["again", "confirm", "confirmation", "repeat", "value", "required", "optional", "here", "below", "please", "new", "old", "current", "text", "input", "field", "raw", "plain", "1", "2"]);
// What says how long it is, around a number: `password_min_8`, `pin_4_digits`.
const AMOUNTS: ReadonlySet<string> = new Set(["min", "minimum", "max", "maximum", "digit", "digits", "char", "chars", "character", "characters", "letters"]);
// Words that go on from a secret to where it is from, or what it is like; those of other languages stand within a name, too (`mot de passe`).
const CLAUSES: ReadonlySet<string> = new Set([
  ...["for", "of", "to", "from", "with", "at", "in", "on", "by", "as", "that", "which", "who", "you", "we", "used", "found", "shown", "starting", "beginning", "starts", "ending"],
  ...["für", "von", "aus", "mit", "pour", "de", "des", "du", "del", "para", "voor", "van", "для", "от"].map((word) => plainWords(word).toLowerCase()),
]);
const COUNTED: ReadonlySet<string> = new Set(["max", "maximum", "min", "minimum", "total", "many", "remaining"]);
// Where brackets, a comma, a colon or a dash go on; a hyphen within a word does not.
const EXPLAINS = /[([{:;,\u2026\uff08\uff0c\uff1a\u3010]|\s[-\u2010-\u2015|/]+\s|[\u2013\u2014]/;
// `Credit card, cash or transfer` is a list of ways to pay.
const OF_LISTS = /\b(?:credit|debit) cards?\s*,/i;
// A pin on a map, and the postal code of India.
const PLACES: ReadonlySet<string> = new Set(["map", "city", "town", "village", "district", "locality", "area", "region", "postal", "location", "board", "marker", "top", "wall"]);
const MAX_WORDS = 3;
const MAX_NAME_CHARS = 300;

/** The words of a name or title, in lower case: `apiKey2`, `API_KEY` and `API key:` have `api` and `key`. What cannot be seen is left out, and letters count as what they look like. */
export function wordsOf(text: string): readonly string[] {
  const spaced = plainWords(shownText(text)).slice(0, MAX_NAME_CHARS).replace(/([a-z]|\d(?!FA))(?=[A-Z])/g, "$1 ").replaceAll("'", "");
  return joined(spaced.toLowerCase().match(/[\p{L}]+|\d+(?:fa)?/gu) ?? []);
}

// As many letters in a row, each by itself, are a word that is written so.
const SPELLED = 4;

function joined(words: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (let at = 0; at < words.length; ) {
    let end = at;
    while (/^\p{L}$/u.test(words[end] ?? "")) end++;
    if (end - at >= SPELLED) all.push(words.slice(at, end).join(""));
    else all.push(...words.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return all;
}

/**
 * Whether a name or title is that of a secret: it ends in one (`github_password`, `Enter your API key`), or goes on from one to what it is for, where it is from or what
 * it looks like (`Password for GitHub`, `PIN (4 digits)`, `Token, from your dashboard`).
 */
export function namesSecret(text: string): boolean {
  const words = wordsOf(text);
  if (words.includes("pin") && words.some((word) => PLACES.has(word))) return false;
  return WHOLE_NAMES.has(bareOf(words).join(" ")) || isAboutSecret(words) || explainedBy(text).some((head) => WHOLE_NAMES.has(bareOf(head).join(" ")) || isAboutSecret(head));
}

function isAboutSecret(words: readonly string[]): boolean {
  for (let at = 1; at < words.length; at++) {
    if (!CLAUSES.has(words[at] ?? "")) continue;
    if (endsInSecret(words.slice(0, at))) return true;
    // The name, number or length of a secret is none.
    if (OTHER.has(words[at - 1] ?? "")) return false;
  }
  return endsInSecret(words);
}

/** The words before what a text goes on with in brackets, behind a comma, a colon or a dash. */
function explainedBy(text: string): readonly (readonly string[])[] {
  const shown = shownText(text).slice(0, MAX_NAME_CHARS);
  const at = OF_LISTS.test(shown) ? -1 : shown.search(EXPLAINS);
  return at > 0 ? [wordsOf(shown.slice(0, at))] : [];
}

function endsInSecret(words: readonly string[]): boolean {
  let end = words.length;
  let counts = false;
  for (; end > 0; end--) {
    const word = words[end - 1] ?? "";
    const isNumber = /^\d+$/.test(word);
    // `tokens_max` is a limit.
    if (!TRAILERS.has(word) && !isNumber && !(AMOUNTS.has(word) && (counts || /^\d+$/.test(words[end - 2] ?? "")))) break;
    counts ||= isNumber;
  }
  return secretAt(words, end);
}

// Whether a phrase ends just before `end`.
function secretAt(words: readonly string[], end: number): boolean {
  if (/s$/.test(words[end - 1] ?? "") && COUNTED.has(words[end - 2] ?? "")) return false;
  for (let count = 1; count <= Math.min(MAX_WORDS, end); count++) {
    const phrase = words.slice(end - count, end).join(" ");
    if (PHRASES.has(phrase) || (phrase.endsWith("s") && PHRASES.has(phrase.slice(0, -1)))) return true;
  }
  return endsInForeignSecret(words, end);
}

const ASKS: ReadonlySet<string> = new Set(["enter", "provide", "give", "type", "paste", "share", "supply", "input", "submit", "send", "confirm", "tell", "need", "needs", "require", "requires", "what", "whats", "insert", "reenter"]);
const DENIES: ReadonlySet<string> = new Set(["never", "not", "no", "dont", "without", "wont", "cannot", "cant", "neither", "nor", "avoid"]);
/** Words that go on from a secret to something that is none: a password policy, a token limit. */
const OTHER: ReadonlySet<string> = new Set(["policy", "policies", "hint", "length", "strength", "reset", "manager", "expiry", "expiration", "rotation", "rule", "rules", "count", "counts", "limit", "limits", "budget", "type", "name", "names", "number", "id", "page", "url", "link", "protected", "protection", "usage", "format", "settings"]);
// `Password required`, `A password is needed`.
const DEMANDS: ReadonlySet<string> = new Set(["required", "needed", "necessary", "mandatory", "please"]);
const LINKS: ReadonlySet<string> = new Set(["is", "are", "was"]);
const ARTICLES: ReadonlySet<string> = new Set(["your", "the", "a", "an", "my", "account", "login", "sudo"]);
// `the 6-digit code from your authenticator app`, `the 6-digit code that we sent`.
const CODE_SOURCES: ReadonlySet<string> = new Set(["authenticator", "authy", "2fa", "mfa", "otp", "totp", "sms", "texted"]);
const SENT: ReadonlySet<string> = new Set(["sent", "received", "mailed", "emailed"]);
const HARMLESS_CODES: ReadonlySet<string> = new Set([
  ...["discount", "promo", "promotion", "promotional", "coupon", "voucher", "gift", "referral", "invite", "invitation", "zip", "post", "postal", "country", "area", "language", "currency", "airport"],
  ...["booking", "tracking", "order", "product", "error", "status", "source", "color", "colour"],
]);
const REACH = 10;
const MAX_TEXT_CHARS = 20_000;

/** Whether a text asks for a secret: a word that asks, then within a few words the secret, or the secret and that it is required, and no word before or between that denies it; or the secret alone. Only the first 20,000 characters are read. */
export function asksForSecret(text: string): boolean {
  const shown = shownText(text.slice(0, MAX_TEXT_CHARS));
  if (shown.split("\n").some(promptsForSecret)) return true;
  for (const sentence of shown.split(/[.!?;\u3002\uff01\uff1f]+|\n\s*\n/)) {
    const words = joined(sentence.split(/\s+/).flatMap(wordsOf));
    const hasSource = words.some((word) => CODE_SOURCES.has(word));
    const hasWallet = words.includes("wallet");
    const isSent = words.some((word) => SENT.has(word));
    if (sentence.split("\n").some(isPromptLine)) return true;
    if (asksInForeign(words)) return true;
    let asked = -Infinity;
    let denied = -Infinity;
    for (const [index, word] of words.entries()) {
      if (ASKS.has(word)) asked = index;
      if (DENIES.has(word)) denied = index;
      const next = words[index + 1] ?? "";
      const isDemanded = DEMANDS.has(LINKS.has(next) ? (words[index + 2] ?? "") : next);
      if ((index - asked <= REACH || isDemanded) && index - denied > REACH && secretAt(words, index + 1) && !OTHER.has(next)) return true;
      // `Type the seed of your wallet`, `the 12 words of your wallet`.
      if (hasWallet && index - asked <= REACH && index - denied > REACH && (word === "seed" || (word === "words" && /^(?:\d+|twelve|four)$/.test(words[index - 1] ?? "")))) return true;
      if (word !== "code" || index - asked > REACH || index - denied <= REACH) continue;
      const before = words[index - 1] ?? "";
      if ((hasSource && !HARMLESS_CODES.has(before)) || (isSent && before.startsWith("digit"))) return true;
    }
  }
  return false;
}

/** Whether a line is what terminals say before somebody types: `Password for ada@host:`. */
function promptsForSecret(line: string): boolean {
  if (!/:\s*$/.test(line.slice(-PROMPT_END))) return false;
  const words = wordsOf(line);
  const link = words.findIndex((word) => word === "for" || word === "of");
  return link > 0 && isSecretAlone(words.slice(0, link));
}

const PROMPT_END = 20;

/** A line that says a secret and nothing more, but for what explains it: `Session cookie (from the browser)`. */
function isPromptLine(line: string): boolean {
  const words = wordsOf(line);
  if (isSecretAlone(words)) return true;
  if (words.length > SHORT || words.some((word) => DENIES.has(word))) return false;
  const from = words.indexOf("from");
  return (from > 0 && isSecretAlone(words.slice(0, from))) || explainedBy(line).some(isSecretAlone);
}

function isSecretAlone(words: readonly string[]): boolean {
  const rest = bareOf(words);
  return rest.length > 0 && rest.length <= MAX_WORDS && (PHRASES.has(rest.join(" ")) || endsInForeignSecret(rest, rest.length));
}

function bareOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !ARTICLES.has(word) && !TRAILERS.has(word));
}

const SHORT = 8;

/** Whether a description says that its field is a secret: in a few words as a title would, or by asking for one. */
export function describesSecret(text: string): boolean {
  const words = wordsOf(text);
  return (words.length <= SHORT && !words.some((word) => DENIES.has(word)) && namesSecret(text)) || asksForSecret(text);
}
