import { isCursor } from "./secret-names.ts";

// Names of what is random so that it is one of its kind, and lets nobody in: ids, places in lists, versions, checksums, addresses.

const IDENTIFIERS: ReadonlySet<string> = new Set(
  (
    "id gid uid uuid guid cid oid openid unionid userid fileid docid msgid videoid node cursor after before next previous prev marker bookmark continuation offset " +
    "version revision rev etag sha commit hash digest checksum fingerprint nonce ref reference name filename path filepath uri url href address slug"
  ).split(" "),
);

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
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  if (isCursor(words)) return true;
  if (OF_SECRETS.test(words) || (isBare && words.includes("sess"))) return false;
  const last = /[a-z0-9]+$/.exec(words)?.[0] ?? "";
  if (IDENTIFIERS.has(last) || (last.endsWith("s") && (IDENTIFIERS.has(last.slice(0, -1)) || last === "addresses" || last === "hashes"))) return true;
  return OF_THINGS.test(words) || (!isBare && words === "key");
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
