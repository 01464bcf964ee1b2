import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_MAX_DEPTH } from "../../src/core/base/json.ts";
import type { Phase } from "../../src/core/wire/gen/interceptors.ts";
import { compileRedactConfig } from "../../src/library/redact-config.ts";
import { redactPayload } from "../../src/library/redact-payload.ts";

const MAIL = "bob@example.com";
const CARD = 4111111111111111;
const CARD_TEXT = "4111 1111 1111 1111";

function redacted(event: string, phase: Phase, payload: unknown, config: unknown = { replacement: "<{type}>" }): unknown {
  return redactPayload(payload, { event, phase }, compileRedactConfig(config));
}

test("redacts the arguments of a call, whatever their members are called, and keeps the tool's name", () => {
  const params = {
    name: "bob@example.com",
    arguments: { name: MAIL, uri: `mailto:${MAIL}`, type: MAIL, cursor: MAIL, data: { _meta: { progressToken: MAIL } }, list: [MAIL, { deep: [MAIL] }], n: 1, b: true, z: null },
    _meta: { progressToken: MAIL, traceparent: MAIL, "io.modelcontextprotocol/clientInfo": { name: MAIL }, "com.example/user": MAIL },
  };
  assert.deepEqual(redacted("tools/call", "request", params), {
    name: "bob@example.com",
    arguments: {
      name: "<email>",
      uri: "mailto:<email>",
      type: "<email>",
      cursor: "<email>",
      data: { _meta: { progressToken: "<email>" } },
      list: ["<email>", { deep: ["<email>"] }],
      n: 1,
      b: true,
      z: null,
    },
    _meta: { progressToken: MAIL, traceparent: MAIL, "io.modelcontextprotocol/clientInfo": { name: MAIL }, "com.example/user": "<email>" },
  });
});

test("redacts every text block, the resource text and the structured content of a result, not only the first", () => {
  const result = {
    content: [
      { type: "text", text: "ok" },
      { type: "text", text: `KEY=${MAIL}`, annotations: { title: MAIL } },
      { type: "resource", resource: { uri: `db://${MAIL}`, mimeType: "text/plain", text: MAIL } },
      { type: "resource_link", uri: `db://${MAIL}`, name: MAIL, description: MAIL },
      { type: "text", text: `{"card":"${CARD_TEXT}"}` },
    ],
    structuredContent: { a: [{ key: MAIL }], card: CARD_TEXT },
    isError: false,
    _meta: { "com.example/note": MAIL },
  };
  assert.deepEqual(redacted("tools/call", "response", result), {
    content: [
      { type: "text", text: "ok" },
      { type: "text", text: "KEY=<email>", annotations: { title: "<email>" } },
      { type: "resource", resource: { uri: `db://${MAIL}`, mimeType: "text/plain", text: "<email>" } },
      { type: "resource_link", uri: `db://${MAIL}`, name: "<email>", description: "<email>" },
      { type: "text", text: '{"card":"<card>"}' },
    ],
    structuredContent: { a: [{ key: "<email>" }], card: "<card>" },
    isError: false,
    _meta: { "com.example/note": "<email>" },
  });
});

test("redacts the message and the data of an error", () => {
  const payload = { error: { code: -32603, message: `no user ${MAIL}`, data: { user: MAIL, uri: MAIL, stack: [MAIL] } } };
  assert.deepEqual(redacted("tools/call", "response", payload), {
    error: { code: -32603, message: "no user <email>", data: { user: "<email>", uri: "<email>", stack: ["<email>"] } },
  });
  assert.deepEqual(redacted("tools/call", "response", { error: { code: 1, message: "x", data: MAIL } }), {
    error: { code: 1, message: "x", data: "<email>" },
  });
});

