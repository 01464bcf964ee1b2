import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromGlobals } from "../../../src/core/base/host.ts";
import { cloneJson, equalJson, isObject } from "../../../src/core/base/json.ts";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import { createDigester } from "../../../src/core/chain/digest.ts";
import { openView } from "../../../src/core/chain/grants.ts";
import type { ChainResult } from "../../../src/core/chain/result.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import type { Grants } from "../../../src/core/interceptor/policy.ts";
import type { InvokeParams } from "../../../src/core/wire/gen/interceptors.ts";
import { randomObject } from "../../support/random-json.ts";
import { seededRandom } from "../../support/random.ts";
import { BOTH_PHASES, CALL, remoteSource, rig } from "./kit.ts";

type Payload = Record<string, unknown>;
type Edit = (payload: Payload) => unknown;

const DIGEST = /^digest:[0-9a-f]{32}$/;
const PAYLOAD = { name: "mail", arguments: { to: "ann@example.com", body: "sesame", cc: ["bob@example.com", "sesame"] }, _meta: { k: 1 } };

/** Runs one mutator under grants, in this process and behind a connection; both must come to the same. */
async function underGrants(grants: Grants, edit: Edit, payload: Payload = PAYLOAD): Promise<{ result: ChainResult; seen: Payload }> {
  const runs: { result: ChainResult; seen: Payload }[] = [];
  for (const where of ["here", "remote"] as const) {
    let seen: Payload = {};
    const run = (given: Payload) => {
      seen = cloneJson(given);
      return edit(given);
    };
    const { chain } = rig({ provenance: "pointers" });
    const overrides = { m: { grants } };
    if (where === "here") chain.add(mutator({ name: "m", hooks: BOTH_PHASES }, (({ payload: given }: { payload: Payload }) => run(given)) as never), { overrides });
    else {
      const descriptor = { name: "m", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] } as never;
      const answer = ({ payload: given }: InvokeParams) => ({ modified: true, payload: run(cloneJson(given) as Payload) });
      await chain.addSource(remoteSource("r", [descriptor], answer), { overrides });
    }
    runs.push({ result: await chain.execute({ ...CALL, payload }), seen });
  }
  const [here, remote] = runs as [(typeof runs)[0], (typeof runs)[0]];
  assert.deepEqual([remote.result.status, remote.result.finalPayload], [here.result.status, here.result.finalPayload]);
  return here;
}

async function failure(grants: Grants, edit: Edit, payload?: Payload): Promise<string> {
  const { result } = await underGrants(grants, edit, payload);
  const error = result.results[0]?.error;
  assert.deepEqual([result.status, error?.reason], ["mutation_failed", "malformed_result"], JSON.stringify(result.finalPayload));
  return error?.message ?? "";
}

