import assert from "node:assert/strict";
import { test } from "node:test";
import { BOTH_PHASES, CALL, deferred, mutates, rig, validates } from "./kit.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { settle } from "../../support/fake-host.ts";

/** Two validators and two mutators that log what they see; with `later`, each answers in a later turn. */
function logged(later: boolean) {
  const log: string[] = [];
  const say = async <T>(line: string, value: T): Promise<T> => {
    log.push(`${line} starts`);
    await settle();
    log.push(`${line} ends`);
    return value;
  };
  const handle = <T>(line: string, value: T) => (later ? say(line, value) : (log.push(line), value));
  const trail = (payload: unknown) => String((payload as { trail?: string }).trail ?? "");
  const validate = (name: string) => validates({ name }, ({ payload }) => handle(`${name}(${trail(payload)})`, true));
  const mutate = (name: string, priorityHint: number) =>
    mutates({ name, priorityHint }, ({ payload }) => handle(`${name}(${trail(payload)})`, { ...payload, trail: trail(payload) + name }));
  // Added in an order that is not the order of the run.
  return { log, interceptors: [mutate("M2", 2), validate("V1"), mutate("M1", 1), validate("V2")] };
}

const GOLDEN = {
  receiving: ["V1()", "V2()", "M1()", "M2(M1)"],
  sending: ["M1()", "M2(M1)", "V1(M1M2)", "V2(M1M2)"],
};

for (const direction of ["receiving", "sending"] as const) {
  for (const phase of ["request", "response"] as const) {
    test(`${direction} a ${phase} runs in the order of the boundary`, async () => {
      const { log, interceptors } = logged(false);
      const { chain } = rig();
      chain.add(interceptors);
      const result = await chain.execute({ ...CALL, phase, direction, payload: {} });
      assert.deepEqual(log, GOLDEN[direction]);
      assert.deepEqual(result.finalPayload, { trail: "M1M2" });
      const names = result.results.map(({ interceptor }) => interceptor);
      assert.deepEqual(names, direction === "receiving" ? ["V1", "V2", "M1", "M2"] : ["M1", "M2", "V1", "V2"]);
    });
  }
}

test("validators run together, and mutators one after the other", async () => {
  const { log, interceptors } = logged(true);
  const { chain, host } = rig();
  chain.add(interceptors);
  await chain.execute({ ...CALL, payload: {} });
  assert.deepEqual(log, [
    ...["V1() starts", "V2() starts", "V1() ends", "V2() ends"],
    ...["M1() starts", "M1() ends", "M2(M1) starts", "M2(M1) ends"],
  ]);
  assert.equal(host.liveTimers, 0);
});

test("results of validators come in entry order, whoever answers first", async () => {
  const { chain } = rig();
  const first = deferred<boolean>();
  chain.add([validates({ name: "slow" }, () => first.promise), validates({ name: "quick" }, () => true)]);
  const run = chain.execute(CALL);
  await settle();
  first.resolve(true);
  assert.deepEqual((await run).results.map(({ interceptor }) => interceptor), ["slow", "quick"]);
});

test("all active validators end before the chain rejects", async () => {
  const { chain } = rig();
  const slow = deferred<boolean>();
  chain.add([validates({ name: "no" }, () => false), validates({ name: "slow" }, () => slow.promise)]);
  let done = false;
  const run = chain.execute(CALL).finally(() => (done = true));
  await settle();
  assert.equal(done, false);
  slow.resolve(true);
  assert.deepEqual((await run).results.map(({ interceptor }) => interceptor), ["no", "slow"]);
});

test("a rejection when receiving keeps the mutators from running, a failed mutation when sending the validators", async () => {
  const ran: string[] = [];
  const { chain } = rig();
  chain.add([
    validates({ name: "v" }, () => (ran.push("v"), false)),
    mutates({ name: "m" }, () => (ran.push("m"), assert.fail("boom"))),
  ]);
  assert.equal((await chain.execute({ ...CALL, direction: "receiving" })).status, "validation_failed");
  assert.equal((await chain.execute({ ...CALL, direction: "sending" })).status, "mutation_failed");
  assert.deepEqual(ran, ["v", "m"]);
});

test("a mutated payload is judged again when receiving, by active validators that take part", async () => {
  const { chain, observed } = rig({ revalidate: "if-modified" });
  const seen: string[] = [];
  const judge = (name: string, mode: "active" | "audit" = "active") =>
    validator({ name, mode, hooks: BOTH_PHASES }, ({ payload, context }) => {
      seen.push(`${name} ${JSON.stringify(payload)}${context.revalidation ? " again" : ""}`);
      return { valid: true, messages: [{ message: context.revalidation ? "second" : "first", severity: context.revalidation ? "warn" : "info" }] };
    });
  const change = mutates({ name: "m" }, () => ({ name: "b" }));
  chain.add([judge("v"), judge("audit", "audit"), judge("once"), change], { overrides: { once: { revalidate: false } } });
  const result = await chain.execute({ ...CALL, payload: { name: "a" } });
  assert.deepEqual(seen, ['v {"name":"a"}', 'audit {"name":"a"}', 'once {"name":"a"}', 'v {"name":"b"} again']);
  assert.deepEqual(result.results.map(({ interceptor, revalidation }) => [interceptor, revalidation]), [
    ["v", undefined],
    ["audit", undefined],
    ["once", undefined],
    ["m", undefined],
    ["v", true],
  ]);
  // The second judgement of `v` stands for its first.
  assert.deepEqual(result.validationSummary, { errors: 0, warnings: 1, infos: 2 });
  assert.deepEqual(observed.filter((told) => "revalidation" in told).map(({ kind }) => kind), ["invoked", "verdict"]);
});

test("a second judgement may reject, and no payload comes out", async () => {
  const { chain } = rig({ revalidate: "if-modified" });
  chain.add([
    validates({ name: "v" }, ({ payload }) => (payload as { name: string }).name !== "rm"),
    mutates({ name: "m" }, () => ({ name: "rm" })),
  ]);
  const result = await chain.execute({ ...CALL, payload: { name: "ls" } });
  assert.equal(result.status, "validation_failed");
  assert.equal("finalPayload" in result, false);
  assert.deepEqual(result.lastValidPayload, { name: "rm" });
});

test("nothing is judged again by default, when sending, or when nothing was modified", async () => {
  let runs = 0;
  const { chain } = rig();
  chain.add([validates({ name: "v" }, () => (runs++, true)), mutator({ name: "m", hooks: BOTH_PHASES }, ({ payload }) => payload)]);
  await chain.execute({ ...CALL, revalidate: "if-modified" });
  assert.equal(runs, 1);
  chain.add(mutates({ name: "changes" }, () => ({ name: "other" })));
  await chain.execute(CALL);
  assert.equal(runs, 2);
  await chain.execute({ ...CALL, revalidate: "if-modified", direction: "sending" });
  assert.equal(runs, 3);
  await chain.execute({ ...CALL, revalidate: "if-modified" });
  assert.equal(runs, 5);
});