test("leaves binary data alone by its typed field, not by its look", () => {
  const digits = "4111111111111111";
  const result = {
    content: [
      { type: "image", data: digits, mimeType: "image/png" },
      { type: "audio", data: digits, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///x", blob: digits } },
      { type: "text", text: "x", data: digits, blob: digits },
    ],
    structuredContent: { type: "image", data: digits, blob: digits, uri: "file:///x" },
  };
  assert.deepEqual(redacted("tools/call", "response", result), {
    content: [...result.content.slice(0, 3), { type: "text", text: "x", data: "<card>", blob: "<card>" }],
    structuredContent: { type: "image", data: "<card>", blob: "<card>", uri: "file:///x" },
  });
  const contents = [{ uri: "file:///x", blob: digits }, { uri: "file:///y", text: digits }];
  assert.deepEqual(redacted("resources/read", "response", { contents }), { contents: [contents[0], { uri: "file:///y", text: "<card>" }] });
});

test("reads what a resource holds as Base64 of text by its media type", () => {
  const held = (text: string, mimeType: string) => ({ contents: [{ uri: "x:y", mimeType, blob: Buffer.from(text).toString("base64") }] });
  assert.deepEqual(redacted("resources/read", "response", held(`Write to ${MAIL}, please`, "text/csv")), held("Write to <email>, please", "text/csv"));
  assert.deepEqual(redacted("resources/read", "response", held(`Write to ${MAIL}`, "application/pdf")), held(`Write to ${MAIL}`, "application/pdf"));
});

test("keeps a protocol member only where it has the shape that the protocol gives it", () => {
  const odd = { type: "image", data: { a: MAIL }, uri: [MAIL], cursor: { mimeType: { x: MAIL } } };
  assert.deepEqual(redacted("x", "response", odd), { type: "image", data: { a: "<email>" }, uri: ["<email>"], cursor: { mimeType: { x: "<email>" } } });
});

test("keeps what one side calls the other by", () => {
  const names = { nextCursor: MAIL, tools: [{ name: MAIL, description: MAIL, inputSchema: { description: MAIL } }] };
  assert.deepEqual(redacted("tools/list", "response", names), {
    nextCursor: MAIL,
    tools: [{ name: MAIL, description: "<email>", inputSchema: { description: "<email>" } }],
  });
  assert.deepEqual(redacted("completion/complete", "request", { ref: { type: "ref/prompt", name: MAIL }, argument: { name: "user", value: MAIL } }), {
    ref: { type: "ref/prompt", name: MAIL },
    argument: { name: "user", value: "<email>" },
  });
  for (const [event, params] of [
    ["prompts/get", { name: MAIL }],
    ["resources/read", { uri: `db://${MAIL}` }],
    ["tools/list", { cursor: MAIL }],
    ["notifications/progress", { progressToken: MAIL, progress: CARD }],
  ] as const) {
    assert.equal(redacted(event, "request", params), params);
  }
});

test("redacts the name of a resource, a root, and of anything in an unknown method", () => {
  assert.deepEqual(redacted("roots/list", "response", { roots: [{ uri: "file:///x", name: MAIL }] }), { roots: [{ uri: "file:///x", name: "<email>" }] });
  assert.deepEqual(redacted("custom/op", "request", { name: MAIL }), { name: "<email>" });
});

test("redacts what a person filled in, in a form's members of any name", () => {
  const answer = { action: "accept", content: { type: MAIL, uri: MAIL, card: CARD } };
  assert.deepEqual(redacted("elicitation/create", "response", answer), {
    action: "accept",
    content: { type: "<email>", uri: "<email>", card: "<card>" },
  });
});

test("redacts sampling messages, and tool use inside them", () => {
  const params = {
    messages: [
      { role: "user", content: { type: "text", text: MAIL } },
      { role: "assistant", content: [{ type: "tool_use", id: MAIL, name: MAIL, input: { id: MAIL, name: MAIL } }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: MAIL, content: [{ type: "text", text: MAIL }] }] },
    ],
    systemPrompt: MAIL,
  };
  assert.deepEqual(redacted("sampling/createMessage", "request", params), {
    messages: [
      { role: "user", content: { type: "text", text: "<email>" } },
      { role: "assistant", content: [{ type: "tool_use", id: MAIL, name: MAIL, input: { id: "<email>", name: "<email>" } }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: MAIL, content: [{ type: "text", text: "<email>" }] }] },
    ],
    systemPrompt: "<email>",
  });
});

