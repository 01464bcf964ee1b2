import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

const NUMBERS: readonly [text: string, number?: string][] = [
  ["123-45-6789"],
  ["123 45 6789"],
  ["001-01-0001"],
  ["899-99-9999"],
  ["665-12-3456"],
  ["667-12-3456"],
  ["078-05-1120"],
  ["219-09-9999"],
  ["SSN: 123-45-6789", "123-45-6789"],
  ["SSN:123-45-6789", "123-45-6789"],
  ["ssn=123-45-6789;", "123-45-6789"],
  ["ssn_123-45-6789", "123-45-6789"],
  ["(123-45-6789)", "123-45-6789"],
  ["my number is 123-45-6789.", "123-45-6789"],
  ['{"ssn":"123-45-6789"}', "123-45-6789"],
  [String.raw`a\n123-45-6789`, "123-45-6789"],
  ["123\u201145\u20116789"],
  ["123\u00a045\u00a06789"],
  ["１２３-４５-６７８９"],
  ["123–45–6789"],
  ["社保123-45-6789号", "123-45-6789"],
];

const OTHERS: readonly string[] = [
  "123456789",
  "000-12-3456",
  "666-12-3456",
  "900-12-3456",
  "999-99-9999",
  "123-00-4567",
  "123-45-0000",
  "123-45 6789",
  "123 45-6789",
  "123.45.6789",
  "123/45/6789",
  "12-345-6789",
  "123-456-789",
  "1234-56-7890",
  "123-45-67890",
  "a123-45-6789",
  "123-45-6789b",
  "123--45-6789",
  "123-45-678",
  "0.123-45-6789",
  "123-45-6789.5",
  "2024-01-02",
];

test("finds social security numbers", () => {
  for (const [text, number = text] of NUMBERS) assert.deepEqual(found("ssn", text), [number], text);
});

test("takes no number out of range, without or with other separators for one", () => {
  for (const text of OTHERS) assert.deepEqual(found("ssn", text), [], text);
});
