import assert from "node:assert/strict";
import { test } from "node:test";
import { namesIdentifier } from "../../../src/library/secrets/identifier-names.ts";
import { seededRandom } from "../../support/random.ts";
import { identifierText } from "../corpus/identifiers.ts";
import { TOKENS } from "../corpus/tokens.ts";
import { found } from "./found.ts";

const ID = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms";

test("knows names of ids, cursors, versions and addresses by their last word, and none that speaks of secrets", () => {
  for (const name of ["id", "fileId", "file_id", "fileIDs", "item-ids", "nextPageToken", "page_token", "endCursor", "after", "VersionId", "ETag", "contentHash", "hashes", "fileKey", "baseUri", "filePath"]) {
    assert.ok(namesIdentifier(name, true), name);
  }
  for (const name of ["value", "token", "tokenId", "secretId", "secret_name", "accessKeyId", "apiKeyVersion", "authId", "oauth_nonce", "passwordHash", "openaiKey", "sig", "identity", "paid", "data", `${"a".repeat(80)}Id`]) {
    assert.ok(!namesIdentifier(name, false), name);
  }
  assert.ok(namesIdentifier("authorId", true));
  for (const name of ["key", "sessionId"]) assert.deepEqual([namesIdentifier(name, false), namesIdentifier(name, true)], [true, false], name);
});

test("leaves what is assigned to such a name in a text alone", () => {
  const random = seededRandom(8);
  for (let count = 0; count < 500; count++) {
    const text = identifierText(random);
    assert.deepEqual(found(text), [], text);
  }
  for (const text of [`id: ${ID}`, `id=${ID}`, `"fileId":"${ID}"`, `\\"fileId\\": \\"${ID}\\"`, `"ids": ["${ID}"]`, `?cursor=${ID}&n=1`, `etag: W/"${ID}"`, `user_id: auth0|${ID}`, `<VersionId>${ID}</VersionId>`, `"key":"${ID}"`]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("finds what is random under other names, behind no name, and what is a secret by its form or name", () => {
  for (const text of [`key: ${ID}`, `key=${ID}`, `session_id=${ID}`, `id ${ID}`, `tokenId: ${ID}`, `value=${ID}`, `id: 5, ${ID}`, `id: x y ${ID}`, `<key>${ID}</key>`, `grid: ${ID}`]) assert.deepEqual(found(text), [`high-entropy: ${ID}`], text);
  const token = TOKENS["github"]!(seededRandom(1));
  assert.deepEqual(found(`"fileId":"${token}"`), [`provider-token: ${token}`]);
  assert.deepEqual(found(`id: ${ID}`, { known: [ID] }), [`known: ${ID}`]);
});
