import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../src/core/chain/chain.ts";
import { redact } from "../../src/library/redact.ts";
import { disagreement } from "../../src/core/guard/result-agreement.ts";

const CARD = 4111111111111111;

async function redacted(payload: Record<string, unknown>): Promise<Record<string, unknown>> {
  const chain = createChain();
  chain.add(redact());
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
