import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicKey, isWrapped, publicBlocks } from "../../../src/library/secrets/public-data.ts";
import { createFindSecrets } from "../../../src/library/secrets/scan.ts";
import { seededRandom } from "../../support/random.ts";
import { ALNUM, chars } from "../corpus/tokens.ts";

const random = seededRandom(1);
const line = (length: number) => chars(random, `${ALNUM}+/`, length);
const find = createFindSecrets();

test("knows the bodies of public blocks, and not those of private ones", () => {
  const text = `a\n-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----BEGIN PUBLIC KEY-----\nde`;
  assert.deepEqual(publicBlocks(text).map(({ start, end }) => text.slice(start, end).trim()), ["abc", "de"]);
});

test("leaves certificates, public keys and wrapped data alone, in JSON text too", () => {
  const wrapped = [...Array.from({ length: 5 }, () => line(76)), `${line(30)}==`].join("\n");
  const block = (label: string) => `-----BEGIN ${label}-----\n${[line(64), line(64), line(40)].join("\n")}\n-----END ${label}-----`;
  for (const text of [wrapped, wrapped.replaceAll("\n", "\r\n"), block("CERTIFICATE"), block("PUBLIC KEY"), `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${line(43)} me@host`]) {
    assert.deepEqual(find(text), [], text);
    assert.deepEqual(find(JSON.stringify({ text })), [], JSON.stringify(text));
  }
});

test("does not take a long value for the first line of data because another setting follows", () => {
  const value = line(64);
  assert.equal(isWrapped(`A=${value}\nB=1`, 2, 66), false);
  assert.equal(isWrapped(`${value}\n${line(12)}=\n`, 0, 64), true);
  assert.equal(isWrapped(`${value}\n`, 0, 64), false);
});

test("knows the public keys of OpenSSH by how they begin", () => {
  assert.equal(isPublicKey("AAAAB3NzaC1yc2EAAAADAQABAAABgQC7"), true);
  assert.equal(isPublicKey("AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY"), true);
  assert.equal(isPublicKey(line(40)), false);
});
