import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Coverage } from "../../../src/core/chain/coverage.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardCoverage, type CoverageOptions } from "../../../src/core/guard/coverage.ts";
import { formatCoverage } from "../../../src/core/guard/coverage-text.ts";
import { mutator, validator, type HookDeclaration, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { METHODS } from "../../../src/core/wire/methods.ts";
import { call, guardedPair, notice, textResult } from "../../support/guarded-pair.ts";
import { deferred } from "../chain/kit.ts";

const hook = (phase: "request" | "response", ...events: string[]): HookDeclaration => ({ events, phase });
const validates = (name: string, ...hooks: HookDeclaration[]) => validator({ name, hooks }, () => true);
const mutates = (name: string, priorityHint: number, ...hooks: HookDeclaration[]) => mutator({ name, priorityHint, hooks }, ({ payload }) => payload);

function coverage(interceptors: readonly Interceptor[], options: CoverageOptions = { role: "server" }): Coverage {
  const chain = createChain();
  if (interceptors.length > 0) chain.add(interceptors);
  return guardCoverage(chain, options);
}

function row({ rows }: Coverage, method: string, phase: "request" | "response" = "request", from: "client" | "server" = "client") {
  const found = rows.filter((one) => one.method === method && one.phase === phase && one.from === from);
  assert.equal(found.length, 1, `${method} ${phase} ${from}`);
  return found[0]!;
}

const names = ({ steps }: ReturnType<typeof row>) => steps.map(({ type, interceptors }) => [type, ...interceptors.map(({ address, mode }) => (mode === "audit" ? `${address} (audit)` : address))]);

test("every method of MCP is there, with each side that sends it and each phase that it has, in the direction of the guard's role", () => {
  for (const role of ["server", "client"] as const) {
    const report = coverage([], { role });
    for (const [method, known] of METHODS) {
      const senders = (["client", "server"] as const).filter((from) => known[from] !== undefined || (from === "server" && "embedded" in known));
      assert.ok(senders.length > 0, method);
      for (const from of ["client", "server"] as const) {
        const phases = report.rows.filter((one) => one.method === method && one.from === from).map(({ phase }) => phase);
        const expected = !senders.includes(from) ? [] : known.kind === "request" ? ["request", "response"] : ["request"];
        assert.deepEqual(phases, expected, `${method} from ${from}`);
      }
    }
    const mine = role === "server" ? "receiving" : "sending";
    const other = role === "server" ? "sending" : "receiving";
    assert.deepEqual([row(report, "tools/call").direction, row(report, "tools/call", "response").direction], [mine, other]);
    const sampling = "sampling/createMessage";
    assert.deepEqual([row(report, sampling, "request", "server").direction, row(report, sampling, "response", "server").direction], [other, mine]);
  }
});

test("the steps are those that a message meets, in the same order", async () => {
  for (const role of ["server", "client"] as const) {
    const ran: string[] = [];
    const note = (name: string) => validator({ name, hooks: [hook("request", "tools/call")] }, () => ran.push(name) > 0);
    const change = (name: string, priorityHint: number) =>
      mutator({ name, priorityHint, hooks: [hook("request", "*")] }, ({ payload }) => (ran.push(name), payload));
    const pair = guardedPair([change("late", 9), note("v1"), change("early", -1), note("v2")], { role });
    const steps = names(row(pair.guard.coverage(), "tools/call")).flatMap(([, ...addresses]) => addresses.map((address) => address!.slice("local/".length)));
    await (role === "server" ? pair.fromPeer(call(1)) : pair.fromApp(call(1)));
    assert.deepEqual(steps, ran);
  }
});

test("what nothing hooks is told apart from what is never intercepted, and why", () => {
  const report = coverage([validates("v", hook("request", "tools/call"))]);
  assert.equal(row(report, "tools/call").status, "intercepted");
  assert.deepEqual([row(report, "tools/call", "response").status, row(report, "prompts/get").status], ["unhooked", "unhooked"]);
  for (const method of ["initialize", "server/discover", "ping", "notifications/initialized", "notifications/cancelled", "notifications/progress"]) {
    const { status, why } = row(report, method);
    assert.equal(status, "never", method);
    assert.ok(why);
  }
  assert.equal(row(report, "interceptors/list").status, "unhooked");
  assert.equal(row(coverage([], { role: "server", policy: { hostsChain: true } }), "interceptors/list").status, "never");
});

test("never means never: no interceptor on everything sees such a message, and each other one is seen", async () => {
  const seen: string[] = [];
  const all = validator({ name: "all", hooks: [hook("request", "*"), hook("response", "*")] }, ({ event }) => seen.push(event) > 0);
  const pair = guardedPair([all]);
  const report = pair.guard.coverage();
  for (const { method, kind, from, phase, status } of report.rows) {
    if (from !== "client" || phase !== "request" || method.includes("*") || kind !== "notification") continue;
    seen.length = 0;
    await pair.fromPeer(notice(method, { progressToken: 1, progress: 1, requestId: 1, level: "info", data: 1, uri: "x:y" }));
    assert.deepEqual(seen, status === "intercepted" ? [method] : [], method);
  }
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "ping" }, call(2), { jsonrpc: "2.0", id: 3, method: "acme/do" });
  assert.deepEqual([seen, row(report, "ping").status, row(report, "*").status], [["tools/call", "acme/do"], "never", "intercepted"]);
});

