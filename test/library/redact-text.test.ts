import assert from "node:assert/strict";
import { test } from "node:test";
import { SENSITIVE_TYPES } from "../../src/library/detect/scan.ts";
import { createRedactText, type Tally } from "../../src/library/redact-text.ts";
import { seededRandom } from "../support/random.ts";

const masks = new Map(SENSITIVE_TYPES.map((type) => [type, `[${type}]`] as const));
const redactText = createRedactText({ types: SENSITIVE_TYPES, masks, allow: new Set() });

test("puts the mask of its type in place of each match, and counts them", () => {
  const tally: Tally = new Map();
  assert.equal(redactText("a@example.com, b@example.com or +14155550123!", tally), "[email], [email] or [phone]!");
  assert.deepEqual([...tally], [["email", 2], ["phone", 1]]);
});

test("gives back the same text where nothing is found", () => {
  assert.equal(redactText("12 apples at 9:30, see §4.1.2 @noon"), "12 apples at 9:30, see §4.1.2 @noon");
  assert.equal(redactText(""), "");
});

test("reads again what stood next to a match", () => {
  // The plus is glued to a digit at first, so the second number shows only when the first is gone.
  assert.equal(redactText("123-45-6789+14155550123"), "[ssn][phone]");
});

test("reads again a fixed number of times, however long the chain", () => {
  const redacted = redactText(`123-45-6789${"+14155550123".repeat(50_000)}`);
  assert.ok(redacted.startsWith("[ssn][phone][phone][phone]+14155550123+"));
});

test("keeps surrogate pairs and control characters around a match", () => {
  assert.equal(redactText("😀bob@example.com😀\u0000\ud800"), "😀[email]😀\u0000\ud800");
});

test("keeps JSON text readable", () => {
  const text = JSON.stringify({ note: "line\nbob@example.com\tx", "café": "é\u2028a@example.com", ip: "10.0.0.1" });
  assert.deepEqual(JSON.parse(redactText(text)), { note: "line\n[email]\tx", "café": "é\u2028[email]", ip: "[ip]" });
});

test("changes nothing in its own output, however matches and masks are glued together", () => {
  const tokens = [
    ..."bob@example.com|+14155550123|4111 1111 1111 1111|4111111111111111|DE89370400440532013000|123-45-6789|10.0.0.1|2001:db8::1|020 7946 0958".split("|"),
    ..."[email]|[phone]|@|.|-|+|:|::| |,|(|)|a|1|0|/|%|\\|\\n|example.com|1.2.3|２|中|é|fe80|x@2x".split("|"),
  ];
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = seededRandom(seed);
    const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(tokens)).join("");
    const once = redactText(text);
    assert.equal(redactText(once), once, `seed ${seed}: ${JSON.stringify(text)}`);
  }
});

test("leaves no token in the clear that stands alone between words", () => {
  const tokens = "bob@example.com|+14155550123|4111 1111 1111 1111|DE89370400440532013000|123-45-6789|10.0.0.1|2001:db8::1|020 7946 0958".split("|");
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const used = Array.from({ length: 1 + random.below(5) }, () => random.pick(tokens));
    const redacted = redactText(used.join(random.pick([", ", " and ", "; ", "\n", " | "])));
    for (const token of used) assert.ok(!redacted.includes(token), `seed ${seed}: ${token} in ${redacted}`);
  }
});
