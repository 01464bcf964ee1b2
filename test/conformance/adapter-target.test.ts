import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { isRequest, type Message } from "../../src/core/wire/message.ts";
import { serveAdapter } from "../../src/conformance/adapter-server.ts";
import { adapterTarget } from "../../src/conformance/adapter-target.ts";
import { runVectors, type VectorOutcome } from "../../src/conformance/kit.ts";
import { NoOutcome } from "../../src/conformance/no-outcome.ts";
import { ownTarget } from "../../src/conformance/own-target.ts";
import type { Target } from "../../src/conformance/target.ts";
import type { DescriptorVector, DialectVector, Vector } from "../../src/conformance/vector.ts";
import { fakeHost } from "../support/fake-host.ts";
import { vectors } from "./vectors.ts";

const HELLO = { protocol: 1, name: "scripted", kinds: ["chain", "descriptor", "dialect"], clock: "scripted" };
const ASKED = vectors.filter(({ kind }) => kind === "chain" || kind === "descriptor" || kind === "dialect");

/** What a scripted adapter sends for a request; messages lack their envelope. */
type Script = (request: { readonly id: string | number; readonly method: string; readonly params: JsonObject; readonly start: number }, end: () => void) => readonly JsonObject[];

interface Run {
  readonly outcomes: readonly VectorOutcome[];
  readonly starts: number;
}

/** Runs vectors against an adapter in memory, whose clock moves whenever nothing else happens. */
async function run(asked: readonly Vector[], serve: (transport: Transport, start: number) => unknown, tail?: string): Promise<Run> {
  const host = fakeHost();
  let starts = 0;
  const { target, close } = adapterTarget({
    host,
    timeoutMs: 10_000,
    startTimeoutMs: 30_000,
    open() {
      const [near, far] = memoryPair();
      void serve(far, ++starts);
      return Promise.resolve({ transport: near, ...(tail !== undefined && { stderrTail: () => tail }) });
    },
  });
  let ended = false;
  const running = runVectors(asked, target, { host, timeoutMs: 10_000 }).finally(() => (ended = true));
  while (!ended) await host.advance(1000);
  const outcomes = await running;
  await close();
  assert.equal(host.liveTimers, 0);
  return { outcomes, starts };
}

const scripted = (script: Script) => async (transport: Transport, start: number) => {
  for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) {
    const { message } = arrival.frame;
    assert.ok(isRequest(message));
    const { id, method, params = {} } = message;
    // Wrong messages are what this is for.
    for (const said of script({ id, method, params, start }, () => void transport.close())) await transport.send({ message: { jsonrpc: "2.0", ...said } as unknown as Message });
  }
};

const descriptor = (name: string, expect: unknown = { refused: true }): DescriptorVector => ({
  id: `descriptor/${name}`, kind: "descriptor", title: name, requirements: ["x"], input: { descriptor: { name } }, expect });
const nameOf = (params: JsonObject) => (params["descriptor"] as { readonly name?: unknown } | undefined)?.name;
const THREE = [descriptor("a"), descriptor("bad"), descriptor("c")];

/** Refuses all descriptors, but does otherwise for `bad`. */
const but = (wrong: Script): Script => (request, end) => {
  if (request.method === "hello") return [{ id: request.id, result: HELLO }];
  return nameOf(request.params) === "bad" ? wrong(request, end) : [{ id: request.id, result: { refused: true } }];
};

test("our engine behind the protocol meets every vector", async () => {
  const { outcomes, starts } = await run(ASKED, (transport) => serveAdapter(transport, ownTarget(), { name: "own", clock: "scripted" }));
  assert.deepEqual(outcomes.filter(({ status }) => status !== "passed"), []);
  assert.equal(starts, 1);
});

test("on a real clock it is asked with longer times, and meets all but what takes longer than there is", async () => {
  const { outcomes } = await run(ASKED, (transport) => serveAdapter(transport, ownTarget(), { name: "own", clock: "real" }));
  const others = outcomes.filter(({ status }) => status !== "passed").map(({ id, status, reason }) => [id, status, reason]);
  assert.deepEqual(others.sort(), [
    ["chain/time/default", "skipped", "a real clock needs 30000 ms for it, and has 5000 (half of the timeout for a vector)"],
    ["chain/time/sent-left", "skipped", "what a call is sent with after a wait is no fixed number on a real clock"],
  ]);
});

