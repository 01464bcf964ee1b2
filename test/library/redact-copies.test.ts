import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../src/core/chain/chain.ts";
import { disagreement } from "../../src/core/guard/result-agreement.ts";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import { redact } from "../../src/library/redact.ts";
import { secretGuard } from "../../src/library/secret-guard.ts";
import { seededRandom } from "../support/random.ts";

const CARD = 4111111111111111;

async function redacted(payload: Record<string, unknown>, by: readonly Interceptor[] | Interceptor = redact()): Promise<Record<string, unknown>> {
  const chain = createChain();
  chain.add(by);
  const result = await chain.execute({ event: "tools/call", phase: "response", payload });
  return result.finalPayload as Record<string, unknown>;
}

test("text that repeats structured content says the same as it once both are redacted", async () => {
  const values = [{ card: CARD, mail: "ann@example.com" }, { lines: "hello\nann@example.com" }, { quoted: 'x "ann@example.com"' }, { "ann@example.com": 1 }, [CARD]];
  for (const value of values) {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const payload = { content: [{ type: "text", text: "ann@example.com" }, { type: "text", text, annotations: { priority: 1 } }], structuredContent: value };
      const after = await redacted(payload);
      assert.equal(disagreement(payload, after), undefined, text);
      assert.doesNotMatch(JSON.stringify(after), /4111|example/);
      assert.deepEqual((after["content"] as object[]).map((block) => Object.keys(block)), [["type", "text"], ["type", "text", "annotations"]]);
    }
  }
});

test("a copy that is redacted as well as its original keeps its spelling", async () => {
  const text = '{ "big": 1915883588174806058, "mail": "ann@example.com" }';
  const after = await redacted({ content: [{ type: "text", text }], structuredContent: JSON.parse(text) });
  assert.deepEqual(after["content"], [{ type: "text", text: '{ "big": 1915883588174806058, "mail": "[REDACTED:email]" }' }]);
});

test("text that repeats nothing is redacted as text", async () => {
  for (const structuredContent of [undefined, { other: CARD }]) {
    const after = await redacted({ content: [{ type: "text", text: `{"card":${CARD}}` }], structuredContent });
    assert.deepEqual(after["content"], [{ type: "text", text: '{"card":[REDACTED:card]}' }]);
  }
});

test("a number that is negative is one, too, and one that is kept is kept in text", async () => {
  const results = async (value: object, by?: Interceptor) => {
    const payload = { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
    const after = await redacted(payload, by);
    assert.equal(disagreement(payload, after), undefined);
    return after["structuredContent"];
  };
  assert.deepEqual(await results({ x: -CARD }), { x: "[REDACTED:card]" });
  assert.deepEqual(await results({ x: CARD, y: "ann@example.com" }, redact({ numbers: "keep" })), { x: CARD, y: "[REDACTED:email]" });
});

test("what shows in text alone is masked in the data, too", async () => {
  for (const [value, left] of [
    [{ label: "Password", value: "hunter2x" }, /hunter2x/],
    [{ password: "+34 646 401 519" }, /646/],
    [{ a: [{ password: "p w d 1" }], mail: "x" }, /p w d 1/],
  ] as const) {
    const payload = { content: [{ type: "text", text: JSON.stringify(value, null, 2) }], structuredContent: value };
    const after = await redacted(payload, secretGuard());
    assert.equal(disagreement(payload, after), undefined, JSON.stringify(after));
    assert.doesNotMatch(JSON.stringify(after), left);
  }
});

test("what is random in the data is an id in its copy, too, where its members say so, and none where they do not", async () => {
  const random = "kX9vQ2mZ7tRb4LwN8sYc";
  const ids = [{ id: { value: random } }, { id: { kind: "x", value: random } }, { value: random, name: "fileId" }, { ids: ["a", random] }];
  for (const [values, isLeft] of [[ids, true], [[{ other: { value: random } }, { id: `${random} and so on` }], false]] as const) {
    for (const value of values) {
      const payload = { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
      const after = await redacted(payload, secretGuard());
      assert.equal(disagreement(payload, after), undefined);
      assert.equal(JSON.stringify(after).includes(random), isLeft, JSON.stringify(after));
    }
  }
});

const NAMES = ["name", "value", "label", "key", "id", "password", "token", "secret", "user", "email", "phone", "default", "env", "args", "url", "x", "answer", "apiKey", "data", "rows", "code", "auth"];
const TEXTS = ["password", "Password", "ada", "hunter2x9", "Tr0ub4dor565x", "--password", "token", "DB_PASSWORD", "API key", "Passwort:", "Bearer", "default", "+49", "30 1234567", "+34 646 401 519", "ann@example.com", "4111111111111111", "198.51.100.7", "a\nb", "the password is", "secret", "x=1", "", "-u"];
const NUMBERS = [17, 123456, CARD, -CARD, 30123456, 4.5];

test("whatever a result says in data and in text, it says the same once it is masked", async () => {
  const random = seededRandom(8);
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const node = (depth: number): unknown => {
    if (depth > 2 || random.below(3) > 0) return random.below(4) === 0 ? pick([...NUMBERS, true, null]) : pick(TEXTS);
    const items = Array.from({ length: 1 + random.below(4) }, () => node(depth + 1));
    return random.below(2) === 0 ? items : Object.fromEntries(items.map((item) => [pick(NAMES), item]));
  };
  for (const by of [redact(), redact({ numbers: "keep" }), secretGuard()]) {
    for (let turn = 0; turn < 1_500; turn++) {
      const value = { r: node(0), [pick(NAMES)]: node(1) };
      const payload = { content: [{ type: "text", text: JSON.stringify(value, null, random.below(2) * 2) }], structuredContent: value };
      assert.equal(disagreement(payload, await redacted(payload, by)), undefined, JSON.stringify(value));
    }
  }
});
