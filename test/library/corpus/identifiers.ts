import type { Random } from "../../support/random.ts";
import { ALNUM, chars, DIGITS, HEX, LOWER } from "./tokens.ts";

const URL_SAFE = `${ALNUM}-_`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Ids, cursors, versions and addresses as services make them, under the names that they have there. */
const IDENTIFIERS: readonly (readonly [names: string, make: (random: Random) => string])[] = [
  ["fileId file_id id folderId spreadsheetId documentId", (random) => `1${chars(random, URL_SAFE, 32)}`],
  ["fileId spreadsheet_id docId", (random) => `1${chars(random, URL_SAFE, 43)}`],
  ["id itemId publicId", (random) => chars(random, URL_SAFE, 21)],
  ["playlistId playlist_id", (random) => `PL${chars(random, URL_SAFE, 32)}`],
  ["channelId channel_id id", (random) => `UC${chars(random, URL_SAFE, 22)}`],
  ["fileKey file_key", (random) => chars(random, ALNUM, 22)],
  ["pageToken nextPageToken page_token next_page_token syncToken", (random) => chars(random, URL_SAFE, 40 + random.below(60))],
  ["cursor nextCursor next_cursor endCursor after before next marker", (random) => chars(random, URL_SAFE, 24 + random.below(60))],
  ["cursor after", (random) => base64(`cursor:${chars(random, ALNUM, 30)}`)],
  ["nodeId node_id pullRequestId threadId", (random) => `PRRT_kwDO${chars(random, ALNUM, 17)}`],
  ["messageId message_id conversationId", (random) => `AAMkAG${chars(random, URL_SAFE, 140)}=`],
  ["trackId album_id", (random) => chars(random, ALNUM, 22)],
  ["cid rootCid", (random) => `Qm${chars(random, ALNUM, 44)}`],
  ["address fromAddress", (random) => `1${chars(random, ALNUM, 33)}`],
  ["address", (random) => chars(random, ALNUM, 44)],
  ["versionId VersionId version", (random) => chars(random, `${ALNUM}._`, 32)],
  ["uid userId user_id ownerUid", (random) => chars(random, ALNUM, 28)],
  ["user_id sub_id", (random) => `auth0|${chars(random, HEX, 24)}`],
  ["openid openId", (random) => `o${chars(random, URL_SAFE, 27)}`],
  ["place_id placeId", (random) => `ChIJN1t_tDeuEmsR${chars(random, URL_SAFE, 11)}`],
  ["jobId job_id", (random) => `job_${chars(random, URL_SAFE, 28)}`],
  ["account_id accountIds", (random) => chars(random, ALNUM, 37)],
  ["eventId calendarEventId", (random) => chars(random, LOWER + DIGITS, 26)],
  ["digest hash contentHash etag", (random) => chars(random, `${ALNUM}+/`, 43)],
];

export function identifier(random: Random): { readonly name: string; readonly value: string } {
  const [names, make] = random.pick(IDENTIFIERS);
  return { name: random.pick(names.split(" ")), value: make(random) };
}

/** In JSON, once more in JSON, in a query, in YAML, in XML. */
export function identifierText(random: Random): string {
  const { name, value } = identifier(random);
  return random.pick([
    () => JSON.stringify({ items: [{ [name]: value, title: "x" }] }),
    () => JSON.stringify({ [name]: value }, undefined, 2),
    () => JSON.stringify({ text: JSON.stringify({ [name]: value }) }),
    () => `title: x\n${name}: ${value}\n`,
    () => `https://example.com/list?size=5&${name}=${value}`,
    () => `<item><${name}>${value}</${name}></item>`,
  ])();
}
