import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { headersOption } from "../../src/cli/headers.ts";

const read = (...words: string[]) => headersOption(new Map([["header", words]]));

test("a header is a name and a value behind the first colon or equals sign, with or without a blank", () => {
  assert.deepEqual(read("Authorization: Bearer a=b:c", "X-A=1:2", "X-Empty:"), { Authorization: "Bearer a=b:c", "X-A": "1:2", "X-Empty": "" });
  assert.equal(headersOption(new Map()), undefined);
});

test("what is no header is refused without its value", () => {
  for (const word of ["Bearer s3cret", "Bearer s3=cret", ":s3cret", "s3cret", "A\n: s3cret", "A: s3cret\r\nB: 1", "Accept: s3cret", "Ä: s3cret"]) {
    assert.throws(() => read(word), (thrown) => thrown instanceof UsageError && /^--header/.test(thrown.message) && !`${thrown.message} ${thrown.hint}`.includes("s3"), word);
  }
});
