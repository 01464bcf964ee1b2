import { createHash } from "node:crypto";
import { type Random, seededRandom } from "../../support/random.ts";
import { ALNUM, chars, DIGITS, HEX, LOWER, UPPER } from "./tokens.ts";

const URL_SAFE = `${ALNUM}-_`;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE32 = `${LOWER}234567`;
const bytesOf = (random: Random, count: number) => Uint8Array.from({ length: count }, () => random.below(256));

/** In base 58 by big numbers, as the code under test does not. */
function base58(bytes: Uint8Array): string {
  let text = "";
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`); rest > 0n; rest /= 58n) text = BASE58.charAt(Number(rest % 58n)) + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** An address of Bitcoin, with its checksum. */
export function bitcoinAddress(random: Random, version: number): string {
  const body = Uint8Array.from([version, ...bytesOf(random, 20)]);
  return base58(Uint8Array.from([...body, ...digestOf(digestOf(body)).subarray(0, 4)]));
}

/** The address of an account of Solana. */
export function accountKey(random: Random): string {
  return base58(Uint8Array.from([1 + random.below(255), ...bytesOf(random, 31)]));
}

const uuid = (random: Random) => [8, 4, 4, 4, 12].map((length) => chars(random, HEX, length)).join("-");
const word = (random: Random) => random.pick(["index", "vendor", "main", "chunk", "app", "settings"]);

/** Ids that everybody may know and that say so by their form, a checksum, or what always stands around them. */
export const TOLD: Readonly<Record<string, (random: Random) => string>> = {
  bitcoin: (random) => bitcoinAddress(random, random.pick([0, 5])),
  bech32: (random) => `bc1q${chars(random, "023456789acdefghjklmnpqrstuvwxyz", 38)}`,
  ethereum: (random) => `0x${chars(random, HEX, random.pick([40, 64]))}`,
  cidV0: (random) => base58(Uint8Array.from([0x12, 0x20, ...bytesOf(random, 32)])),
  cidV1: (random) => `bafybei${chars(random, BASE32, 52)}`,
  mailId: (random) => `<CA${chars(random, URL_SAFE, 24)}${random.pick(["=", "+", "_"])}${chars(random, URL_SAFE, 27)}@mail.gmail.com>`,
  otherMailId: (random) => `<${chars(random, ALNUM, 24)}@${word(random)}.example.com>`,
  spotify: (random) => `spotify:${random.pick(["track", "album", "playlist"])}:${chars(random, ALNUM, 22)}`,
  playlist: (random) => `PL${chars(random, URL_SAFE, 32)}`,
  playlistUrl: (random) => `https://www.youtube.com/watch?v=${chars(random, URL_SAFE, 11)}&list=RD${chars(random, URL_SAFE, 24)}`,
  channel: (random) => `UC${chars(random, URL_SAFE, 22)}`,
  place: (random) => `ChIJ${chars(random, URL_SAFE, 23)}`,
  weakEtag: (random) => `W/"${chars(random, ALNUM, 27)}"`,
  ulid: (random) => `01${chars(random, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)}`,
  uuid,
  commit: (random) => chars(random, HEX, 40),
  describe: (random) => `v1.${random.below(20)}.0-${random.below(90)}-g${chars(random, HEX, 10)}`,
  imageDigest: (random) => `registry.example.com/team/app@sha256:${chars(random, HEX, 64)}`,
  integrity: (random) => `sha512-${Buffer.from(bytesOf(random, 64)).toString("base64")}`,
  traceparent: (random) => `00-${chars(random, HEX, 32)}-${chars(random, HEX, 16)}-01`,
  arn: (random) => `arn:aws:lambda:eu-west-1:${chars(random, DIGITS, 12)}:layer:${chars(random, ALNUM, 24)}`,
  slackChannel: (random) => `C0${chars(random, UPPER + DIGITS, 9)}`,
  stripe: (random) => `${random.pick(["cus", "pi", "ch", "sub", "price", "seti", "re"])}_${chars(random, ALNUM, 24)}`,
  openAi: (random) => `${random.pick(["file-", "asst_", "thread_", "run_", "msg_", "call_"])}${chars(random, ALNUM, 24)}`,
  pod: (random) => `${word(random)}-${chars(random, HEX, 9)}-${chars(random, LOWER + DIGITS, 5)}`,
  asset: (random) => `${word(random)}-${word(random)}-${chars(random, ALNUM, 10)}.${random.pick(["js", "css", "js.map"])}`,
  drive: (random) => `https://docs.google.com/document/d/1${chars(random, URL_SAFE, 43)}/edit`,
  gitHubNode: (random) => `PR_kwDO${chars(random, ALNUM, 18)}`,
  didKey: (random) => `did:key:z6Mk${chars(random, BASE58, 44)}`,
  scriptNonce: (random) => `script-src 'nonce-${chars(random, ALNUM, 22)}=='`,
  doi: (random) => `10.${1000 + random.below(9000)}/s${chars(random, DIGITS, 5)}-0${chars(random, DIGITS, 2)}-${chars(random, DIGITS, 5)}-${random.below(9)}`,
};

/** Ids of which only a name, or the path that they are in, tells. */
export const UNTOLD: Readonly<Record<string, (random: Random) => string>> = {
  solana: accountKey,
  ksuid: (random) => `2${chars(random, ALNUM, 26)}`,
  nanoid: (random) => chars(random, URL_SAFE, 21),
  firestore: (random) => chars(random, ALNUM, 20),
  objectVersion: (random) => chars(random, `${ALNUM}._`, 32),
  driveFile: (random) => `1${chars(random, URL_SAFE, 32)}`,
  kafkaCluster: (random) => chars(random, URL_SAFE, 22),
  strongEtag: (random) => `"${chars(random, ALNUM, 27)}"`,
};

/** Each as it stands in a text: by itself, in prose, in JSON, in lists, in a path, under a name that says nothing, and under one of an id. */
export const FORMS: Readonly<Record<string, (id: string) => string>> = {
  bare: (id) => id,
  prose: (id) => `The item ${id} was found.`,
  json: (id) => JSON.stringify({ item: id, n: 1 }),
  list: (id) => `- ${id}\n- b`,
  cells: (id) => `x,${id},y`,
  path: (id) => `https://example.com/i/${id}`,
  value: (id) => `value=${id}`,
  id: (id) => JSON.stringify({ id }),
};

export interface PublicId {
  readonly kind: string;
  readonly form: string;
  readonly text: string;
}

/** So many texts of each kind in each form. */
export function* publicIds(kinds: Readonly<Record<string, (random: Random) => string>>, seed: number, each = 30): Generator<PublicId> {
  const random = seededRandom(seed);
  for (const [kind, make] of Object.entries(kinds)) for (const [form, put] of Object.entries(FORMS)) for (let count = 0; count < each; count++) yield { kind, form, text: put(make(random)) };
}
