import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { redact } from "../../src/library/redact.ts";
import { decided } from "./invoke.ts";

const payload = { content: [{ type: "text", text: "bob@example.com, 10.0.0.1, amy@example.com" }] };

test("declares a late mutator of everything, in both phases and for errors", () => {
  const { descriptor, handlesErrors } = redact();
  assert.equal(descriptor.name, "redact");
  assert.equal(descriptor.type, "mutation");
  assert.deepEqual(descriptor.hooks, [
    { events: ["*"], phase: "request" },
    { events: ["*"], phase: "response" },
  ]);
  assert.equal(descriptor.priorityHint, 1000);
  assert.equal(handlesErrors, true);
});

test("returns the redacted payload, and counts what it masked without quoting it", () => {
  const output = decided(redact(), { event: "tools/call", phase: "response", payload });
  assert.deepEqual(output, {
    payload: { content: [{ type: "text", text: "[REDACTED:email], [REDACTED:ip], [REDACTED:email]" }] },
    modified: true,
    info: { redacted: { email: 2, ip: 1 } },
  });
});

test("hooks the phases of its config alone, and leaves the other as it is where a call narrows them", () => {
  const answers = redact({ phases: ["response"] });
  assert.deepEqual(answers.descriptor.hooks, [{ events: ["*"], phase: "response" }]);
  assert.deepEqual(redact({ phases: ["response", "request", "response"] }).descriptor.hooks.map(({ phase }) => phase), ["request", "response"]);
  const call = (phase: "request" | "response") => decided(redact(), { event: "tools/call", phase, payload, config: { phases: ["response"] } });
  assert.deepEqual(call("request"), { modified: false, payload });
  assert.equal(call("response").modified, true);
});

test("says that a clean payload is unchanged", () => {
  const output = decided(redact(), { event: "tools/call", phase: "request", payload: { name: "a", arguments: { b: "c" } } });
  assert.deepEqual(output, { modified: false, payload: { name: "a", arguments: { b: "c" } } });
});

test("redacts an error response", () => {
  const error = { code: 1, message: "no bob@example.com" };
  const output = decided(redact(), { event: "resources/read", phase: "response", payload: { error } });
  assert.deepEqual(output.payload, { error: { code: 1, message: "no [REDACTED:email]" } });
});

test("overlays the config of the call, and fails on a wrong one", () => {
  const interceptor = redact({ types: ["ip"], replacement: "x" });
  const call = (config: JsonObject) => decided(interceptor, { event: "e/e", phase: "request", payload: "a@b.co 10.0.0.1", config });
  assert.equal(call({}).payload, "a@b.co x");
  assert.equal(call({ types: ["email"] }).payload, "x 10.0.0.1");
  assert.throws(() => call({ types: ["mail"] }), { name: "RpcError", code: -32603 });
});

test("refuses a wrong config when it is made", () => {
  // A caller without types.
  assert.throws(() => redact({ types: ["mail"] } as never), { code: "invalid_argument", message: /types\[0\]/ });
});

test("masks all that is said to a model and by it, and leaves names and images alone", () => {
  const mail = "bob@example.com";
  const image = { type: "image", data: "Ym9iQGV4YW1wbGUuY29t", mimeType: "image/png" };
  const request = {
    model: mail,
    messages: [
      { role: "system", content: mail },
      { role: "user", content: [{ type: "text", text: mail }, image] },
      { role: "assistant", content: [{ type: "reasoning", text: mail }, { type: "tool_use", id: mail, name: mail, input: { to: mail } }] },
      { role: "tool", content: [{ type: "tool_result", toolUseId: mail, content: [{ type: "text", text: mail }], structuredContent: { to: mail } }] },
    ],
    tools: [{ name: mail, description: mail }],
  };
  const output = decided(redact(), { event: "llm/completion", phase: "request", payload: request })["payload"];
  const left = JSON.stringify(output).split(mail).length - 1;
  const masked = JSON.stringify(output).split("[REDACTED:email]").length - 1;
  // The model; of a tool's use the id and the name, which its result repeats and its owner knows it by; and the name in the list.
  assert.deepEqual([left, masked], [5, 7]);
  assert.deepEqual((output as typeof request).messages[1]?.content[1], image);
  assert.deepEqual((output as typeof request).model, mail);
});