test("what it has no means to see it leaves out, and is not measured by; what else it does wrong in such a vector counts", async () => {
  const own = ownTarget();
  const blind: Target = {
    async chain(input) {
      const { cancelled: _c, unfinished: _u, lateAnswers: _l, logged: _g, ...outcome } = (await own.chain?.(input)) as JsonObject;
      return input.execute.timeoutMs === 100 ? { ...outcome, status: "odd" } : outcome;
    },
  };
  const { outcomes } = await run(ASKED.filter(({ kind }) => kind === "chain"), (transport) => serveAdapter(transport, blind, { name: "t", clock: "scripted" }));
  const of = (wanted: string) => outcomes.find(({ id }) => id === wanted);
  assert.deepEqual(["status", "reason"].map((name) => ({ ...of("chain/logged/open") })[name as "status"]), ["skipped", "the target does not report `logged`"]);
  assert.deepEqual([of("chain/abort/waiting")?.status, of("chain/detached/unfinished")?.status, of("chain/time/late-answer")?.status], ["skipped", "skipped", "skipped"]);
  assert.deepEqual([of("chain/time/cancelled-by-chain")?.status, of("chain/time/cancelled-by-chain")?.differs], ["failed", ["/status"]]);
  assert.deepEqual([of("chain/order/together")?.status, of("chain/refresh/added")?.status], ["passed", "passed"]);
});

const FAULTS: Record<string, [Script, RegExp]> = {
  "answers twice": [({ id }) => [{ id, result: { refused: true } }, { id, result: { refused: true } }], /the adapter: it answered twice/],
  "answers under another id": [() => [{ id: "other", result: { refused: true } }], /an answer that nobody waits for/],
  "answers with an error": [({ id }) => [{ id, error: { code: -32603, message: "null pointer" } }], /it answered with the error -32603: null pointer/],
  "answers neither yes nor no": [({ id }) => [{ id, result: { refused: false } }], /its answer has neither accepted nor refused: \{"refused":false\}/],
  "calls back": [() => [{ id: 1, method: "hello", params: {} }], /it sent what is no answer/],
  "ends": [(_, end) => (end(), []), /the adapter: it ended/],
  "never answers": [() => [], /no answer in 10000 ms/],
};
for (const [what, [script, why]] of Object.entries(FAULTS)) {
  test(`an adapter that ${what} has failed in that vector, which is no refusal, and answers the next`, async () => {
    const { outcomes } = await run(THREE, scripted(but(script)));
    assert.deepEqual(outcomes.map(({ status }) => status), ["passed", "failed", "passed"]);
    assert.match(outcomes[1]?.actual ?? "", why);
  });
}

test("what it said on stderr is told with its failure, the last of it", async () => {
  const tail = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
  const { outcomes } = await run(THREE, scripted(but(({ id }) => [{ id, error: { code: 1, message: "no" } }])), `${tail}\n`);
  assert.match(outcomes[1]?.actual ?? "", /^the adapter: it answered with the error 1: no; on stderr: line 10\nline 11\n.*\nline 49$/s);
});

test("one that hangs in a call but takes others is not started again, and its late answer is nobody's", async () => {
  const held: JsonObject[] = [];
  const slow: Script = ({ id, method, params }) => {
    if (method === "hello") return [{ id, result: HELLO }];
    if (nameOf(params) !== "bad") return [{ id, result: { refused: true } }, ...held.splice(0)];
    held.push({ id, result: { refused: true } });
    return [];
  };
  const { outcomes, starts } = await run([...THREE, descriptor("d")], scripted(slow));
  assert.deepEqual(outcomes.map(({ status }) => status), ["passed", "failed", "passed", "passed"]);
  assert.equal(starts, 1);
});

test("one that takes nothing after it has hung is started again", async () => {
  let hung = 0;
  const { outcomes, starts } = await run(THREE, scripted((request, end) => (hung === request.start ? [] : but(({ start }) => ((hung = start), []))(request, end))));
  assert.deepEqual([outcomes.map(({ status }) => status), starts], [["passed", "failed", "passed"], 2]);
});

test("one that keeps crashing is started 20 times, and then no more", async () => {
  const all = Array.from({ length: 25 }, () => descriptor("bad"));
  const { outcomes, starts } = await run(all, scripted(but((_, end) => (end(), []))));
  assert.equal(starts, 20);
  assert.equal(outcomes.length, 25);
  for (const { status } of outcomes) assert.equal(status, "failed");
  assert.match(outcomes[24]?.actual ?? "", /it has been started 20 times, and no more/);
});