test("notifications are covered where the policy has them judged", () => {
  const v = validates("v", hook("request", "notifications/message"));
  assert.equal(row(coverage([v]), "notifications/message", "request", "server").status, "never");
  const on = coverage([v], { role: "server", policy: { interceptNotifications: true } });
  assert.equal(row(on, "notifications/message", "request", "server").status, "intercepted");
  assert.equal(row(on, "notifications/cancelled").status, "never");
});

test("a subscription is covered by what hooks the resources it names, and a task's result by its creator's chain", () => {
  const report = coverage([validates("v", hook("request", "resources/subscribe")), validates("w", hook("response", "tools/call"))]);
  assert.deepEqual([row(report, "subscriptions/listen").status, row(report, "subscriptions/listen").also], ["intercepted", ["resources/subscribe"]]);
  const { status, steps, why } = row(report, "tasks/result", "response");
  assert.deepEqual([status, steps], ["intercepted", []]);
  assert.match(why ?? "", /created the task/);
});

test("error responses list those interceptors that handle them", () => {
  const report = coverage([validates("plain", hook("response", "*")), validator({ name: "errors", handlesErrors: true, hooks: [hook("response", "tools/call")] }, () => true)]);
  assert.deepEqual(row(report, "tools/call", "response").errors, ["local/errors"]);
  assert.equal("errors" in row(report, "prompts/get", "response"), false);
});

describe("an interceptor that can never run", () => {
  const reach = (interceptor: Interceptor, options?: CoverageOptions) => {
    const { reach: what, why } = coverage([interceptor], options).interceptors[0]!;
    return [what, why];
  };

  test("shows, with the reason", () => {
    const rows: [Interceptor, RegExp][] = [
      [validates("x", hook("request", "initialize"), hook("response", "ping")), /initialize: .*; ping: /],
      [validates("x", hook("request", "notifications/message")), /interceptNotifications is off/],
      [validates("x", hook("response", "notifications/message")), /has no response/],
      [validates("x", hook("response", "tasks/result")), /created the task/],
      [validator({ name: "x", hooks: [hook("request", "*")], compat: { minProtocol: "2999-01-01" } }, () => true), /no revision known here/],
    ];
    for (const [interceptor, why] of rows) {
      const [what, told] = reach(interceptor);
      assert.equal(what, "nothing");
      assert.match(told ?? "", why);
    }
    const hosted = reach(validates("x", hook("request", "interceptors/list")), { role: "server", policy: { hostsChain: true } });
    assert.equal(hosted[0], "nothing");
  });

  test("is not one that hooks a method of MCP, or one that only messages of other names would reach", () => {
    for (const pattern of ["*", "tools/*", "notifications/tasks/status", "interceptors/list"]) {
      const options = { role: "server", policy: { interceptNotifications: true } } as const;
      assert.deepEqual(reach(validates("x", hook("request", pattern)), options), ["methods", undefined], pattern);
    }
    for (const pattern of ["llm/completion", "acme/*", "tools/custom"]) assert.equal(reach(validates("x", hook("request", pattern)))[0], "others", pattern);
  });
});

