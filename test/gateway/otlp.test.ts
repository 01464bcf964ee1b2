import assert from "node:assert/strict";
import { test } from "node:test";
import type { GuardEvent } from "../../src/core/guard/events.ts";
import { decisionEvent } from "../../src/core/guard/events.ts";
import type { HttpAnswer, HttpCall } from "../../src/core/http/exchange.ts";
import { createOtlp, type OtlpOptions } from "../../src/gateway/otlp.ts";
import type { Attribute, Span } from "../../src/gateway/otlp-spans.ts";
import { mutates, validates } from "../core/chain/kit.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { call, guardedPair, textResult } from "../support/guarded-pair.ts";
import { answerOf } from "./auth-kit.ts";
import { decision } from "./decision-kit.ts";

const TRACE = "a".repeat(32);
const PARENT = "b".repeat(16);

function rig(options: Partial<OtlpOptions> = {}) {
  const host = options.host ?? fakeHost();
  const calls: HttpCall[] = [];
  const log: string[] = [];
  const collector = { answer: (): Promise<HttpAnswer> => Promise.resolve(answerOf(200, "{}")) };
  const otlp = createOtlp({
    url: "http://127.0.0.1:4318/v1/traces",
    host,
    send: (made) => {
      calls.push(made);
      return collector.answer();
    },
    log: (text) => log.push(text),
    ...options,
  });
  const spans = (): Span[] => calls.flatMap(({ body = "" }) => (JSON.parse(body) as { resourceSpans: [{ scopeSpans: [{ spans: Span[] }] }] }).resourceSpans[0].scopeSpans[0].spans);
  return { host: host as ReturnType<typeof fakeHost>, calls, log, collector, otlp, spans };
}
const passed = (traceId = TRACE): GuardEvent => decisionEvent(decision({ traceId }), 1);
const valuesOf = (attributes: readonly Attribute[]) => Object.fromEntries(attributes.map(({ key, value }) => [key.replace("mcp_interceptors.", ""), Object.values(value)[0] as unknown]));

test("a message is a span below the one it names, and each interceptor a span below that", async () => {
  const { host, calls, otlp, spans } = rig();
  const crash = () => {
    throw new TypeError("s3cret");
  };
  const pair = guardedPair(
    [validates({ name: "ok" }, () => true), validates({ name: "crashes", failOpen: true }, crash), mutates({ name: "stamp" }, ({ payload }) => ({ ...payload, isError: false }))],
    { observe: (event) => otlp.observe(event, "files") },
  );
  const params = { name: "echo", arguments: {}, _meta: { traceparent: `00-${TRACE}-${PARENT}-01` } };
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await pair.fromApp(textResult(1, "hi"));
  await settle();
  assert.equal(calls.length, 0, "spans wait for others");
  await host.advance(1_000);
  assert.equal(calls.length, 1);
  const messages = spans().filter(({ name }) => name.startsWith("judge"));
  assert.deepEqual(messages.map(({ name, traceId, parentSpanId, status }) => [name, traceId, parentSpanId, status.code]), [
    ["judge tools/call request", TRACE, PARENT, 1],
    ["judge tools/call response", TRACE, PARENT, 1],
  ]);
  for (const { spanId } of messages) {
    const children = spans().filter(({ parentSpanId }) => parentSpanId === spanId);
    const first = children.filter(({ attributes }) => valuesOf(attributes)["revalidation"] === undefined);
    assert.deepEqual(first.map(({ attributes, status }) => [valuesOf(attributes)["interceptor"], valuesOf(attributes)["outcome"], status.code]).sort(), [
      ["local/crashes", "failed", 2],
      ["local/ok", "valid", 0],
      ["local/stamp", "modified", 0],
    ]);
  }
  assert.equal(new Set(spans().map(({ spanId }) => spanId)).size, spans().length);
  assert.deepEqual(valuesOf(messages[0]!.attributes), {
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "echo",
    upstream: "files",
    phase: "request",
    message: "request",
    role: "server",
    direction: "receiving",
    verdict: "changed",
  });
  assert.ok(!calls[0]!.body!.includes("s3cret"));
  assert.match(messages[0]!.startTimeUnixNano, /^\d{19}$/);
});

test("times are those of the decision, to the nanosecond's digits", async () => {
  const { host, otlp, spans } = rig();
  otlp.observe(passed(), "u");
  await host.advance(1_000);
  const [span] = spans();
  assert.deepEqual([span!.startTimeUnixNano, span!.endTimeUnixNano], ["1785196800987500000", "1785196801000000000"]);
});

