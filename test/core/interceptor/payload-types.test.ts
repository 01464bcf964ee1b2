import assert from "node:assert/strict";
import { test } from "node:test";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";

test("the handler's payload has the type of the event's params or result, for every feature of MCP", () => {
  const interceptors = [
    validator({ name: "budget", hooks: [{ events: ["sampling/createMessage"], phase: "request" }] }, ({ payload }) => {
      const most: number = payload.maxTokens;
      return most <= 1_000 && payload.messages.every(({ role }) => role === "user");
    }),
    validator({ name: "pages", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, ({ payload }) => {
      return payload.mode !== "url" || payload.url.startsWith("https://");
    }),
    mutator({ name: "fewer-roots", hooks: [{ events: ["roots/list"], phase: "response" }] }, ({ payload }) => ({
      ...payload,
      roots: payload.roots.filter(({ uri }) => uri.startsWith("file:///work/")),
    })),
    validator({ name: "quiet", hooks: [{ events: ["notifications/message"], phase: "request" }] }, ({ payload }) => {
      // @ts-expect-error: no such level
      return payload.level !== "verbose";
    }),
    mutator({ name: "one-model", hooks: [{ events: ["llm/completion"], phase: "request" }] }, ({ payload }) => {
      // @ts-expect-error: a name, not a number
      const wrong: number = payload.model;
      return { ...payload, model: String(wrong), parameters: { ...payload.parameters, maxTokens: 100 } };
    }),
    validator({ name: "cheap", hooks: [{ events: ["llm/completion"], phase: "response" }] }, ({ payload }) => {
      const spent: number = payload.usage?.outputTokens ?? 0;
      return spent < 1_000 && payload.message.role === "assistant";
    }),
    validator({ name: "reads", hooks: [{ events: ["resources/read", "prompts/get"], phase: "request" }] }, (input) => {
      const asked: string = input.event === "prompts/get" ? input.payload.name : input.payload.uri;
      return asked !== "";
    }),
  ];
  assert.deepEqual(
    interceptors.map(({ descriptor }) => descriptor.name),
    ["budget", "pages", "fewer-roots", "quiet", "one-model", "cheap", "reads"],
  );
});

test("a verdict's type refuses members that nobody reads, and the verdict still counts", () => {
  const hooks = [{ events: ["tools/call"], phase: "request" }] as const;
  // @ts-expect-error: a message stands in `messages`, or is said by `deny`
  const told = validator({ name: "told", hooks }, () => ({ valid: false, message: "why" }));
  // @ts-expect-error: the same of a promise
  const later = validator({ name: "later", hooks }, async () => ({ valid: false, reason: "why" }));
  assert.deepEqual([told.descriptor.name, later.descriptor.name], ["told", "later"]);
});