test("the counters of each interceptor are live", async () => {
  const requests = [hook("request", "tools/call")];
  const slow = deferred<boolean>();
  const pair = guardedPair([
    validator({ name: "judge", hooks: requests }, ({ payload }) => ((payload as { name: string }).name === "rm" ? deny("no") : true)),
    mutator({ name: "stamp", hooks: requests }, ({ payload }) => ({ ...(payload as object), stamped: true })),
    validator({ name: "crash", failOpen: true, hooks: [hook("response", "tools/call")] }, () => assert.fail("x")),
    validator({ name: "slow", failOpen: true, timeoutMs: 10, hooks: [hook("response", "tools/call")] }, () => slow.promise),
    validator({ name: "shadow", mode: "audit", hooks: requests }, () => false),
    validates("idle", hook("request", "prompts/get")),
  ]);
  await pair.fromPeer(call(1), call(2, "rm"));
  await pair.host.advance(1_000);
  await pair.fromApp(textResult(1, "x"));
  await pair.host.advance(10);
  slow.resolve(true);
  await pair.host.advance(0);
  const counts = pair.guard.coverage().interceptors.map(({ address, runs, blocked, changed, failed, timedOut, late, lastRunAt }) => [address, runs, blocked, changed, failed, timedOut, late, lastRunAt]);
  const [first, second] = ["2026-07-28T00:00:00.000Z", "2026-07-28T00:00:01.000Z"];
  assert.deepEqual(counts, [
    ["local/judge", 3, 1, 0, 0, 0, 0, first],
    ["local/stamp", 1, 0, 1, 0, 0, 0, first],
    ["local/crash", 1, 0, 0, 1, 0, 0, second],
    ["local/slow", 1, 0, 0, 0, 1, 1, second],
    ["local/shadow", 2, 2, 0, 0, 0, 0, first],
    ["local/idle", 0, 0, 0, 0, 0, 0, undefined],
  ]);
});

test("a report is JSON, and has a text form that names every method and interceptor on lines of its own", () => {
  const report = coverage([
    validates("look", hook("request", "tools/call")),
    mutates("second", 2, hook("request", "tools/call")),
    mutates("first", 1, hook("request", "tools/call")),
    validates("dead", hook("request", "ping")),
    validates("line\nbreak", hook("response", "tools/call")),
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
  const text = formatCoverage(report);
  assert.match(text, /tools\/call +client +request +receiving +validate: local\/look; mutate: local\/first > local\/second\n/);
  assert.match(text, /Cannot or will hardly run\n +local\/dead \(nothing\): ping: /);
  assert.match(text, /local\/line\\nbreak/);
  for (const method of METHODS.keys()) assert.ok(text.includes(method), method);
  assert.match(formatCoverage(createChain().coverage()), /^Intercepted\n  \(nothing\)\n/);
});

test("a chain alone reports every event by direction, and is asked for the current one of a guard whose chain is swapped", () => {
  const chain = createChain();
  chain.add(validates("v", hook("request", "sampling/createMessage", "llm/completion", "acme/do")));
  const rows = chain.coverage().rows.filter(({ status }) => status === "intercepted").map(({ method, direction }) => `${method} ${direction}`);
  assert.deepEqual(rows, ["sampling/createMessage", "llm/completion", "acme/do"].flatMap((event) => [`${event} receiving`, `${event} sending`]));
  let current = createChain();
  const report = () => guardCoverage({ current: () => current }, { role: "client" }).interceptors.length;
  assert.equal(report(), 0);
  current = chain;
  assert.equal(report(), 1);
});
