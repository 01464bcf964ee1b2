import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InterceptorDescriptor } from "../../../src/core/wire/gen/interceptors.ts";
import { settle } from "../../support/fake-host.ts";
import { CALL, deferred, rig, validates } from "./kit.ts";

const hooks: InterceptorDescriptor["hooks"] = [{ events: ["tools/call"], phase: "request" }];
const entry = (name: string, extra: object = {}) => ({ name, type: "validation", hooks, ...extra });
const on = (phase: string, ...events: string[]) => ({ events, phase });

/** A source whose list the test changes. */
function changing(label: string, ...first: unknown[]) {
  const source = { label, remote: true, listed: first as unknown, list: async () => source.listed as unknown[], invoke: (): unknown => ({ valid: true }) };
  return source;
}

const names = (entries: readonly { readonly address: string }[]) => entries.map(({ address }) => address);

test("a refresh takes in what sources list now, and gives the difference", async () => {
  const { chain } = rig();
  const [first, second] = [changing("one", entry("a"), entry("b"), entry("c")), changing("two", entry("a"))];
  chain.add(validates({ name: "mine" }, () => true));
  await chain.addSource(first);
  await chain.addSource(second);
  const before = chain.entries;
  first.listed = [entry("new"), entry("c", { version: "2", hooks: [...hooks, on("response", "*")] }), entry("a")];
  const { added, removed, changed } = await chain.refresh({ allowWeaker: true });
  assert.deepEqual([names(added), names(removed)], [["one/new"], ["one/b"]]);
  assert.deepEqual(
    changed.map(({ address, members, weaker, before: old, after }) => [address, members, weaker, old === before[3], after === chain.entries[2]]),
    [["one/c", ["hooks", "version"], [], true, true]],
  );
  // Each source keeps its place, and an entry that is as it was is the same object.
  assert.deepEqual(names(chain.entries), ["local/mine", "one/new", "one/c", "one/a", "two/a"]);
  assert.deepEqual([chain.entries[0], chain.entries[3], chain.entries[4]], [before[0], before[1], before[4]]);
  assert.equal(chain.entries[3], before[1]);
  assert.ok(chain.matches("x", "response"));
  assert.deepEqual(await chain.refresh(), { added: [], removed: [], changed: [] });
});

test("another spelling of the same descriptor is no change", async () => {
  const { chain } = rig();
  const source = changing("s", entry("a", { mode: "active", failOpen: false }));
  await chain.addSource(source);
  source.listed = [{ name: "a", type: "validation", hook: hooks[0], mode: "enforce", priorityHint: 0 }];
  assert.deepEqual(await chain.refresh(), { added: [], removed: [], changed: [] });
});

