import { plainWords } from "./look-alike.ts";

// Words, and words one after the other, that name what nobody should type into a form of a server's. The last word may be a plural.
const SECRETS: readonly string[] = [
  ...["password", "passwd", "pwd", "passphrase", "passcode", "passkey", "otp", "totp", "cvv", "cvc", "ssn", "mnemonic", "credential", "secret", "apikey", "privatekey", "pin"],
  ...["token", "api key", "api token", "access key", "access token", "auth token", "auth key", "bearer token", "refresh token", "session token", "session cookie", "secret key", "private key", "ssh key"],
  ...["encryption key", "signing key", "master key", "license key", "client secret", "app secret", "webhook secret", "security code", "verification code", "authentication code", "one time code", "2fa code"],
  ...["mfa code", "sms code", "recovery code", "backup code", "recovery phrase", "seed phrase", "card number", "credit card", "debit card", "cc number", "card code", "pin code", "pin number", "social security"],
  ...["social security number", "account number", "routing number", "iban", "passport number", "tax id", "national id", "driver license", "drivers license", "connection string"],
];
const PHRASES: ReadonlySet<string> = new Set(SECRETS);
// Words that may stand after what is asked for, and change nothing: `password_again`, `API key (required)`.
const TRAILERS: ReadonlySet<string> = new Set(["again", "confirm", "confirmation", "repeat", "value", "required", "optional", "here", "below", "please", "new", "old", "current", "text", "input", "field", "raw", "plain", "1", "2"]);
const MAX_WORDS = 3;
const MAX_NAME_CHARS = 300;

/** The words of a name or title, in lower case: `apiKey2`, `API_KEY` and `API key:` have `api` and `key`. What cannot be seen is left out, and letters count as what they look like. */
export function wordsOf(text: string): readonly string[] {
  const spaced = plainWords(text).slice(0, MAX_NAME_CHARS).replace(/([a-z\d])(?=[A-Z])/g, "$1 ").replaceAll("'", "");
  return spaced.toLowerCase().match(/[\p{L}]+|\d+(?:fa)?/gu) ?? [];
}

/** Whether a name or title is that of a secret: it ends in one (`github_password`, `Enter your API key`), or is one of or for something (`Password for GitHub`). */
export function namesSecret(text: string): boolean {
  const words = [...wordsOf(text)];
  const link = words.findIndex((word) => word === "for" || word === "of" || word === "to");
  // The name, number or length of a secret is none.
  if (link > 0 && OTHER.has(words[link - 1] ?? "")) return false;
  return endsInSecret(words) || (link > 0 && endsInSecret(words.slice(0, link)));
}

function endsInSecret(words: readonly string[]): boolean {
  let end = words.length;
  while (end > 0 && TRAILERS.has(words[end - 1] ?? "")) end--;
  return secretAt(words, end);
}

// Whether a phrase ends just before `end`.
function secretAt(words: readonly string[], end: number): boolean {
  for (let count = 1; count <= Math.min(MAX_WORDS, end); count++) {
    const phrase = words.slice(end - count, end).join(" ");
    if (PHRASES.has(phrase) || (phrase.endsWith("s") && PHRASES.has(phrase.slice(0, -1)))) return true;
  }
  return false;
}

const ASKS: ReadonlySet<string> = new Set(["enter", "provide", "give", "type", "paste", "share", "supply", "input", "submit", "send", "confirm", "tell", "need", "needs", "require", "requires", "what", "whats", "insert", "reenter"]);
const DENIES: ReadonlySet<string> = new Set(["never", "not", "no", "dont", "without", "wont", "cannot", "cant", "neither", "nor", "avoid"]);
/** Words that go on from a secret to something that is none: a password policy, a token limit. */
const OTHER: ReadonlySet<string> = new Set(["policy", "policies", "hint", "length", "strength", "reset", "manager", "expiry", "expiration", "rotation", "rule", "rules", "count", "counts", "limit", "limits", "budget", "type", "name", "names", "number", "id", "page", "url", "link", "protected", "protection", "usage", "format", "settings"]);
// `Password required`, `A password is needed`.
const DEMANDS: ReadonlySet<string> = new Set(["required", "needed", "necessary", "mandatory", "please"]);
const LINKS: ReadonlySet<string> = new Set(["is", "are", "was"]);
const ARTICLES: ReadonlySet<string> = new Set(["your", "the", "a", "an", "my", "account", "login"]);
const REACH = 10;
const MAX_TEXT_CHARS = 20_000;

/** Whether a text asks for a secret: a word that asks, then within a few words the secret, or the secret and that it is required, and no word before or between that denies it; or the secret alone. Only the first 20,000 characters are read. */
export function asksForSecret(text: string): boolean {
  for (const sentence of text.slice(0, MAX_TEXT_CHARS).split(/[.!?;]+|\n\s*\n/)) {
    const words = sentence.split(/\s+/).flatMap(wordsOf);
    if (sentence.split("\n").some((line) => isSecretAlone(wordsOf(line)))) return true;
    let asked = -Infinity;
    let denied = -Infinity;
    for (const [index, word] of words.entries()) {
      if (ASKS.has(word)) asked = index;
      if (DENIES.has(word)) denied = index;
      const next = words[index + 1] ?? "";
      const isDemanded = DEMANDS.has(LINKS.has(next) ? (words[index + 2] ?? "") : next);
      if ((index - asked <= REACH || isDemanded) && index - denied > REACH && secretAt(words, index + 1) && !OTHER.has(next)) return true;
    }
  }
  return false;
}

function isSecretAlone(words: readonly string[]): boolean {
  const rest = words.filter((word) => !ARTICLES.has(word) && !TRAILERS.has(word));
  return rest.length > 0 && rest.length <= MAX_WORDS && PHRASES.has(rest.join(" "));
}

const SHORT = 8;

/** Whether a description says that its field is a secret: in a few words as a title would, or by asking for one. */
export function describesSecret(text: string): boolean {
  const words = wordsOf(text);
  return (words.length <= SHORT && !words.some((word) => DENIES.has(word)) && namesSecret(text)) || asksForSecret(text);
}