test("a message that names no span begins a trace, one that was refused unjudged is in none, and a block is an error", async () => {
  const { host, otlp, spans } = rig();
  const pair = guardedPair([validates({ name: "no" }, () => false)], { observe: (event) => otlp.observe(event, "u") });
  await pair.fromPeer(call(1));
  otlp.observe(decisionEvent(decision({ verdict: "blocked", reason: "duplicate_id" }), 0), "u");
  await host.advance(1_000);
  const [message, child, ...rest] = spans();
  assert.deepEqual([message!.parentSpanId, child!.parentSpanId === message!.spanId, rest.length], [undefined, true, 0]);
  assert.deepEqual(message!.status, { code: 2, message: "validation_failed" });
});

test("the resource says which service it is, and headers go along", async () => {
  const { host, calls, otlp } = rig({ serviceName: "team-gateway", resource: { "deployment.environment.name": "test" }, headers: [["api-key", "k"]] });
  otlp.observe(passed(), "u");
  await host.advance(1_000);
  const [{ body = "", headers, method }] = calls as [HttpCall];
  const { resource } = (JSON.parse(body) as { resourceSpans: [{ resource: { attributes: Attribute[] } }] }).resourceSpans[0];
  assert.deepEqual(valuesOf(resource.attributes), { "deployment.environment.name": "test", "service.name": "team-gateway" });
  assert.deepEqual([method, headers], ["POST", [["content-type", "application/json"], ["api-key", "k"]]]);
});

test("a full batch goes at once, one request at a time, and what finds the queue full is dropped and counted", async () => {
  const { host, calls, collector, log, otlp } = rig({ batch: 2, maxQueued: 5 });
  let release!: (answer: HttpAnswer) => void;
  collector.answer = () => new Promise((resolve) => (release = resolve));
  for (let count = 0; count < 9; count++) otlp.observe(passed(), "u");
  await settle();
  assert.deepEqual([calls.length, otlp.stats()], [1, { sent: 0, dropped: 4, waiting: 5 }]);
  assert.deepEqual(log, ["spans are being lost: 5 wait to be sent"]);
  collector.answer = () => Promise.resolve(answerOf(202, ""));
  release(answerOf(200, "{}"));
  await settle();
  assert.deepEqual(otlp.stats(), { sent: 5, dropped: 4, waiting: 0 });
  assert.deepEqual(log.slice(1), ["spans arrive again"]);
  assert.equal(host.liveTimers, 0);
});

test("what a busy collector does not take is sent again, a while later each time, and in the end dropped; what it refuses is dropped at once", async () => {
  for (const [answer, tries] of [
    [() => Promise.resolve(answerOf(503, "")), 3],
    [() => Promise.reject(new TypeError("refused")), 3],
    [() => new Promise<never>(() => {}), 3],
    [() => Promise.resolve(answerOf(400, "")), 1],
  ] as const) {
    const { host, calls, collector, otlp } = rig({ attempts: 3, timeoutMs: 100 });
    collector.answer = answer;
    otlp.observe(passed(), "u");
    await host.advance(10_000);
    assert.deepEqual([calls.length, otlp.stats()], [tries, { sent: 0, dropped: 1, waiting: 0 }]);
    assert.equal(host.liveTimers, 0);
    collector.answer = () => Promise.resolve(answerOf(200, ""));
    otlp.observe(passed(), "u");
    await host.advance(1_000);
    assert.equal(otlp.stats().sent, 1, "it goes on");
  }
});

test("closing sends what waits, and ends within its time", async () => {
  const { host, collector, otlp } = rig();
  otlp.observe(passed(), "u");
  await otlp.close();
  otlp.observe(passed(), "u");
  assert.deepEqual(otlp.stats(), { sent: 1, dropped: 0, waiting: 0 });
  assert.equal(host.liveTimers, 0);
  const other = rig();
  other.collector.answer = () => new Promise<never>(() => {});
  other.otlp.observe(passed(), "u");
  const closed = other.otlp.close(50);
  await other.host.advance(50);
  await closed;
  assert.deepEqual(other.otlp.stats(), { sent: 0, dropped: 1, waiting: 0 });
  assert.equal(other.host.liveTimers, 0);
  void collector;
});

test("messages whose decision never comes take no memory for ever", async () => {
  const { host, otlp, spans } = rig();
  const planned = (trace: number): GuardEvent => ({ kind: "planned", run: 1, at: "2026-07-28T00:00:00.000Z", event: "e", phase: "request", traceId: trace.toString(16).padStart(32, "0"), direction: "receiving", interceptors: 1 });
  const ended = (trace: number): GuardEvent => ({ ...planned(trace), kind: "verdict", address: "l/a", interceptor: "a", type: "validation", mode: "active", outcome: "valid", elapsedMs: 1 }) as GuardEvent;
  for (let trace = 1; trace <= 10_001; trace++) otlp.observe(planned(trace), "u");
  for (const trace of [1, 2, 10_001]) {
    otlp.observe(ended(trace), "u");
    otlp.observe(passed(trace.toString(16).padStart(32, "0")), "u");
  }
  await host.advance(1_000);
  assert.equal(spans().length, 5, "the oldest was forgotten: its span has no child");
});
