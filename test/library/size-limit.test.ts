import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sizeLimit, type SizeLimitConfig } from "../../src/library/size-limit.ts";
import { invoke } from "./invoke.ts";

function judge(config: SizeLimitConfig, payload: unknown, phase: "request" | "response" = "request", event = "tools/call") {
  const [limit] = sizeLimit(config);
  assert.ok(limit !== undefined);
  const result = invoke(limit, { event, phase, payload }) as { valid?: boolean; messages?: { message: string; path?: string }[] };
  return result.valid === true ? "passes" : `${result.messages?.[0]?.message} at ${result.messages?.[0]?.path}`;
}

function truncate(config: SizeLimitConfig, payload: object) {
  const interceptor = sizeLimit({ ...config, action: "truncate" })[1];
  assert.ok(interceptor !== undefined);
  const { payload: after, info, ...rest } = invoke(interceptor, { event: "tools/call", phase: "response", payload }) as unknown as { payload?: { content: { type: string; text: string }[] }; info?: object; modified?: boolean };
  return { after, info, modified: rest.modified };
}

const text = (value: string) => ({ type: "text", text: value });

describe("size-limit", () => {
  it("lets pass what is just at its bounds, and refuses one more, with the place", () => {
    // {"a":"…"}
    const bytes = (count: number) => ({ a: "x".repeat(count - 8) });
    assert.equal(judge({ maxBytes: 256 }, bytes(255)), "passes");
    assert.equal(judge({ maxBytes: 256 }, bytes(300)), "Too large: more than 256 bytes in all at ");
    assert.equal(judge({ maxTextBytes: 256 }, { a: ["é".repeat(128)] }), "passes");
    assert.equal(judge({ maxTextBytes: 256 }, { a: ["é".repeat(129)] }), "Too large: a text of more than 256 bytes at /a/0");
    assert.equal(judge({ maxItems: 3 }, { a: [1, 2, 3] }), "passes");
    assert.equal(judge({ maxItems: 3 }, { a: [1, 2, 3, 4] }), "Too large: more than 3 items at /a");
    assert.equal(judge({ maxItems: 3 }, { "x/y": { a: 1, b: 2, c: 3, d: 4 } }), "Too large: more than 3 members at /x~1y");
    assert.equal(judge({ maxDepth: 2 }, { a: { b: 1 } }), "passes");
    assert.equal(judge({ maxDepth: 2 }, { a: { b: [] } }), "Too large: more than 2 levels at /a/b");
  });

  it("refuses by the validator what cannot be cut, in the words of block, and cuts texts of lone surrogates", () => {
    const bounds = { maxBytes: 2000, maxTextBytes: 300, maxDepth: 10 };
    const deep = Array.from({ length: 30 }).reduce<object>((inner) => ({ inner }), {});
    for (const payload of [{ content: [], _meta: { x: "y".repeat(5000) } }, { content: [text("a".repeat(400))], _meta: deep }]) {
      const refused = judge({ ...bounds, action: "truncate" }, payload, "response");
      assert.match(refused, /^Too large: /);
      assert.equal(refused, judge(bounds, payload, "response"));
      assert.equal(truncate(bounds, payload).modified, false);
    }
    for (const lone of ["\ud800", "\udc00"]) {
      const surrogates = { content: [text(lone.repeat(400))] };
      assert.equal(judge({ ...bounds, action: "truncate" }, surrogates, "response"), "passes");
      assert.equal(judge(bounds, truncate(bounds, surrogates).after, "response"), "passes");
    }
  });

  it("counts bytes within a few of what JSON takes", () => {
    const payload = { list: Array.from({ length: 50 }, (_, index) => ({ index, name: `n${index}`, flag: true, none: null })) };
    const bytes = JSON.stringify(payload).length;
    assert.equal(judge({ maxBytes: bytes + 200 }, payload), "passes");
    assert.notEqual(judge({ maxBytes: bytes - 200 }, payload), "passes");
  });

  it("judges requests and answers, errors too, of all methods, or of those that it is told", () => {
    const [all] = sizeLimit();
    assert.deepEqual(all?.descriptor.hooks, [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }]);
    assert.equal(all?.handlesErrors, true);
    assert.notEqual(judge({ maxBytes: 256 }, { error: { code: 1, message: "x".repeat(500) } }, "response"), "passes");
    assert.deepEqual(sizeLimit({ events: ["tools/*"] })[0]?.descriptor.hooks[0]?.events[0]?.startsWith("tools/"), true);
  });

  it("cuts a tool's texts, not through a character, and says so in their place", () => {
    const { after, info, modified } = truncate({ maxTextBytes: 256 }, { content: [text("😀".repeat(200)), text("short")] });
    assert.equal(modified, true);
    const [first, second] = after?.content ?? [];
    assert.match(first?.text ?? "", /^(😀)+\n\[truncated: \d+ of 400 characters\]$/u);
    assert.ok(Buffer.byteLength(first?.text ?? "") <= 256);
    assert.deepEqual(second, text("short"));
    assert.deepEqual(info, { truncated: { texts: 1, blocks: 0 } });
  });

  it("leaves out the last blocks of what is too large in all, and says how many", () => {
    const { after, info } = truncate({ maxBytes: 1000 }, { content: Array.from({ length: 30 }, (_, index) => text(`${index} ${"y".repeat(80)}`)), _meta: { "x/y": 1 } });
    assert.ok(JSON.stringify(after).length <= 1000);
    assert.match(after?.content.at(-1)?.text ?? "", /^\[truncated: \d+ of 30 blocks are left out\]$/);
    assert.ok((after?.content.length ?? 0) >= 7);
    assert.deepEqual((after as { _meta?: unknown })._meta, { "x/y": 1 });
    assert.ok((info as { truncated: { blocks: number } }).truncated.blocks > 20);
    const items = truncate({ maxItems: 5 }, { content: Array.from({ length: 9 }, () => text("a")) });
    assert.equal(items.after?.content.length, 5);
  });

  it("cuts what escapes make longer", () => {
    const { after } = truncate({ maxBytes: 600 }, { content: [text('"\u0001\n'.repeat(300))] });
    assert.ok(JSON.stringify(after).length <= 600);
  });

  it("changes nothing that fits, and fails what cannot be cut: that blocks it", () => {
    assert.equal(truncate({ maxBytes: 1000 }, { content: [text("fine")] }).modified, false);
    // The block beside the cut leaves alone what is the mutator's, and nothing else.
    const long = { content: [text("x".repeat(2000))] };
    assert.equal(judge({ maxBytes: 300, action: "truncate" }, long, "response"), "passes");
    assert.notEqual(judge({ maxBytes: 300, action: "truncate" }, { ...long, structuredContent: {} }, "response"), "passes");
    assert.notEqual(judge({ maxBytes: 300, action: "truncate" }, long, "request"), "passes");
    assert.notEqual(judge({ maxBytes: 300, action: "truncate" }, long, "response", "resources/read"), "passes");
  });

  it("runs after what redacts, so that nothing is cut in half before it is found", () => {
    assert.equal(sizeLimit({ action: "truncate" })[1]?.descriptor.priorityHint, 2000);
  });

  it("refuses configs that do not fit", () => {
    for (const [config, place] of [[{ maxBytes: 10 }, "maxBytes"], [{ maxItems: 0 }, "maxItems"], [{ action: "x" }, "action"], [{ action: "truncate", events: ["resources/read"] }, "action"], [{ events: "x" }, "events"]] as const) {
      assert.throws(() => sizeLimit(config as SizeLimitConfig), { code: "invalid_argument", message: new RegExp(`^config of size-limit: ${place} `) });
    }
  });
});
