import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLlmCompletionRequest, checkLlmCompletionResponse } from "../../src/core/wire/gen/completion.ts";

const USER = { role: "user", content: "hi" };
const USE = { type: "tool_use", id: "1", name: "f", input: {} };

test("the common request holds a conversation with tools, and other members pass", () => {
  const request = {
    model: "m",
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", name: "ada", content: [{ type: "text", text: "hi" }, { type: "image", data: "AA==", mimeType: "image/png" }, { type: "acme_video", url: "x" }] },
      { role: "assistant", content: [{ type: "reasoning", text: "", signature: "s" }, USE] },
      { role: "tool", content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "42" }] }] },
    ],
    tools: [{ name: "f", inputSchema: { type: "object" } }],
    toolChoice: { mode: "required", name: "f" },
    parameters: { maxTokens: 10, temperature: 0.5, logitBias: {} },
    user: "u-1",
  };
  assert.equal(checkLlmCompletionRequest(request), undefined);
  assert.equal(checkLlmCompletionRequest({ model: "m", messages: [] }), undefined);
});

test("a request that is none is refused at the place that is wrong", () => {
  const table: [object, string][] = [
    [{ messages: [] }, ""],
    [{ model: "m" }, ""],
    [{ model: "m", messages: [USER, { role: "robot", content: "" }] }, "/messages/1/role"],
    [{ model: "m", messages: [{ role: "user", content: null }] }, "/messages/0/content"],
    [{ model: "m", messages: [{ role: "user", content: [{ type: "text" }] }] }, "/messages/0/content/0"],
    [{ model: "m", messages: [{ role: "user", content: [{ ...USE, input: "{}" }] }] }, "/messages/0/content/0/input"],
    [{ model: "m", messages: [], tools: [{}] }, "/tools/0"],
    [{ model: "m", messages: [], parameters: { maxTokens: 0 } }, "/parameters/maxTokens"],
  ];
  for (const [request, at] of table) assert.equal(checkLlmCompletionRequest(request)?.path, at, JSON.stringify(request));
});

test("the common response holds a message, why it ended and what it took", () => {
  const message = { role: "assistant", content: [{ type: "text", text: "ok" }, USE] };
  assert.equal(checkLlmCompletionResponse({ model: "m", message, stopReason: "toolUse", usage: { inputTokens: 1, outputTokens: 2 } }), undefined);
  assert.equal(checkLlmCompletionResponse({ message }), undefined);
  assert.equal(checkLlmCompletionResponse({ message, usage: { inputTokens: -1 } })?.path, "/usage/inputTokens");
  assert.equal(checkLlmCompletionResponse({})?.path, "");
  assert.equal(checkLlmCompletionResponse({ message: "ok" })?.path, "/message");
});
