import assert from "node:assert/strict";
import { test } from "node:test";
import { isErrorPayload } from "../../src/library/error-payload.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { decided } from "./invoke.ts";

test("the payload of an error is known by its only member", () => {
  assert.ok(isErrorPayload({ error: { code: 1, message: "no" } }));
  for (const result of [{ error: {}, content: [] }, { content: [] }, { error: "no" }, {}, [], null, "error"]) assert.ok(!isErrorPayload(result), JSON.stringify(result));
});

// Whatever does not see errors has a gateway make them generic, and so hides why a call has failed.
for (const [name, events] of [["flow-guard", ["tools/call"]], ["schema-guard", ["tools/call", "tools/list"]], ["size-limit", ["tools/call"]], ["tool-pinning", ["tools/list"]], ["text-hygiene", ["tools/list", "prompts/list"]], ["elicitation-guard", ["elicitation/create"]]] as const) {
  test(`${name} sees errors, and lets a harmless one pass as it is`, () => {
    const config = { ...(name === "flow-guard" ? { scope: "global" } : {}), ...(name === "size-limit" ? { action: "truncate" } : {}) };
    const made = readyMade.get(name)?.create(config, {}) ?? [];
    const payload = { error: { code: -32602, message: "There is no user 5", data: { id: 5 } } };
    for (const event of events) {
      for (const interceptor of made.filter(({ descriptor }) => descriptor.hooks.some(({ events: hooked, phase }) => phase === "response" && hooked.some((each) => each === event || each === "*")))) {
        assert.ok(interceptor.handlesErrors, interceptor.descriptor.name);
        const { valid, modified } = decided(interceptor, { event, phase: "response", payload });
        assert.ok(valid === true || modified === false, interceptor.descriptor.name);
      }
    }
  });
}
