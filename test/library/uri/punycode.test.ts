import assert from "node:assert/strict";
import { test } from "node:test";
import { domainToASCII } from "node:url";
import { decodeLabel } from "../../../src/library/uri/punycode.ts";
import { seededRandom } from "../../support/random.ts";

test("reads labels as their encoder wrote them", () => {
  for (const label of ["bücher", "пример", "gіthub", "例え", "ليهمابتكلموشعربي", "a-bü-c", "faß2"]) assert.equal(decodeLabel(domainToASCII(label)), label, label);
  for (const label of ["example", "xn-a", ""]) assert.equal(decodeLabel(label), label);
  const random = seededRandom(7);
  const letters = [..."abz09üїπ例え語😀ё"];
  for (let round = 0; round < 500; round++) {
    const label = `a${Array.from({ length: 1 + random.below(8) }, () => random.pick(letters)).join("")}`;
    const ascii = domainToASCII(label);
    if (ascii !== "") assert.equal(decodeLabel(ascii), label.normalize("NFC"), ascii);
  }
});

test("refuses what no encoder writes", () => {
  for (const label of ["xn--", "xn--abc-", "xn--99999999", "xn--ü", "xn--ü-kva", "xn--a_", `xn--${"9".repeat(59)}`, `xn--${"a".repeat(60)}`]) assert.equal(decodeLabel(label), undefined, label);
});
