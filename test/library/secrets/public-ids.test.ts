import assert from "node:assert/strict";
import { test } from "node:test";
import { base58Bytes } from "../../../src/library/secrets/base58.ts";
import { secretGuard } from "../../../src/library/secret-guard.ts";
import { seededRandom } from "../../support/random.ts";
import { accountKey, publicIds, TOLD, UNTOLD } from "../corpus/public-ids.ts";
import { assertLinear } from "../linear.ts";
import { verdictOf } from "../verdict-of.ts";
import { found } from "./found.ts";

test("leaves ids alone that say by their form, a checksum or what stands around them that they are public", () => {
  for (const { kind, form, text } of publicIds(TOLD, 1)) assert.deepEqual(found(text), [], `${kind}, ${form}: ${text}`);
});

test("masks other random ids where no name and no path tells, as its README says", () => {
  const texts = [...publicIds(UNTOLD, 1)];
  const masked = texts.filter(({ text }) => found(text).length > 0);
  assert.deepEqual([texts.length, masked.length], [1920, 1443]);
  assert.deepEqual(masked.filter(({ kind, form }) => kind !== "strongEtag" && (form === "path" || form === "id")), []);
});

test("finds what only begins like a public id, or has a wrong checksum", () => {
  for (const text of [
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
    // A private key of Bitcoin has a right checksum, too.
    "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
    "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH",
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBd0",
    "PLrAXtmErZgOeiKm4sgNOknGvNjby9efdfX2",
    "key_BX9a2QzKx7dP2mQ9vRt4WzLs",
  ]) assert.deepEqual(found(`see ${text} there`), [`high-entropy: ${text}`], text);
  for (const text of ["wallet 5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "user <BX9a2QzKx7dP2mQ9vRt4WzLs>", "BX9a2QzKx7dP2mQ9vRt4WzLs.json5 is it"]) assert.equal(found(text).length, 1, text);
});

test("takes the key of an account for an address where a name says so", () => {
  const random = seededRandom(4);
  const guard = secretGuard({ action: "block" })[0];
  const judge = (args: object) => verdictOf(guard, { event: "tools/call", phase: "request", payload: { name: "t", arguments: args as never } });
  for (let count = 0; count < 20; count++) {
    const key = accountKey(random);
    for (const name of ["wallet", "mint", "fromAccount", "recipient", "address"]) assert.equal(judge({ [name]: key }), "pass", name);
    for (const text of [`Wallet: ${key}`, `the mint ${key}`, `"account": "${key}"`]) assert.deepEqual(found(text), [], text);
    assert.match(judge({ note: key }), /high-entropy/);
    assert.match(judge({ privateAccountKey: key }), /secret/);
  }
  // What has the name and is no such key.
  assert.match(judge({ wallet: "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ" }), /high-entropy/);
});

test("reads base 58 with zeros at its start, and nothing else", () => {
  assert.deepEqual([...base58Bytes("112")!], [0, 0, 1]);
  assert.deepEqual([...base58Bytes("5Q")!], [255]);
  for (const text of ["0", "O", "I", "l", "a b", "\u00e9", "2".repeat(101)]) assert.equal(base58Bytes(text), undefined, text);
});

test("takes time in proportion to the text", () => {
  assertLinear(found, "The item 2oXhLEw4FewsmeHfZtvh6fObgdp was found. ", ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb ", "<aB3dE5gH7jK9mN1pQ3s", "W/\"aB3dE5gH7jK9mN1pQ3sT", "spotify:", "aB3dE5gH7jK9mN1pQ3s.", "arn:aws:"]);
});