describe("what an entry may read", () => {
  test("arrives as it is, and all else as one digest for each value that holds nothing readable", async () => {
    const { seen } = await underGrants({ read: ["/name", "/arguments/to"] }, (payload) => payload);
    const { name, arguments: args, _meta } = seen as { name: string; arguments: Payload; _meta: unknown };
    assert.deepEqual([name, args["to"], Object.keys(args)], ["mail", "ann@example.com", ["to", "body", "cc"]]);
    for (const hidden of [args["body"], args["cc"], _meta]) assert.match(String(hidden), DIGEST);
    assert.doesNotMatch(JSON.stringify(seen), /sesame|bob/);
  });

  test("is nothing where nothing is granted: the names of the payload's own members stay", async () => {
    const { seen, result } = await underGrants({ read: [] }, (payload) => payload);
    assert.deepEqual(Object.keys(seen), ["name", "arguments", "_meta"]);
    for (const value of Object.values(seen)) assert.match(String(value), DIGEST);
    assert.deepEqual(result.finalPayload, PAYLOAD);
  });

  test("may be an item of a list, whose other items are digests", async () => {
    const { seen } = await underGrants({ read: ["/arguments/cc/0"] }, (payload) => payload);
    const { cc } = seen["arguments"] as { cc: string[] };
    assert.equal(cc[0], "bob@example.com");
    assert.match(cc[1]!, DIGEST);
  });

  test("says nothing of what a hidden value is: neither its type nor its size shows", async () => {
    for (const hidden of ["", "long".repeat(100), 1, null, true, [], {}, [1, 2], { a: { b: 1 } }]) {
      const { seen } = await underGrants({ read: ["/name"] }, (payload) => payload, { name: "x", hidden });
      assert.match(String(seen["hidden"]), DIGEST, JSON.stringify(hidden));
    }
  });

  test("holds for validators and for every invocation: a hidden value has one digest in all that a chain runs, and another in another chain", async () => {
    const seen: string[] = [];
    const watch = (chain: Chain) => {
      const look = (name: string) => validator({ name, hooks: BOTH_PHASES }, ({ payload }) => seen.push(String((payload as Payload)["secret"])) > 0);
      chain.add([look("v"), look("w")], { overrides: { v: { grants: { read: [] } }, w: { grants: { read: ["/name"] } } } });
    };
    const { chain } = rig();
    const { chain: other } = rig();
    watch(chain);
    watch(other);
    const run = (of: Chain, phase: "request" | "response", secret: unknown) => of.execute({ ...CALL, phase, payload: { name: "n", secret } });
    await run(chain, "request", { a: 1, b: [2] });
    await run(chain, "response", { b: [2], a: 1 });
    await run(chain, "request", { a: 1, b: [3] });
    await run(other, "request", { a: 1, b: [2] });
    const [first] = seen;
    assert.deepEqual(seen.map((digest) => digest === first), [true, true, true, true, false, false, false, false]);
  });

  test("covers the request that a response answers: hidden unless readRequest grants it", async () => {
    const seen: unknown[] = [];
    const look = validator({ name: "v", withRequest: true, hooks: BOTH_PHASES }, ({ context }) => seen.push(context.request) > 0);
    for (const [grants, expected] of [[{ read: ["/content"] }, false], [{ read: [], readRequest: ["/name"] }, true], [{ write: [] }, true]] as const) {
      const { chain } = rig();
      chain.add(look, { overrides: { v: { grants } } });
      seen.length = 0;
      await chain.execute({ ...CALL, phase: "response", payload: { content: [] }, request: { method: "tools/call", params: { name: "mail" } } });
      const [{ method, params }] = seen as [{ method: string; params: Payload }];
      assert.equal(method, "tools/call");
      if (expected) assert.equal(params["name"], "mail");
      else assert.match(String(params["name"]), DIGEST);
    }
  });

  test("is checked by the owner's own condition on the whole payload", async () => {
    const { chain } = rig();
    const seen: unknown[] = [];
    chain.add(validator({ name: "v", hooks: BOTH_PHASES }, () => true), { overrides: { v: { grants: { read: [] }, when: ({ payload }) => seen.push(payload) > 0 } } });
    await chain.execute(CALL);
    assert.deepEqual(seen, [CALL.payload]);
  });
});

