import assert from "node:assert/strict";
import { test } from "node:test";
import { detectHost } from "../../src/core/base/host.ts";
import { nodeHost } from "../../src/node/host.ts";

test("Node's encoder writes the bytes that the platform's does, lone surrogates included", () => {
  const [node, platform] = [nodeHost().utf8, detectHost().utf8];
  assert.ok(node !== undefined && platform !== undefined);
  for (const text of ["", "plain", "Zürich ß", "日本語", "😀", "\ud800", "a\udc00b", "\udc00\ud800", "\ufeffmark", "\u0000\u2028", "é".repeat(5000)]) {
    const bytes = node.encode(text);
    assert.deepEqual([...bytes], [...platform.encode(text)], JSON.stringify(text.slice(0, 20)));
    assert.equal(node.decode(bytes), platform.decode(bytes));
  }
});

test("the host is made once, and is the detected one but for that", () => {
  assert.equal(nodeHost(), nodeHost());
  assert.equal(nodeHost().now, detectHost().now);
});
