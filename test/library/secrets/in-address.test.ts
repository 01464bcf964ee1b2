import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../support/random.ts";
import { TOKENS } from "../corpus/tokens.ts";
import { found } from "./found.ts";

const ID = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms";

test("leaves random ids in paths of URLs and of files alone", () => {
  for (const text of [
    `https://docs.example.com/spreadsheets/d/${ID}/edit#gid=0`,
    `see https://localhost/${ID}, please`,
    `[the document](https://h.example/d/${ID})`,
    `{"url":"https://h.example/d/${ID}?page=2"}`,
    `{"url":"https:\\/\\/h.example\\/d\\/${ID}\\/edit"}`,
    `next=https%3A%2F%2Fh.example%2Fd%2F${ID}%2Fedit`,
    "s3://bucket/logs/aZ3kQ9mX2pL7vB4nT8wR/x",
    `uploads/${ID}.png`,
    `/var/lib/app/${ID}`,
    `C:\\files\\${ID}\\a`,
    "https://www.example.so/My-Page-1f2e3d4c5b6a7988a1b2c3d4e5f60718",
  ]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("finds what is random elsewhere in a URL, and in a path behind a name that says what it opens", () => {
  for (const text of [
    `https://h.example/x?code=${ID}`,
    `https://h.example/x?sig=${ID}&page=2`,
    `https://h.example/x#${ID}`,
    `https://${ID}@h.example/x`,
    `https://h.example/api/webhooks/1234567890123/${ID}`,
    `https://h.example/reset/${ID}`,
    `https://h.example/v1/api_key/${ID}/info`,
    `/run/secrets/${ID}`,
    `user/${ID}`,
    `at \\${ID}`,
    `id ${ID}`,
  ]) {
    const [match = "", ...others] = found(text);
    assert.ok(match.includes(ID) && others.length === 0, text);
  }
});

test("finds the tokens of providers in paths, too, and what is assigned to a name in one", () => {
  const token = TOKENS["github"]!(seededRandom(1));
  assert.deepEqual(found(`https://h.example/a/${token}/b`), [`provider-token: ${token}`]);
  assert.deepEqual(found(`https://h.example/a;token=f15e8a7bc2/b`), ["assignment: f15e8a7bc2/b"]);
});