describe("a mutator that may not read everything", () => {
  const read = ["/arguments/to"];

  test("gets the originals put back for the digests that it leaves where they are", async () => {
    const { result } = await underGrants({ read }, (payload) => ({ ...payload, arguments: { ...(payload["arguments"] as Payload), to: "eve@example.com" }, extra: 1 }));
    assert.deepEqual(result.finalPayload, { ...PAYLOAD, arguments: { ...PAYLOAD.arguments, to: "eve@example.com" }, extra: 1 });
    assert.deepEqual(result.results[0]?.provenance?.changes.map(({ pointer }) => pointer), ["/arguments/to", "/extra"]);
  });

  test("fails where it moves a digest, copies it, quotes it or makes a name of it", async () => {
    const body = (payload: Payload) => (payload["arguments"] as { body: string }).body;
    const moves: [string, Edit][] = [
      ["/stolen", (payload) => ({ ...payload, stolen: body(payload) })],
      ["/name", (payload) => ({ ...payload, name: body(payload) })],
      ["/name", (payload) => ({ ...payload, name: `it is ${body(payload)}!` })],
      ["/arguments/to", (payload) => ({ ...payload, arguments: { ...(payload["arguments"] as Payload), to: body(payload) } })],
      ["/deep/0/a", (payload) => ({ ...payload, deep: [{ a: body(payload) }] })],
      ["the whole payload", (payload) => ({ ...payload, [body(payload)]: 1 })],
    ];
    for (const [where, edit] of moves) assert.equal(await failure({ read }, edit), `it moved a digest to ${where}`);
  });

  test("fails where it edits a digest", async () => {
    const message = await failure({ read }, (payload) => ({ ...payload, name: `${String(payload["name"]).slice(0, -1)}x` }));
    assert.equal(message, "it edited the digest at /name");
  });

  test("fails where it reorders a list of digests, or takes an item out of its middle", async () => {
    const cc = (payload: Payload, list: (items: unknown[]) => unknown[]) => {
      const args = payload["arguments"] as { cc: unknown[] };
      return { ...payload, arguments: { ...args, cc: list(args.cc) } };
    };
    const grants = { read: ["/arguments/cc/9"] };
    assert.match(await failure(grants, (payload) => cc(payload, (items) => [...items].reverse())), /moved a digest to \/arguments\/cc\/0/);
    assert.match(await failure(grants, (payload) => cc(payload, ([, second]) => [second])), /moved a digest/);
    const { result } = await underGrants(grants, (payload) => cc(payload, (items) => [...items, "new@example.com"]));
    assert.deepEqual((result.finalPayload as typeof PAYLOAD).arguments.cc, ["bob@example.com", "sesame", "new@example.com"]);
  });

  test("may replace or remove what it cannot read, unless write grants say otherwise", async () => {
    const { result } = await underGrants({ read }, ({ name: _name, ...rest }) => ({ ...rest, _meta: { new: true } }));
    assert.deepEqual(result.finalPayload, { arguments: PAYLOAD.arguments, _meta: { new: true } });
    assert.equal(await failure({ read, write: ["/_meta"] }, ({ name: _name, ...rest }) => rest), "it changed /name, which it may not write");
  });

  test("learns nothing by guessing at what it may not write: a right guess fails like a wrong one", async () => {
    const guess = (body: string) => failure({ read: ["/name"], write: ["/arguments/to"] }, (payload) => ({ ...payload, arguments: { ...(payload["arguments"] as object), body } }));
    assert.equal(await guess("sesame"), "it changed /arguments/body, which it may not write");
    assert.equal(await guess("sesam"), await guess("sesame"));
  });

  test("is not taken in by text that only looks like a digest", async () => {
    const text = `digest:${"0".repeat(32)}`;
    const { result } = await underGrants({ read: ["/name"] }, (payload) => ({ ...payload, name: `${String(payload["name"])} again` }), { name: text, other: 1 });
    assert.deepEqual(result.finalPayload, { name: `${text} again`, other: 1 });
  });
});

describe("what a mutator may write", () => {
  test("is what is granted and what lies below; a change of anything else fails, and names the place", async () => {
    const grants = { write: ["/arguments/to", "/_meta"] };
    const args = PAYLOAD.arguments;
    const allowed: Edit[] = [
      (payload) => ({ ...payload, arguments: { ...args, to: "x" } }),
      (payload) => ({ ...payload, arguments: { body: args.body, cc: args.cc } }),
      (payload) => ({ ...payload, _meta: { k: { deep: 1 }, l: 2 } }),
      ({ _meta, ...rest }) => rest,
      (payload) => payload,
    ];
    for (const edit of allowed) assert.equal((await underGrants(grants, edit)).result.status, "success");
    const refused: [string, Edit][] = [
      ["/name", (payload) => ({ ...payload, name: "rm" })],
      ["/name", ({ name: _name, ...rest }) => rest],
      ["/extra", (payload) => ({ ...payload, extra: 1 })],
      ["/arguments/body", (payload) => ({ ...payload, arguments: { ...args, body: 1 } })],
      ["/arguments", (payload) => ({ ...payload, arguments: "x" })],
    ];
    for (const [where, edit] of refused) assert.equal(await failure(grants, edit), `it changed ${where}, which it may not write`);
  });

  test("is nothing with an empty list, and everything without one", async () => {
    assert.match(await failure({ write: [] }, (payload) => ({ ...payload, name: "x" })), /\/name/);
    assert.equal((await underGrants({}, () => ({ all: "new" }))).result.status, "success");
    assert.equal((await underGrants({ write: [""] }, () => ({ all: "new" }))).result.status, "success");
  });

  test("may be an item of a list, but not the list's length, which would move the others", async () => {
    const cc = (list: unknown[]): Edit => (payload) => ({ ...payload, arguments: { ...PAYLOAD.arguments, cc: list } });
    assert.equal((await underGrants({ write: ["/arguments/cc/0"] }, cc(["new", "sesame"]))).result.status, "success");
    for (const list of [["sesame"], ["bob@example.com"], ["bob@example.com", "sesame", "x"]]) {
      assert.equal(await failure({ write: ["/arguments/cc/0"] }, cc(list)), "it changed /arguments/cc, which it may not write");
      assert.equal((await underGrants({ write: ["/arguments/cc"] }, cc(list))).result.status, "success");
    }
  });

  test("may be written without being read: the names on the way there show", async () => {
    const { result, seen } = await underGrants({ read: ["/name"], write: ["/arguments/body"] }, (payload) => ({ ...payload, arguments: { ...(payload["arguments"] as Payload), body: "[gone]" } }));
    assert.deepEqual(Object.keys(seen["arguments"] as Payload), ["to", "body", "cc"]);
    assert.deepEqual((result.finalPayload as typeof PAYLOAD).arguments, { ...PAYLOAD.arguments, body: "[gone]" });
  });

  test("keeps its names and lengths where it may not be read, so that a part of it can be changed", async () => {
    const grants = { read: ["/name"], write: ["/_meta", "/arguments/cc"] };
    const { result, seen } = await underGrants(grants, (payload) => {
      const args = payload["arguments"] as { cc: unknown[] };
      return { ...payload, _meta: { ...(payload["_meta"] as Payload), stamped: true }, arguments: { ...args, cc: [...args.cc, "new"] } };
    });
    assert.match(String((seen["_meta"] as Payload)["k"]), DIGEST);
    assert.deepEqual(result.finalPayload, { ...PAYLOAD, _meta: { k: 1, stamped: true }, arguments: { ...PAYLOAD.arguments, cc: [...PAYLOAD.arguments.cc, "new"] } });
  });

  test("binds shadow mutators, and lets a failure pass where the entry fails open", async () => {
    const { chain } = rig();
    const write = mutator({ name: "m", failOpen: true, hooks: BOTH_PHASES }, () => ({ name: "x" }));
    const shadow = mutator({ name: "s", mode: "audit", hooks: BOTH_PHASES }, () => ({ name: "x" }));
    chain.add([write, shadow], { overrides: { m: { grants: { write: [] } }, s: { grants: { write: [] } } } });
    const result = await chain.execute(CALL);
    assert.deepEqual([result.status, result.modified], ["success", false]);
    assert.deepEqual(result.results.map(({ error }) => error?.reason), ["malformed_result", "malformed_result"]);
  });
});

