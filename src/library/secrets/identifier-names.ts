import { isCursor } from "./secret-names.ts";

// Names of what is random so that it is one of its kind, and lets nobody in: ids, places in lists, versions, checksums, addresses.

const IDENTIFIERS: ReadonlySet<string> = new Set(
  (
    "id gid uid uuid guid cid oid openid unionid userid fileid docid msgid videoid node cursor after before next previous prev marker bookmark continuation offset " +
    "playlist track song album artist episode place permalink shortcode txid txhash ulid ksuid nanoid cuid gclid fbclid msclkid dclid gbraid wbraid " +
    "version revision rev etag sha commit hash digest checksum fingerprint nonce ref reference name filename path filepath uri url href address slug"
  ).split(" "),
);

// Headers and members that name what is meant by another word than their last.
const WHOLE: ReadonlySet<string> = new Set(["in_reply_to", "if_match", "if_none_match", "references", "x_amz_id_2", "content_md5"]);
const RUN_TOGETHER = /^(?:message|video|thread|request|trace|span|order|item|account|object|playlist|track|album|place|node|channel|event|job|task|run|build|cluster|instance|image|post|comment|page)ids?$/;

/** Keys of things, not of locks. */
const OF_THINGS = /(?:^|_)(?:file|object|partition|sort|range|primary|foreign|row|item|record|issue|project|board|cache|idempotency|start|last|node|doc|document|component|style)_?key$/;

const OF_SECRETS = /pass(?:word|wd|phrase|code)|pwd|secret|credential|token|auth(?!or(?:s|_|$))|private|api_?key|access_?key|sig(?:$|_)|signature|(?:^|_)otp/;
const MOST_NAME = 64;

/**
 * Whether a name says that what is random under it is no secret: its last word does, in the singular or plural, and none of its words is one of secrets. In
 * prose and settings (`isBare`) a `key` alone and a session's id may open something.
 */
export function namesIdentifier(name: string, isBare: boolean): boolean {
  if (name.length > MOST_NAME) return false;
  const words = wordsOf(name);
  if (isCursor(words)) return true;
  if (OF_SECRETS.test(words) || (isBare && words.includes("sess"))) return false;
  if (WHOLE.has(words.replaceAll("-", "_"))) return true;
  const last = /[a-z0-9]+$/.exec(words)?.[0] ?? "";
  if (IDENTIFIERS.has(last) || (last.endsWith("s") && (IDENTIFIERS.has(last.slice(0, -1)) || last === "addresses" || last === "hashes"))) return true;
  return RUN_TOGETHER.test(last) || OF_THINGS.test(words) || (!isBare && words === "key");
}

function wordsOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

const OF_ACCOUNTS: ReadonlySet<string> = new Set(["wallet", "mint", "account", "owner", "program", "pubkey", "payer", "recipient", "sender", "to", "from"]);

/** Whether a name says that the key of an account under it is an address: `wallet`, `fromAccount`, `public_key`. */
export function namesAccount(name: string): boolean {
  if (name.length > MOST_NAME) return false;
  const words = wordsOf(name);
  return !OF_SECRETS.test(words) && (OF_ACCOUNTS.has(/[a-z0-9]+$/.exec(words)?.[0] ?? "") || words.endsWith("public_key"));
}

const MOST_BEFORE = 96;
// A name in quotes or without, what assigns, and what a value may start with: a quote, a weak mark, a part of it before a sign (`auth0|…`).
const NAMED =
  /(?:(?:([A-Za-z_$][\w.-]*)\\{0,3}["']|(?<![\w.-])([A-Za-z_$][\w.-]*))\s?[:=]\s?\[?|<([A-Za-z][\w.:-]*)>)(?:W\/)?(?:\\{0,3}["'`]|&quot;)?(?:[\w-]{1,40}[.|:~]){0,3}$/;

// What ends each name of `NAMED`.
const ASSIGNS = /[:=>]/;

/** Whether what starts at `start` in a text is assigned to such a name: `"fileId": "…"`, `cursor=…`, `id: …`, `<VersionId>…`. */
export function isNamedIdentifier(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - MOST_BEFORE), start);
  // Most random strings have nothing before them that assigns, and the search for a name costs as much as all else that is done for them.
  const found = ASSIGNS.test(before) ? NAMED.exec(before) : null;
  if (found === null) return false;
  return found[1] === undefined ? namesIdentifier(found[2] ?? found[3] ?? "", true) : namesIdentifier(found[1], false);
}
