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
    validator({ name: "reads", hooks: [{ events: ["resources/read", "prompts/get"], phase: "request" }] }, (input) => {
      const asked: string = input.event === "prompts/get" ? input.payload.name : input.payload.uri;
      return asked !== "";
    }),
  ];
  assert.deepEqual(
    interceptors.map(({ descriptor }) => descriptor.name),
    ["budget", "pages", "fewer-roots", "quiet", "reads"],
  );
});
