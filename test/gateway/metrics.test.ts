import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import { createChain } from "../../src/core/chain/chain.ts";
import { withBreaker } from "../../src/gateway/breaker.ts";
import { createMetrics, type Metrics } from "../../src/gateway/metrics.ts";
import { createRegistry } from "../../src/gateway/metrics-registry.ts";
import { formatMetrics, mergeMetrics } from "../../src/gateway/metrics-text.ts";
import { mutates, remoteSource, validates } from "../core/chain/kit.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { call, guardedPair, textResult } from "../support/guarded-pair.ts";
import { send } from "../support/http-exchange.ts";
import { request } from "./auth-kit.ts";
import { NEVER } from "../support/never.ts";

const lineOf = (metrics: Pick<Metrics, "text">, name: string): string[] => metrics.text().split("\n").filter((line) => line.startsWith(`mcp_interceptors_${name}`));

test("what guards judge is counted: messages by verdict, invocations by outcome, failures, what was let pass, durations", async () => {
  const metrics = createMetrics({ bounds: [0.01, 1] });
  const crash = () => {
    throw new TypeError("no");
  };
  const interceptors = [
    validates({ name: "no-shell" }, ({ payload }) => (payload as { name?: string }).name !== "shell"),
    validates({ name: "crashes", failOpen: true }, crash),
    validates({ name: "watches", mode: "audit" }, crash),
    mutates({ name: "stamp" }, ({ payload }) => ({ ...payload, isError: false })),
  ];
  const hung = () => new Promise<boolean>(() => {});
  const pair = guardedPair([], {
    observe: (event) => metrics.observe(event, "files"),
    chainOf: (host) => {
      const chain = createChain({ host });
      chain.add(interceptors);
      chain.add(validates({ name: "hangs", failOpen: true }, hung), { overrides: { hangs: { timeoutMs: 20 } } });
      return chain;
    },
  });
  await pair.fromPeer(call(1, "shell"));
  await pair.host.advance(60);
  await pair.fromPeer(call(2));
  await pair.host.advance(60);
  await pair.fromApp(textResult(2, "hi"));
  await pair.host.advance(60);
  await settle();
  assert.deepEqual(lineOf(metrics, "messages_total").sort(), [
    'mcp_interceptors_messages_total{upstream="files",event="tools/call",phase="request",verdict="blocked"} 1',
    'mcp_interceptors_messages_total{upstream="files",event="tools/call",phase="request",verdict="changed"} 1',
    'mcp_interceptors_messages_total{upstream="files",event="tools/call",phase="response",verdict="changed"} 1',
  ]);
  assert.deepEqual(lineOf(metrics, "blocked_total"), ['mcp_interceptors_blocked_total{upstream="files",reason="validation_failed",interceptor="no-shell"} 1']);
  // The request, its second look after the mutation, and the response.
  assert.deepEqual(lineOf(metrics, "fail_open_total").sort(), [
    'mcp_interceptors_fail_open_total{upstream="files",interceptor="crashes"} 3',
    'mcp_interceptors_fail_open_total{upstream="files",interceptor="hangs"} 3',
  ]);
  assert.ok(lineOf(metrics, "failures_total").some((line) => /interceptor="hangs",reason="timeout"\} 4$/.test(line)));
  assert.ok(lineOf(metrics, "invocations_total").includes('mcp_interceptors_invocations_total{upstream="files",interceptor="stamp",mode="active",outcome="mutated"} 2'));
  assert.ok(lineOf(metrics, "invocations_total").some((line) => line.includes('interceptor="watches",mode="audit",outcome="failed"')));
  const hangs = lineOf(metrics, "invocation_seconds").filter((line) => line.includes('"hangs"'));
  assert.match(hangs[0] ?? "", /le="0.01"\} 0$/);
  assert.match(hangs[1] ?? "", /le="1"\} 4$/);
});

test("methods that anybody can make up are counted together", async () => {
  const metrics = createMetrics();
  const host = fakeHost();
  const pair = guardedPair([validates({ name: "all", hooks: [{ events: ["*"], phase: "request" }] } as never, () => true)], { observe: (event) => metrics.observe(event, "u") });
  for (let id = 0; id < 20; id++) await pair.fromPeer({ jsonrpc: "2.0", id, method: `made/up-${id}`, params: {} });
  assert.deepEqual(lineOf(metrics, "messages_total"), ['mcp_interceptors_messages_total{upstream="u",event="other",phase="request",verdict="passed"} 20']);
  assert.equal(host.liveTimers, 0);
});

