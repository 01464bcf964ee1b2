import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

// The registry's and the banks' own examples.
const ACCOUNTS: readonly string[] = [
  "DE89370400440532013000",
  "DE89 3704 0044 0532 0130 00",
  "DE89-3704-0044-0532-0130-00",
  "de89370400440532013000",
  "GB82WEST12345698765432",
  "GB82 WEST 1234 5698 7654 32",
  "GB29NWBK60161331926819",
  "FR1420041010050500013M02606",
  "FR14 2004 1010 0505 0001 3M02 606",
  "NL91ABNA0417164300",
  "BE68539007547034",
  "CH9300762011623852957",
  "AT611904300234573201",
  "ES9121000418450200051332",
  "IT60X0542811101000000123456",
  "NO9386011117947",
  "SE4550000000058398257466",
  "DK5000400440116243",
  "FI2112345600000785",
  "PT50000201231234567890154",
  "PL61109010140000071219812874",
  "IE29AIBK93115212345678",
  "MT84MALT011000012345MTLCAST001S",
  "SA0380000000608010167519",
];

const OTHERS: readonly string[] = [
  "DE89370400440532013001",
  "DE8937040044053201300",
  "DE893704004405320130000",
  "GB82WEST12345698765433",
  "XX89370400440532013000",
  "ZZ12345678901234567890",
  "DE",
  "DE89",
  "DE89 3704",
  "US64SVBKUS6S3300958879",
  "ADE89370400440532013000",
  "1DE89370400440532013000",
  "DE8 9370400440532013000",
  "DE89  3704 0044 0532 0130 00",
  "DE893 7040 0440 5320 1300 0",
  "NO9386011117948",
  "NL91ABNA0417164301",
  "BE68539007547035",
  "id3f1a2b3c4d5e6f708192a3b4",
  "at611904300234573202",
  "MD5 d41d8cd98f00b204e9800998ecf8427e",
];

test("finds account numbers of many countries, in one piece and in groups", () => {
  for (const text of ACCOUNTS) {
    assert.deepEqual(found("iban", text), [text], text);
    assert.deepEqual(found("iban", `to "${text}".`), [text], text);
  }
});

test("takes no wrong check sum, length, country or grouping for an account number", () => {
  for (const text of OTHERS) assert.deepEqual(found("iban", text), [], text);
});