test("redacts names of members in their order, and gives each its own", () => {
  const data = { z: 1, "b@example.com": 2, "<email>#2": 3, "a@example.com": 4, y: 5, "c@example.com": 6 };
  const result = redacted("tools/call", "response", { content: [], structuredContent: data });
  assert.equal(
    JSON.stringify(result),
    '{"content":[],"structuredContent":{"z":1,"<email>":2,"<email>#2":3,"<email>#3":4,"y":5,"<email>#4":6}}',
  );
});

test("gives no redacted name that a later member has already", () => {
  const data = { "a@example.com": 1, "<email>": 2 };
  assert.deepEqual(Object.entries(redacted("x", "request", { arguments: data }) as { arguments: object }).map(([, value]) => Object.entries(value)), [
    [["<email>#2", 1], ["<email>", 2]],
  ]);
});

test("treats __proto__ and constructor as members like others", () => {
  const data: unknown = JSON.parse(`{"__proto__":{"x":"${MAIL}"},"constructor":"${MAIL}","toString":1}`);
  assert.equal(JSON.stringify(redacted("x", "request", { arguments: data })), '{"arguments":{"__proto__":{"x":"<email>"},"constructor":"<email>","toString":1}}');
});

test("masks a number that is a card number in data, and keeps it where it was told to", () => {
  const payload = { structuredContent: { card: CARD, pin: 1234, big: 1732968000000, float: 4111.5, deep: [[CARD]] } };
  assert.deepEqual(redacted("tools/call", "response", payload), {
    structuredContent: { card: "<card>", pin: 1234, big: 1732968000000, float: 4111.5, deep: [["<card>"]] },
  });
  assert.equal(redacted("tools/call", "response", payload, { numbers: "keep" }), payload);
});

test("leaves the protocol's own numbers alone", () => {
  const payload = { ttlMs: CARD, content: [{ type: "resource_link", uri: "x:y", name: "n", size: CARD }] };
  assert.equal(redacted("tools/call", "response", payload), payload);
});

test("gives back the same object where nothing is sensitive, and never changes the one it got", () => {
  const clean = { content: [{ type: "text", text: "hello 12" }], structuredContent: { a: [1, { b: "c" }] } };
  assert.equal(redacted("tools/call", "response", clean), clean);
  const dirty = { keep: { a: 1 }, arguments: { [MAIL]: [MAIL] } };
  const before = JSON.stringify(dirty);
  const result = redacted("x", "request", dirty) as typeof dirty;
  assert.equal(JSON.stringify(dirty), before);
  assert.equal(result.keep, dirty.keep);
});

test("changes nothing in its own output", () => {
  const payload = { arguments: { [MAIL]: MAIL, "c@example.com": CARD, list: [CARD_TEXT, "10.0.0.1"] } };
  const once = redacted("tools/call", "request", payload);
  assert.equal(redacted("tools/call", "request", once), once);
});

test("takes payloads that are no objects", () => {
  assert.equal(redacted("custom/op", "request", MAIL), "<email>");
  assert.deepEqual(redacted("custom/op", "request", [MAIL]), ["<email>"]);
  for (const payload of [null, true, 5, undefined]) assert.equal(redacted("custom/op", "request", payload), payload);
});

test("redacts to the depth that a message may have, and throws past it", () => {
  const nested = (levels: number) => {
    let value: unknown = MAIL;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  assert.ok(JSON.stringify(redacted("x", "request", nested(DEFAULT_MAX_DEPTH))).includes("<email>"));
  assert.throws(() => redacted("x", "request", nested(DEFAULT_MAX_DEPTH + 1)), { name: "LocalError", code: "limit_exceeded" });
});
