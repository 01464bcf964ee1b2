import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mode } from "../../../src/core/wire/gen/interceptors.ts";
import { CALL, mutates, rig, validates } from "./kit.ts";

// Every cell of semantics, section 6: what goes wrong × the policy of the entry that it goes wrong in.
const POLICIES: Record<string, { readonly mode: Mode; readonly failOpen: boolean }> = {
  "active, fail-closed": { mode: "active", failOpen: false },
  "active, fail-open": { mode: "active", failOpen: true },
  "audit": { mode: "audit", failOpen: false },
  "audit, fail-open": { mode: "audit", failOpen: true },
};

const never = () => new Promise(() => {});
const boom = () => { throw new Error("secret detail"); };
const FAULTS: Record<string, { readonly handler: () => unknown; readonly reason: string; readonly code: number }> = {
  "throws": { handler: boom, reason: "crashed", code: -32603 },
  "throws later": { handler: async () => boom(), reason: "crashed", code: -32603 },
  "never answers": { handler: never, reason: "timeout", code: -32000 },
  "returns nothing": { handler: () => undefined, reason: "malformed_result", code: -32603 },
  "resolves to a cycle": { handler: async () => { const a: { a?: unknown } = {}; a.a = a; return a; }, reason: "malformed_result", code: -32603 },
};

for (const [policyName, policy] of Object.entries(POLICIES)) {
  const stops = policy.mode === "active" && !policy.failOpen;

  for (const [faultName, { handler, reason, code }] of Object.entries(FAULTS)) {
    for (const type of ["validation", "mutation"] as const) {
      test(`${type} (${policyName}) that ${faultName} ${stops ? "stops the chain" : "is recorded, and the chain goes on"}`, async () => {
        const { chain, host, logged, observed } = rig();
        const members = { name: "x", timeoutMs: 100, ...policy };
        const change = mutates({ name: "before", priorityHint: -1 }, () => ({ name: "changed" }));
        chain.add([type === "validation" ? validates(members, handler) : mutates(members, handler), change]);
        const run = chain.execute({ ...CALL, direction: "receiving" });
        await host.advance(99);
        await host.advance(1);
        const result = await run;
        const complete = await result.settled;

        const status = !stops ? "success" : reason === "timeout" ? "timeout" : `${type}_failed`;
        assert.equal(result.status, status);
        assert.deepEqual(result.finalPayload, stops ? undefined : { name: "changed" });
        assert.equal("finalPayload" in result, !stops);
        assert.equal(result.modified, !stops);
        assert.deepEqual(result.abortedAt, stops ? { interceptor: "x", address: "local/x", reason, type: reason === "timeout" ? "timeout" : type } : undefined);

        const entry = complete.results.find(({ interceptor }) => interceptor === "x");
        assert.equal(entry?.error?.reason, reason);
        assert.equal(entry?.error?.code, code);
        assert.equal(entry?.mode, policy.mode === "audit" ? "audit" : undefined);
        assert.equal(entry?.error?.failOpen, policy.mode === "active" && policy.failOpen ? true : undefined);
        assert.deepEqual(complete.validationSummary, { errors: 0, warnings: 0, infos: 0 });

        const failures = logged.filter((line) => line.address === "local/x");
        assert.deepEqual(failures.map(({ level, reason }) => [level, reason]), [[policy.failOpen ? "warning" : "error", reason]]);
        const events = observed.flatMap((told) => ("interceptor" in told && told.interceptor === "x" ? [told] : []));
        const [kind, why] = reason === "timeout" ? ["timed_out", { timeoutMs: 100 }] : ["failed", { reason }];
        assert.deepEqual(events.map((told) => [told.kind, told.mode]), [["invoked", policy.mode], [kind, policy.mode]]);
        assert.deepEqual({ ...events[1], ...why }, events[1]);
        assert.equal(host.liveTimers, 0);
      });
    }
  }

  test(`a validator (${policyName}) that says invalid ${policy.mode === "active" ? "stops the chain" : "is recorded, and the chain goes on"}`, async () => {
    const { chain, logged } = rig();
    chain.add([validates({ name: "x", ...policy }, () => false), mutates({ name: "m" }, () => ({ name: "changed" }))]);
    const result = await chain.execute(CALL);
    const isBlocked = policy.mode === "active";
    assert.equal(result.status, isBlocked ? "validation_failed" : "success");
    assert.deepEqual(result.finalPayload, isBlocked ? undefined : { name: "changed" });
    assert.deepEqual(result.validationSummary, { errors: 1, warnings: 0, infos: 0 });
    assert.equal(result.results[0]?.valid, false);
    // A verdict is no failure, and failOpen says nothing about it.
    assert.deepEqual(logged, []);
  });

  test(`a mutator (${policyName}) that returns a payload has it ${policy.mode === "active" ? "applied" : "recorded only"}`, async () => {
    const { chain } = rig();
    chain.add(mutates({ name: "x", ...policy }, () => ({ name: "changed" })));
    const result = await chain.execute(CALL);
    assert.equal(result.status, "success");
    assert.deepEqual(result.finalPayload, policy.mode === "active" ? { name: "changed" } : CALL.payload);
    assert.equal(result.modified, policy.mode === "active");
    assert.deepEqual([result.results[0]?.modified, result.results[0]?.payload], [true, { name: "changed" }]);
  });

  test(`an incompatible version (${policyName}) is a failure, and the entry is not called`, async () => {
    const { chain } = rig();
    chain.add(validates({ name: "x", ...policy, compat: { minProtocol: "2025-11-25" } }, () => assert.fail("must not run")));
    const result = await chain.execute({ ...CALL, version: "2025-06-18" });
    assert.equal(result.status, stops ? "validation_failed" : "success");
    assert.equal(result.results[0]?.error?.reason, "incompatible");
  });

  test(`a condition of the entry that throws (${policyName}) follows its failure policy`, async () => {
    const { chain } = rig();
    const handler = () => assert.fail("must not run");
    chain.add([validates({ name: "x", ...policy }, handler)], { overrides: { x: { when: boom } } });
    const result = await chain.execute(CALL);
    assert.equal(result.status, stops ? "validation_failed" : "success");
    assert.equal(result.results[0]?.error?.reason, "condition_failed");
  });
}