test("grants that are none are refused when the entry is added, and are the chain's own from then on", async () => {
  const interceptor = validator({ name: "v", hooks: BOTH_PHASES }, () => true);
  for (const grants of [null, [], { reed: [] }, { read: "/a" }, { read: ["a"] }, { write: [1] }, { read: ["/~2"] }]) {
    assert.throws(() => createChain().add(interceptor, { overrides: { v: { grants: grants as never } } }), { code: "invalid_argument", message: /grants/ }, JSON.stringify(grants));
  }
  const read = ["/name"];
  const chain = createChain();
  const source = remoteSource("r", [interceptor.descriptor], () => ({ valid: true }));
  await chain.addSource(source, { overrides: { v: { grants: { read } } } });
  read.push("");
  await chain.execute({ ...CALL, payload: { name: "n", secret: "s" } });
  assert.match(String((source.calls[0]?.params.payload as Payload)["secret"]), DIGEST);
  assert.deepEqual(chain.coverage().interceptors[0]?.grants, { read: ["/name"] });
});

test("a host without random bytes has no digests, so the entry fails and nothing is shown", async () => {
  const host = fromGlobals({});
  const seen: unknown[] = [];
  const chain = createChain({ host });
  chain.add(validator({ name: "v", hooks: BOTH_PHASES }, ({ payload }) => seen.push(payload) > 0), { overrides: { v: { grants: { read: [] } } } });
  const result = await chain.execute(CALL);
  assert.deepEqual([result.status, seen], ["validation_failed", []]);
});

const SEED = 64;
test(`a view that is given back as it is becomes the payload again, whatever is granted (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const digest = createDigester(fromGlobals(globalThis as never));
  let hidden = 0;
  for (let round = 0; round < 300; round++) {
    const payload = cloneJson(randomObject(random, 4));
    const pointers = [...pointersOf(payload)];
    const pick = () => Array.from({ length: random.below(4) }, () => random.pick(pointers));
    const view = openView({ read: pick(), write: pick() }, payload, digest);
    const copy = cloneJson(view.payload);
    if (!equalJson(copy, payload)) hidden++;
    assert.ok(equalJson(view.restore(copy), payload), `seed ${SEED}, round ${round}`);
  }
  assert.ok(hidden > 100);
});

function* pointersOf(value: unknown, pointer = ""): Generator<string> {
  yield pointer;
  if (!isObject(value) && !Array.isArray(value)) return;
  for (const [name, child] of Object.entries(value)) yield* pointersOf(child, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}