test("one that does not say hello is started once, and has failed in each vector", async () => {
  const wrong: [JsonObject, RegExp][] = [
    [{ ...HELLO, protocol: 2 }, /has protocol 2 and not 1/],
    [{ ...HELLO, protocol: undefined }, /has protocol undefined and not 1/],
    [{ ...HELLO, name: "" }, /has no name/],
    [{ ...HELLO, kinds: [] }, /has no kinds/],
    [{ ...HELLO, kinds: ["chain", "guard"] }, /has the kind "guard"; there are chain, descriptor, dialect/],
    [{ ...HELLO, clock: "sand" }, /has the clock "sand"/],
  ];
  for (const [hello, why] of wrong) {
    const { outcomes, starts } = await run(THREE, scripted(({ id }) => [{ id, result: hello }]));
    assert.equal(starts, 1);
    for (const { status, actual } of outcomes) {
      assert.equal(status, "failed");
      assert.match(actual ?? "", why);
    }
  }
  const mute = await run(THREE, scripted(() => []));
  assert.match(mute.outcomes[2]?.actual ?? "", /it does not start: no answer to hello in 30000 ms/);
});

test("a program that cannot be started is a failure in each vector", async () => {
  const host = fakeHost();
  const open = () => Promise.reject(new LocalError("spawn_failed", "no such command"));
  const { target, close } = adapterTarget({ host, timeoutMs: 100, startTimeoutMs: 100, open });
  const outcomes = await runVectors(THREE, target, { host });
  await close();
  assert.deepEqual(outcomes.map(({ actual }) => actual), THREE.map(() => "the adapter: it does not start: no such command"));
});

test("kinds that it does not name are skipped with the reason, unasked, and so is what it says to be unsupported", async () => {
  const dialect: DialectVector = { id: "dialect/x", kind: "dialect", title: "x", requirements: ["x"], input: { asked: { name: "a", type: "validation", phase: "request" }, answer: {} }, expect: { malformed: true } };
  const asked: string[] = [];
  const script = but(({ id }) => [{ id, result: { unsupported: "no such thing here", refused: true } }]);
  const { outcomes } = await run([...THREE, dialect], scripted((request, end) => {
    asked.push(request.method);
    return request.method === "hello" ? [{ id: request.id, result: { ...HELLO, kinds: ["descriptor"] } }] : script(request, end);
  }));
  assert.deepEqual(outcomes.map(({ status, reason }) => [status, reason]), [
    ["passed", undefined],
    ["skipped", "no such thing here"],
    ["passed", undefined],
    ["skipped", "the adapter does not answer dialect vectors"],
  ]);
  assert.deepEqual(asked, ["hello", "descriptor", "descriptor", "descriptor"]);
});

test("a target behind the protocol says for itself what it does not support, and a fault of its own is an error", async () => {
  const target: Target = {
    descriptor(value) {
      const { name } = value as { readonly name: string };
      if (name === "a") throw new LocalError("refused", "as it should");
      throw name === "bad" ? new NoOutcome("unsupported", "not here") : new NoOutcome("broken", "oh no");
    },
  };
  const { outcomes } = await run(THREE, (transport) => serveAdapter(transport, target, { name: "t", clock: "real" }));
  assert.deepEqual(outcomes.map(({ status }) => status), ["passed", "skipped", "failed"]);
  assert.match(outcomes[2]?.actual ?? "", /error -32603: oh no/);
});

test("a call that the protocol does not have is an error, and no end", async () => {
  const [near, far] = memoryPair();
  const serving = serveAdapter(far, ownTarget(), { name: "own", version: "1", clock: "scripted" });
  const say = (id: number, method: string) => near.send({ message: { jsonrpc: "2.0", id, method, params: {} } });
  await say(1, "fly");
  await say(2, "hello");
  const answers = [await near.receive(), await near.receive()].map((arrival) => arrival?.frame.message);
  assert.deepEqual(answers, [
    { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "there is no call fly" } },
    { jsonrpc: "2.0", id: 2, result: { protocol: 1, name: "own", version: "1", clock: "scripted", kinds: ["chain", "descriptor", "dialect"] } },
  ]);
  await near.close();
  await serving;
});
