import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import type { InvocationContext } from "../../src/core/wire/gen/interceptors.ts";
import { rateLimit, rateLimitScope } from "../../src/library/rate-limit.ts";
import { fakeHost } from "../support/fake-host.ts";
import { AGAIN, invoke } from "./invoke.ts";

const SESSION = { sessionId: "s-1" };

function call(limit: Interceptor, { name = "t", context = SESSION, config = {}, event = "tools/call", again = false }: { name?: string; context?: InvocationContext; again?: boolean; config?: object; event?: string } = {}) {
  const result = invoke(limit, { event, phase: "request", payload: { name }, context, config: { ...config }, ...(again ? { _meta: AGAIN } : {}) });
  return { passes: "valid" in result && result.valid, info: result.info, text: JSON.stringify(result) };
}

describe("rate-limit", () => {
  it("lets a burst through, then refuses and says when to come back, and is right about it", async () => {
    const host = fakeHost();
    const limit = rateLimit({ perMinute: 60, burst: 3 }, { host });
    for (let count = 0; count < 3; count++) assert.ok(call(limit).passes);
    const refused = call(limit);
    assert.equal(refused.passes, false);
    assert.deepEqual(refused.info, { retryAfterMs: 1000 });
    assert.match(refused.text, /try again in 1000 ms/);
    await host.advance(999);
    assert.equal(call(limit).passes, false);
    await host.advance(1);
    assert.ok(call(limit).passes);
    assert.equal(call(limit).passes, false);
  });

  it("never saves up more than a burst", async () => {
    const host = fakeHost();
    const limit = rateLimit({ perMinute: 600, burst: 2 }, { host });
    await host.advance(3_600_000);
    assert.deepEqual([1, 2, 3].map(() => call(limit).passes), [true, true, false]);
  });

  it("counts each session, or principal, by itself, and all together under the scope global", () => {
    const limit = rateLimit({ perMinute: 1 }, { host: fakeHost() });
    assert.ok(call(limit).passes);
    assert.equal(call(limit).passes, false);
    assert.ok(call(limit, { context: { sessionId: "s-2" } }).passes);
    assert.ok(call(limit, { context: { principal: { type: "user", id: "ada" } } }).passes);
    assert.equal(call(limit, { context: { principal: { type: "user", id: "ada" } } }).passes, false);
    const global = rateLimit({ perMinute: 1, scope: "global" }, { host: fakeHost() });
    assert.ok(call(global, { context: {} }).passes);
    assert.equal(call(global, { context: { sessionId: "s-2" } }).passes, false);
  });

  it("counts the tools that it is told of, together or each by itself", () => {
    const some = rateLimit({ perMinute: 1, tools: ["write_*"] }, { host: fakeHost() });
    assert.ok(call(some, { name: "write_a" }).passes);
    assert.equal(call(some, { name: "write_b" }).passes, false);
    assert.ok(call(some, { name: "read" }).passes);
    const each = rateLimit({ perMinute: 1, each: "tool" }, { host: fakeHost() });
    assert.deepEqual(["a", "b", "a"].map((name) => call(each, { name }).passes), [true, true, false]);
  });

  it("keeps a bounded number of buckets, however many names a client makes up", () => {
    const each = rateLimit({ perMinute: 1, each: "tool" }, { host: fakeHost() });
    const passed = Array.from({ length: 2000 }, (_, index) => call(each, { name: `t${index}` }).passes).filter(Boolean).length;
    assert.equal(passed, 1001);
  });

  it("does not count the same message twice when it is judged again after a mutation", () => {
    const limit = rateLimit({ perMinute: 1 }, { host: fakeHost() });
    assert.ok(call(limit).passes);
    assert.ok(call(limit, { again: true }).passes);
  });

  it("hooks the methods that it is told, and takes the limits of a call's config, with a memory of their own", () => {
    const limit = rateLimit({ events: ["tools/*", "sampling/createMessage"], perMinute: 1 }, { host: fakeHost() });
    assert.deepEqual(limit.descriptor.hooks, [{ events: ["tools/*", "sampling/createMessage"], phase: "request" }]);
    assert.ok(call(limit, { event: "sampling/createMessage" }).passes);
    const config = { perMinute: 2 };
    assert.deepEqual([1, 2, 3].map(() => call(limit, { config }).passes), [true, true, false]);
  });

  it("says whose memory it has, and refuses configs that do not fit", () => {
    assert.equal(rateLimitScope({ scope: "global" }), "global");
    for (const [config, place] of [[{ perMinute: 0 }, "perMinute"], [{ burst: 1.5 }, "burst"], [{ events: [] }, "events"], [{ events: ["a*b"] }, "events\\[0\\]"], [{ tools: ["*x"] }, "tools\\[0\\]"], [{ each: "x" }, "each"], [{ scope: "x" }, "scope"]] as const) {
      assert.throws(() => rateLimit(config as never), { code: "invalid_argument", message: new RegExp(`^config of rate-limit: ${place} `) });
    }
  });
});