test("a mutator that fails open leaves the payload as it was before it", async () => {
  const { chain } = rig();
  chain.add([
    mutates({ name: "a", priorityHint: 1 }, () => ({ name: "a" })),
    mutates({ name: "b", priorityHint: 2, failOpen: true }, ({ payload }) => ((payload.name = "half"), boom())),
    mutates({ name: "c", priorityHint: 3 }, ({ payload }) => ({ ...payload, c: true })),
  ]);
  assert.deepEqual((await chain.execute(CALL)).finalPayload, { name: "a", c: true });
});

test("a chain that stops applies none of its mutations", async () => {
  const { chain } = rig();
  chain.add([
    mutates({ name: "a", priorityHint: 1 }, ({ payload }) => ((payload.name = "a"), payload)),
    mutates({ name: "b", priorityHint: 2 }, boom),
    mutates({ name: "c", priorityHint: 3 }, () => assert.fail("must not run")),
  ]);
  const payload = { name: "echo" };
  const result = await chain.execute({ ...CALL, payload });
  assert.equal(result.status, "mutation_failed");
  assert.equal("finalPayload" in result, false);
  assert.equal(result.modified, false);
  assert.deepEqual(result.lastValidPayload, { name: "a" });
  assert.deepEqual(payload, { name: "echo" });
});

test("the payload of MCP traffic stays an object", async () => {
  for (const bad of [null, "text", [1]]) {
    const { chain } = rig();
    chain.add(mutates({ name: "x" }, () => bad));
    const result = await chain.execute(CALL);
    assert.equal(result.results[0]?.error?.reason, "malformed_result", JSON.stringify(bad));
  }
});

test("a verdict outranks a failure, a failure a timeout, and among equals the first counts", async () => {
  const kinds = { verdict: () => false, crash: boom, timeout: never, fine: () => true };
  const table: [(keyof typeof kinds)[], string, number][] = [
    [["timeout", "crash", "verdict"], "validation_failed", 2],
    [["timeout", "crash", "fine"], "validation_failed", 1],
    [["fine", "timeout", "timeout"], "timeout", 1],
    [["crash", "crash", "timeout"], "validation_failed", 0],
    [["verdict", "verdict"], "validation_failed", 0],
  ];
  for (const [order, status, at] of table) {
    const { chain, host } = rig();
    chain.add(order.map((kind, index) => validates({ name: `${index}`, timeoutMs: 10 }, kinds[kind])));
    const run = chain.execute(CALL);
    await host.advance(10);
    const result = await run;
    assert.deepEqual([result.status, result.abortedAt?.interceptor], [status, String(at)], order.join());
  }
});

test("audit entries never stop a chain, and are counted like the others", async () => {
  const { chain } = rig();
  chain.add([
    validates({ name: "a", mode: "audit" }, () => ({ valid: false, messages: [{ message: "x", severity: "error" }, { message: "y", severity: "warn" }] })),
    validates({ name: "b" }, () => ({ valid: true, messages: [{ message: "z", severity: "info" }] })),
    validates({ name: "c" }, () => ({ valid: false, severity: "info" })),
  ]);
  const result = await chain.execute(CALL);
  assert.equal(result.status, "success");
  assert.deepEqual(result.validationSummary, { errors: 1, warnings: 1, infos: 2 });
});