test("a family holds so many series, and counts the rest together", () => {
  const registry = createRegistry(3);
  const counter = registry.counter({ name: "c", help: "c", labels: ["a", "b"] });
  const histogram = registry.histogram({ name: "h", help: "h", labels: ["a"] }, [1]);
  for (let index = 0; index < 10; index++) {
    counter.add([`a${index}`, "b"]);
    histogram.observe([`a${index}`], index);
  }
  counter.add(["a0", "b"]);
  const [c, h] = registry.snapshot().families;
  assert.deepEqual(c!.series.map(({ labels, value }) => [labels.join(), value]), [["a0,b", 2], ["a1,b", 1], ["a2,b", 1], ["other,other", 7]]);
  assert.deepEqual(h!.series.at(-1), { labels: ["other"], value: 42, buckets: [0, 7] });
});

test("names that Prometheus would refuse are refused, and so is one that is taken", () => {
  const registry = createRegistry(3);
  registry.counter({ name: "c", help: "c" });
  assert.throws(() => registry.gauge({ name: "c", help: "c" }, () => []), { code: "conflict" });
  for (const family of [{ name: "a-b", help: "" }, { name: "a", help: "", labels: ["1"] }]) assert.throws(() => registry.counter(family), { code: "invalid_argument" });
});

test("the text escapes what it quotes, and its buckets add up", () => {
  const registry = createRegistry(10);
  registry.counter({ name: "c", help: "one\ntwo \\", labels: ["a"] }).add(['"x"\\\n}']);
  const histogram = registry.histogram({ name: "h", help: "h" }, [0.5, 1]);
  for (const value of [0.25, 0.5, 0.75, 3]) histogram.observe([], value);
  registry.gauge({ name: "g", help: "g" }, () => [{ labels: [], value: NaN }]);
  registry.gauge({ name: "broken", help: "b" }, () => {
    throw new TypeError("no");
  });
  assert.equal(
    formatMetrics(registry.snapshot()),
    [
      "# HELP c one\\ntwo \\\\\n# TYPE c counter",
      'c{a="\\"x\\"\\\\\\n}"} 1',
      "# HELP h h\n# TYPE h histogram",
      'h_bucket{le="0.5"} 2\nh_bucket{le="1"} 3\nh_bucket{le="+Inf"} 4\nh_sum 4.5\nh_count 4',
      "# HELP g g\n# TYPE g gauge\ng NaN",
      "# HELP broken b\n# TYPE broken gauge\n",
    ].join("\n"),
  );
});

test("workers are added up, through JSON as it is, and what does not fit together is not mixed", () => {
  const worker = (bounds: readonly number[], count: number) => {
    const registry = createRegistry(10);
    const counter = registry.counter({ name: "c", help: "c", labels: ["a"] });
    counter.add(["x"], count);
    counter.add([`only-${count}`]);
    registry.histogram({ name: "h", help: "h" }, bounds).observe([], count);
    return JSON.parse(JSON.stringify(registry.snapshot())) as ReturnType<typeof registry.snapshot>;
  };
  const { families } = mergeMetrics([worker([1], 1), worker([1], 2), worker([5], 3)]);
  assert.deepEqual(families[0]!.series.map(({ labels, value }) => [labels[0], value]), [["x", 6], ["only-1", 1], ["only-2", 1], ["only-3", 1]]);
  assert.deepEqual(families[1]!.series, [{ labels: [], value: 3, buckets: [1, 1] }]);
  assert.deepEqual(mergeMetrics([]), { families: [] });
});

