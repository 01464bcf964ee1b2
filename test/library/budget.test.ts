import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import { budget, type BudgetConfig, budgetScope } from "../../src/library/budget.ts";
import { fakeHost } from "../support/fake-host.ts";
import { AGAIN, invoke } from "./invoke.ts";

const context = { sessionId: "s-1" };

const run = (one: Interceptor, phase: "request" | "response", payload: unknown, event = "tools/call", again = false) => invoke(one, { event, phase, payload, context, ...(again ? { _meta: AGAIN } : {}) });
const passes = (...args: Parameters<typeof run>) => (run(...args) as { valid: boolean }).valid;

describe("budget", () => {
  it("lets requests through up to its number, and then none any more", () => {
    const one = budget({ max: { requests: 2 } }, { host: fakeHost() });
    const names = [1, 2, 3].map(() => passes(one, "request", { name: "t" }));
    assert.deepEqual(names, [true, true, false]);
    assert.deepEqual(run(one, "request", { name: "t" }).info, { unit: "requests", spent: 2, max: 2 });
  });

  it("begins anew after its window, and says when that is", async () => {
    const host = fakeHost();
    const one = budget({ max: { requests: 1 }, windowMs: 60_000 }, { host });
    assert.ok(passes(one, "request", {}));
    await host.advance(20_000);
    const refused = run(one, "request", {});
    assert.deepEqual(refused.info, { unit: "requests", spent: 1, max: 1, retryAfterMs: 40_000 });
    await host.advance(40_000);
    assert.ok(passes(one, "request", {}));
  });

  it("counts what tools cost, by the first pattern that fits, and nothing of what it refuses", () => {
    const one = budget({ max: { cost: 10 }, costs: { big: 8, "b*": 3, free: 0 } }, { host: fakeHost() });
    const order = ["big", "big", "other", "bee", "free", "other", "free"].map((name) => passes(one, "request", { name }));
    assert.deepEqual(order, [true, false, true, false, true, true, true]);
  });

  it("counts the characters of requests and of what comes back, errors too, which it lets through", () => {
    const one = budget({ max: { chars: 60 } }, { host: fakeHost() });
    assert.ok(passes(one, "request", { name: "t" }));
    assert.ok(passes(one, "response", { content: [{ type: "text", text: "x".repeat(100) }] }));
    assert.equal(passes(one, "request", { name: "t" }), false);
    assert.equal(one.handlesErrors, true);
  });

  it("counts the tokens that samples ask for; odd numbers give nothing back", () => {
    const one = budget({ max: { tokens: 100 } }, { host: fakeHost() });
    const asked = [60, -1000, "x", 50, 40].map((maxTokens) => passes(one, "request", { maxTokens }, "sampling/createMessage"));
    assert.deepEqual(asked, [true, true, false, false, true]);
    for (const maxTokens of ["1e9", "1", [1], {}, true]) assert.equal(passes(budget({ max: { tokens: 100 } }, { host: fakeHost() }), "request", { maxTokens }, "sampling/createMessage"), false);
    assert.ok(passes(budget({ max: { requests: 1 } }, { host: fakeHost() }), "request", { maxTokens: "1e9" }, "sampling/createMessage"));
  });

  it("does not count the same message twice when it is judged again", () => {
    const one = budget({ max: { requests: 1 } }, { host: fakeHost() });
    assert.ok(passes(one, "request", {}));
    assert.ok(passes(one, "request", {}, "tools/call", true));
  });

  it("says whose memory it has, and refuses configs that do not fit", () => {
    assert.equal(budgetScope({ max: { requests: 1 } }), "session");
    const wrong: [unknown, string][] = [
      [undefined, "max"], [{ max: {} }, "max"], [{ max: { request: 1 } }, "max.request"], [{ max: { cost: -1 } }, "max.cost"], [{ max: { cost: 1 }, costs: { "a*b": 1 } }, "costs.a\\*b"],
      [{ max: { cost: 1 }, costs: { a: 0.5 } }, "costs.a"], [{ max: { cost: 1 }, costs: [] }, "costs"], [{ max: { cost: 1 }, windowMs: 0 }, "windowMs"], [{ max: { cost: 1 }, scope: "x" }, "scope"],
    ];
    for (const [config, place] of wrong) assert.throws(() => budget(config as BudgetConfig), { code: "invalid_argument", message: new RegExp(`^config of budget: ${place} `) });
  });
});