describe("what would weaken a chain", () => {
  const both = [on("request", "tools/*"), on("response", "tools/call")];
  const base = (extra: object = {}) => entry("x", { hooks: both, _meta: { "org.mcp-interceptors/handlesErrors": true }, ...extra });
  const rows: Readonly<Record<string, readonly [now: unknown[], weaker: RegExp]>> = {
    "an entry that is gone": [[], /s\/x \(it is gone\)/],
    "a new name for it": [[base({ name: "y" })], /s\/x \(it is gone\)/],
    "active that becomes audit": [[base({ mode: "audit" })], /s\/x \(it changes from active to audit\)/],
    "closed that becomes open": [[base({ failOpen: true })], /s\/x \(it changes from fail-closed to fail-open\)/],
    "a phase less": [[base({ hooks: [both[0]] })], /s\/x \(it no longer hooks "tools\/call" in the response phase\)/],
    "a narrower pattern": [[base({ hooks: [on("request", "tools/call", "tools/list"), both[1]] })], /it no longer hooks "tools\/\*" in the request phase/],
    "another type": [[base({ type: "mutation" })], /its type changes from validation to mutation/],
    "a judge that becomes a sink": [[base({ type: "sink" })], /its type changes from validation to sink, it changes from active to audit/],
    "error responses that it no longer sees": [[base({ _meta: {} })], /it no longer sees error responses/],
    "several at once": [[base({ failOpen: true, mode: "audit" })], /s\/x \(it changes from active to audit, it changes from fail-closed to fail-open\)/],
  };
  for (const [what, [now, message]] of Object.entries(rows)) {
    test(`${what} is refused by name, and nothing changes, without allowWeaker`, async () => {
      const { chain } = rig();
      const [source, other] = [changing("s", base()), changing("o")];
      await chain.addSource(source);
      await chain.addSource(other);
      const before = chain.entries;
      source.listed = now;
      other.listed = [entry("more")];
      for (const options of [undefined, {}, { allowWeaker: false }]) await assert.rejects(chain.refresh(options), { code: "refused", message });
      assert.equal(chain.entries, before);
      await chain.refresh({ allowWeaker: true });
      assert.deepEqual(names(chain.entries), [...now.map((one) => `s/${(one as { name: string }).name}`), "o/more"]);
    });
  }

  test("every entry concerned is named, in the details too", async () => {
    const { chain } = rig();
    const source = changing("s", entry("a"), entry("b"), entry("c"));
    await chain.addSource(source);
    source.listed = [entry("b", { mode: "audit" }), entry("c")];
    await assert.rejects(chain.refresh(), {
      message: /allowWeaker: true: s\/a \(it is gone\); s\/b \(it changes from active to audit\)$/,
      details: { entries: [{ address: "s/a", weaker: ["it is gone"] }, { address: "s/b", weaker: ["it changes from active to audit"] }] },
    });
  });

  test("what makes it stronger, or neither, needs no leave", async () => {
    const weak = { mode: "audit", failOpen: true, hooks: [on("request", "tools/call")] };
    for (const now of [{ ...weak, mode: "active" }, { ...weak, failOpen: false }, { ...weak, hooks: [on("request", "tools/*")] }, { ...weak, hooks: [on("request", "*")] }, { ...weak, version: "9" }]) {
      const { chain } = rig();
      const source = changing("s", entry("x", weak));
      await chain.addSource(source);
      source.listed = [entry("x", now)];
      assert.deepEqual((await chain.refresh()).changed.map(({ weaker }) => weaker), [[]], JSON.stringify(now));
    }
  });

  test("what an override decides is not weakened by what the server says", async () => {
    const { chain } = rig();
    const source = changing("s", entry("x", { hooks: both }));
    const overrides = { x: { mode: "active", failOpen: false, hooks: [{ events: ["tools/call"], phase: "request" }] } } as const;
    await chain.addSource(source, { overrides });
    source.listed = [entry("x", { mode: "audit", failOpen: true, hooks: [both[0]] })];
    const { changed } = await chain.refresh();
    assert.deepEqual(changed.map(({ members, weaker, after }) => [[...members].sort(), weaker, after.policy.mode, after.policy.failOpen]), [[["failOpen", "hooks", "mode"], [], "active", false]]);
    // Nor does it widen with leave: the override still wants what is no longer declared.
    source.listed = [entry("x", { hooks: [both[1]] })];
    await assert.rejects(chain.refresh({ allowWeaker: true }), { code: "refused", message: /widen its hooks/ });
  });
});

test("settings of a source hold for what it lists later, whatever became of the objects that gave them", async () => {
  const { chain } = rig();
  const source = changing("s", entry("a"), entry("b"));
  const config = { a: { limit: 1 } };
  const overrides = { "s/a": { timeoutMs: 50, hooks: [{ events: ["tools/call"], phase: "request" as const }] } };
  await chain.addSource(source, { config, overrides });
  config.a.limit = 2;
  overrides["s/a"].timeoutMs = 60;
  overrides["s/a"].hooks.length = 0;
  source.listed = [entry("b")];
  await chain.refresh({ allowWeaker: true });
  source.listed = [entry("b"), entry("a", { version: "2" })];
  await chain.refresh();
  const [, back] = chain.entries;
  assert.deepEqual([back?.config, back?.policy.timeoutMs, back?.policy.hooks], [{ limit: 1 }, 50, hooks]);
});