test("breakers, queues, the audit and the gateway are read when somebody asks", async () => {
  const metrics = createMetrics();
  const source = withBreaker(remoteSource("s", [], () => Promise.reject(new LocalError("closed", "gone"))), { host: fakeHost(), failures: 1 });
  metrics.watchBreakers(() => [source]);
  metrics.watchQueue("spans", () => ({ waiting: 3, dropped: 4 }));
  metrics.watchQueue("events", () => ({ waiting: 0, dropped: 1 }));
  metrics.watchAudit(() => ({ written: 5, failed: 1, queued: 2, head: { writer: "w", seq: 5, hash: "h" } }));
  const upstream = { connections: 1, calls: 2, lost: 3, failedStarts: 4, backOffMs: 500 };
  metrics.watchGateway(() => ({ faces: 1, calls: 2, parked: 0, upstreams: { files: upstream } }));
  assert.deepEqual(lineOf(metrics, "breaker_state"), []);
  await assert.rejects(async () => source.invoke({ name: "v", event: "e", phase: "request" }, NEVER));
  assert.throws(() => source.invoke({ name: "v", event: "e", phase: "request" }, NEVER));
  assert.deepEqual(lineOf(metrics, "breaker_state").map((line) => line.replace(/^.*state="/, "")), ['closed"} 0', 'half_open"} 0', 'open"} 1']);
  assert.deepEqual(lineOf(metrics, "breaker_refused"), [
    'mcp_interceptors_breaker_refused_total{source="s",interceptor="v",why="open"} 1',
    'mcp_interceptors_breaker_refused_total{source="s",interceptor="v",why="busy"} 0',
  ]);
  assert.deepEqual(lineOf(metrics, "queued").concat(lineOf(metrics, "dropped")), [
    'mcp_interceptors_queued{queue="spans"} 3',
    'mcp_interceptors_queued{queue="events"} 0',
    'mcp_interceptors_dropped_total{queue="spans"} 4',
    'mcp_interceptors_dropped_total{queue="events"} 1',
  ]);
  assert.deepEqual(lineOf(metrics, "audit"), ['mcp_interceptors_audit_records_total{outcome="written"} 5', 'mcp_interceptors_audit_records_total{outcome="failed"} 1', "mcp_interceptors_audit_queued 2"]);
  assert.ok(lineOf(metrics, "upstream_back_off").includes('mcp_interceptors_upstream_back_off_seconds{upstream="files"} 0.5'));
});

test("callers are counted by what became of them, and nothing about them is changed", async () => {
  const metrics = createMetrics();
  const check = metrics.authenticate(({ token }) => {
    if (token === "broken") throw new TypeError("no");
    if (token === "good") return { principal: { type: "user" } };
    return token === undefined ? { challenge: {} } : { challenge: { error: "invalid_token" } };
  });
  assert.deepEqual(await check(request("good")), { principal: { type: "user" } });
  await check(request());
  await check(request("bad"));
  await assert.rejects(async () => check(request("broken")), TypeError);
  assert.deepEqual(lineOf(metrics, "authentications").map((line) => line.replace(/^.*outcome=/, "")), ['"admitted"} 1', '"no_token"} 1', '"invalid_token"} 1', '"failed"} 1']);
});

test("requests over HTTP are counted by upstream and status, names that nothing has together", async () => {
  const host = fakeHost();
  const metrics = createMetrics({ host, bounds: [1] });
  const handle = metrics.http(async ({ path }) => {
    await host.advance(2_000);
    return { status: path === "/files/mcp" ? 200 : 404, headers: [] };
  });
  // A session that is gone is told so by the upstream that it was at.
  metrics.watchGateway(() => ({ faces: 0, calls: 0, parked: 0, upstreams: { notes: { connections: 0, calls: 0, lost: 0, failedStarts: 0, backOffMs: 0 } } }));
  for (const [path, method] of [["/files/mcp", "POST"], ["/notes/mcp", "POST"], ["/made-up/mcp", "POST"], ["/x", "BREW"]] as const) await send(handle, { path, method }).response;
  assert.deepEqual(lineOf(metrics, "http_requests"), [
    'mcp_interceptors_http_requests_total{upstream="files",method="POST",status="200"} 1',
    'mcp_interceptors_http_requests_total{upstream="notes",method="POST",status="404"} 1',
    'mcp_interceptors_http_requests_total{upstream="other",method="POST",status="404"} 1',
    'mcp_interceptors_http_requests_total{upstream="other",method="other",status="404"} 1',
  ]);
  assert.equal(lineOf(metrics, "http_answer_seconds_sum")[0], 'mcp_interceptors_http_answer_seconds_sum{upstream="files",method="POST"} 2');
});
