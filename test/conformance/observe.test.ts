import assert from "node:assert/strict";
import { test } from "node:test";
import { canRun, observe } from "../../src/conformance/observe.ts";
import type { CapabilityVector, ChainVector, ClientVector, GuardVector } from "../../src/conformance/vector.ts";

const common = { id: "x/y/z", title: "t", requirements: ["r"] };
const chain = (expect: unknown): ChainVector => ({ ...common, kind: "chain", expect, input: { servers: [], execute: { event: "e", phase: "request", payload: {} } } });
const guard = (expect: unknown): GuardVector => ({ ...common, kind: "guard", expect, input: { role: "server", interceptors: [], steps: [] } });
const capability: CapabilityVector = { ...common, kind: "capability", expect: {}, input: { capabilities: {} } };
const client: ClientVector = { ...common, kind: "client", expect: {}, input: { capabilities: {}, methods: {}, ask: ["list"] } };

test("what counts where it is given is left out where it is not, and any other member stays", async () => {
  const came = { status: "success", unfinished: ["a"], lateAnswers: 1, cancelled: ["b"], logged: [], other: 1 };
  assert.deepEqual(await observe(chain({ status: "success" }), { chain: () => came }), { status: "success", other: 1 });
  assert.deepEqual(await observe(chain({ unfinished: [], cancelled: [] }), { chain: () => came }), { status: "success", unfinished: ["a"], cancelled: ["b"], other: 1 });
  assert.deepEqual(await observe(guard({ app: [], peer: [] }), { guard: () => ({ app: [], peer: [], calls: [1] }) }), { app: [], peer: [] });
  assert.deepEqual(await observe(guard({ calls: [] }), { guard: () => ({ app: [], calls: [1] }) }), { app: [], calls: [1] });
  assert.equal(await observe(chain({}), { chain: () => "garbage" }), "garbage");
});

test("a capability is its events, or none", async () => {
  assert.deepEqual(await observe(capability, { capability: () => ["a"] }), { supportedEvents: ["a"] });
  assert.deepEqual(await observe(capability, { capability: () => undefined }), { none: true });
});

test("what a target throws is an outcome, and a kind that it has no function for cannot run", async () => {
  assert.deepEqual(await observe(client, { client: () => assert.fail("broken") }), { threw: "broken" });
  assert.deepEqual([canRun(client, {}), canRun(client, { client: () => ({}) }), canRun(capability, {})], [false, true, false]);
});