test("a refresh is all or nothing: a list that fails, is none, or has one that is refused changes nothing", async () => {
  const rows: [unknown, object][] = [
    [[entry("a"), entry("a")], { code: "conflict" }],
    [[entry("a"), entry("b", { hooks: [] })], { code: "refused" }],
    [[entry("a"), entry("b", { type: "oracle" })], { code: "refused" }],
    [[entry("a"), ...Array.from({ length: 5 }, (_, at) => entry(`n${at}`))], { code: "limit_exceeded" }],
    ["none", { code: "invalid_message" }],
    [undefined, { code: "invalid_message" }],
  ];
  for (const [now, error] of rows) {
    const { chain } = rig({ limits: { maxInterceptors: 5 } });
    const [source, other] = [changing("s", entry("a")), changing("o")];
    await chain.addSource(other);
    await chain.addSource(source);
    const before = chain.entries;
    other.listed = [entry("more")];
    source.listed = now;
    await assert.rejects(chain.refresh({ allowWeaker: true }), error, JSON.stringify(now));
    assert.equal(chain.entries, before);
  }
  const { chain } = rig();
  const source = changing("s", entry("a"));
  await chain.addSource(source);
  const gone = new TypeError("gone");
  source.list = () => Promise.reject(gone);
  await assert.rejects(chain.refresh({ allowWeaker: true }), gone);
  assert.deepEqual(names(chain.entries), ["s/a"]);
});

test("unknown types that were ignored when a source was added are ignored later too", async () => {
  const { chain, logged } = rig();
  const source = changing("s", entry("a"));
  await chain.addSource(source, { ignoreUnknownTypes: true });
  source.listed = [entry("a"), entry("odd", { type: "oracle" })];
  assert.deepEqual(await chain.refresh(), { added: [], removed: [], changed: [] });
  assert.match(logged[0]?.message ?? "", /^ignored: interceptor "odd" of "s"/);
});

test("an execution in flight keeps the entries that it began with", async () => {
  const { chain } = rig();
  const source = changing("s", entry("a"), entry("m", { type: "mutation" }));
  const gate = deferred<unknown>();
  const called: string[] = [];
  source.invoke = ((params: { name: string }) => {
    called.push(params.name);
    return params.name === "a" ? gate.promise : { modified: true, payload: { name: "changed" } };
  }) as never;
  await chain.addSource(source);
  const running = chain.execute(CALL);
  source.listed = [entry("b")];
  await chain.refresh({ allowWeaker: true });
  assert.deepEqual(names(chain.entries), ["s/b"]);
  gate.resolve({ valid: true });
  const result = await running;
  assert.deepEqual([called, result.results.map(({ interceptor }) => interceptor), result.finalPayload], [["a", "m"], ["a", "m"], { name: "changed" }]);
});

test("of two refreshes under way the newer list stays, and a source that comes in meanwhile is kept", async () => {
  const { chain } = rig();
  const source = changing("s", entry("a"));
  await chain.addSource(source);
  const slow = deferred<unknown[]>();
  source.list = () => slow.promise;
  const older = chain.refresh();
  source.list = async () => [entry("a"), entry("newer")];
  await chain.refresh();
  await chain.addSource(changing("late", entry("x")));
  slow.resolve([entry("a"), entry("older")]);
  assert.deepEqual(await older, { added: [], removed: [], changed: [] });
  await settle();
  assert.deepEqual(names(chain.entries), ["s/a", "s/newer", "late/x"]);
});

test("the signal of a refresh goes to the lists", async () => {
  const { chain } = rig();
  const source = changing("s", entry("a"));
  await chain.addSource(source);
  const signals: unknown[] = [];
  source.list = (async (signal: unknown) => (signals.push(signal), [entry("a")])) as never;
  const signal = { aborted: false, reason: undefined, onAbort: () => () => {} };
  await chain.refresh({ signal });
  assert.deepEqual(signals, [signal]);
});
