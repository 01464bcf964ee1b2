import { base58Bytes, endsInDigest } from "./base58.ts";

// Ids that say by their form, their checksum, or what stands around them that everybody may know them.

/** A version, and the hash of a key; a private key has 32 bytes. */
const ADDRESS_BYTES = 25;
/** A public key of Solana, and a private one of many others: only a name tells. */
const KEY_BYTES = 32;

/**
 * IPFS: version 0, version 1 in base 58, and ids of peers. YouTube: playlists and channels. Places of Google. Node ids of GitHub. What follows `nonce-` in a policy for scripts.
 */
const FORMS = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|z(?:b2rh|dj7W)[1-9A-HJ-NP-Za-km-z]{44}|12D3KooW[1-9A-HJ-NP-Za-km-z]{44}|(?:PL|UU|FL|LL)[\w-]{32}|UC[\w-]{22}|OLAK5uy_[\w-]{33}|ChIJ[\w-]{23}|[A-Z][A-Za-z]{0,8}_(?:kw|lA)[A-Z][\w-]{8,40}|nonce-[\w+/-]{16,44}={0,2})$/;

// What public ids of services begin with. Keys, tokens and sessions have others.
const PREFIXED =
  /^(?:acct|asst|badge|batch|bpc|ca|call|card|ch|chatcmpl|cmpl|conv|cs|cus|di|dpl|evt|file|ftjob|fee|ica|ich|ii|il|in|inv|ipi|mandate|msg|ord|org|pa|pi|plink|pm|po|price|prj|prod|promo|prv|pst|py|pyr|qt|re|req|resp|run|seti|si|src|step|sub|team|thread|toolu|tr|txi|txn|txr|user|usr|vs)(?:_|(?<=chatcmpl|cmpl|file|ftjob|team|org|user|req|run|call)-)(?:(?:live|test)_)?[A-Za-z0-9]{14,96}$/;

const MOST_BEFORE = 100;
// `spotify:track:…`, `did:key:…`, `arn:aws:…`, `urn:…`
const SCHEME = /(?:^|[\s"'`(<=,[])(?:spotify:[a-z]{3,10}:|did:[a-z0-9]{2,12}:|urn:[a-z0-9-]{2,31}:|arn:aws[a-z-]{0,12}:[^\s"'`,]{0,90})$/;
const ETAG = /(?:^|[\s:,(["'/=])W\/\\?["']$/;
// `https://www.youtube.com/watch?v=…&list=…`
const IN_VIDEO_QUERY = /youtu(?:be\.com|\.be)\/[^\s"'`<>]{0,80}[?&](?:amp;)?(?:v|list|si|pp)=$/;
const OF_ADDRESS = /(?:address|wallet|mint|account|program|pubkey|public[ _-]?key)["']?\s?[:=]?\s?["']?$/i;

// `<CAKf6…@mail.example>`, as headers and JSON have them, in HTML too; a list of ids has several.
const OF_MAIL = /(?:<|&lt;)[\w.+=$%/-]{0,90}$/;
const MAIL_HOST = /^[\w.+=$%/-]{0,90}@[A-Za-z0-9][A-Za-z0-9.-]{0,90}(?:>|&gt;)/;
const GMAIL = /^[\w.+=-]{0,60}@mail\.gmail\.com\b/;
// What bundlers and tools write beside a page: a name, perhaps with a hash in it.
const ASSET = /^(?:\.[\w-]{1,24}){0,2}\.(?:js|mjs|cjs|css|map|wasm|woff2?|ttf|png|jpe?g|gif|svg|webp|avif|ico|mp[34]|html|pdf)(?![\w-])/;

/** Whether what stands from `start` to `end` in a text is an id that everybody may know. */
export function isPublicId(text: string, start: number, end: number): boolean {
  const run = text.slice(start, end);
  // With what a path has before and behind it: `//Qm…/readme`.
  if (run.includes("/") ? run.split("/").some(isPublicForm) : isPublicForm(run)) return true;
  const after = text.slice(end, end + 2 * MOST_BEFORE);
  if (ASSET.test(after) || GMAIL.test(after)) return true;
  const before = text.slice(Math.max(0, start - MOST_BEFORE), start);
  if (ETAG.test(before) || SCHEME.test(before) || IN_VIDEO_QUERY.test(before)) return true;
  if (MAIL_HOST.test(after) && OF_MAIL.test(before)) return true;
  return OF_ADDRESS.test(before) && isAccountKey(run);
}

function isPublicForm(run: string): boolean {
  return FORMS.test(run) || (PREFIXED.test(run) && !run.includes("secret")) || isAddress(run);
}

/** An address of Bitcoin and its kin: the length, and the checksum. */
function isAddress(run: string): boolean {
  if (run.length < 26 || run.length > 35) return false;
  const bytes = base58Bytes(run);
  return bytes?.length === ADDRESS_BYTES && endsInDigest(bytes);
}

/** Whether a text may be the key of an account of Solana, which is its address. */
export function isAccountKey(run: string): boolean {
  return run.length >= 32 && run.length <= 44 && base58Bytes(run)?.length === KEY_BYTES;
}
