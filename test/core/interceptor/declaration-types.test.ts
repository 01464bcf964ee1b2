import assert from "node:assert/strict";
import { test } from "node:test";
import { mutator, validator, type HandlerInput, type HookDeclaration } from "../../../src/core/interceptor/define.ts";
import type { EventPattern } from "../../../src/core/wire/events.ts";

test("with handlesErrors the error of a payload has a type, and so has the result without one", () => {
  const told: string[] = [];
  const { descriptor } = validator({ name: "v", hooks: [{ events: ["tools/call"], phase: "response" }], handlesErrors: true }, ({ payload }) => {
    if ("error" in payload && payload.error !== undefined) {
      const code: number = payload.error.code;
      // @ts-expect-error: a number
      const wrong: string = payload.error.code;
      told.push(`${code} ${wrong}`);
      return true;
    }
    return payload.content.length > 0;
  });
  mutator({ name: "m", hooks: [{ events: ["tools/call"], phase: "response" }], handlesErrors: true }, ({ payload }) =>
    payload.error === undefined ? { ...payload, content: [] } : { error: { ...payload.error, message: "no" } },
  );
  assert.deepEqual(descriptor.hooks, [{ events: ["tools/call"], phase: "response" }]);
});

test("the input of a handler that is written apart has the payload of its event and phase", () => {
  const isShort = ({ payload }: HandlerInput<"tools/call", "request">) => {
    const name: string = payload.name;
    // @ts-expect-error: a text
    const wrong: number = payload.name;
    return name.length < 10 && wrong !== undefined;
  };
  const anything = ({ payload }: HandlerInput) => {
    // @ts-expect-error: of an event that is not known
    return payload.name === "x";
  };
  validator({ name: "v", hooks: [{ events: ["tools/call"], phase: "request" }] }, isShort);
  assert.equal(typeof anything, "function");
});

test("a declaration needs a hook, whose events may be any text, and lists that are built may be of any length", () => {
  // @ts-expect-error: without a hook it would never run
  assert.throws(() => validator({ name: "v", hooks: [] }, () => true), { code: "invalid_argument" });
  // @ts-expect-error: the same
  assert.throws(() => mutator({ name: "m", hooks: [] }, ({ payload }) => payload), { code: "invalid_argument" });
  const built: HookDeclaration[] = ["tools/call", "acme/run"].map((event) => ({ events: [event], phase: "request" }));
  const { descriptor } = validator({ name: "v", hooks: built }, () => true);
  assert.equal(descriptor.hooks.length, 2);
  const patterns: readonly EventPattern[] = ["*", "tools/*", "tasks/get", "acme/*", "llm/completion"];
  assert.equal(patterns.length, 5);
});
