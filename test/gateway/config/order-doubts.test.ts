import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { effectiveOrders, orderDoubts } from "../../../src/gateway/config/order-doubts.ts";
import { INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const UPSTREAM = { command: "x" };
const module = folder.write(
  "stamp.mjs",
  `import { mutator, validator } from ${JSON.stringify(INDEX)};
export const stamp = mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "request" }, { events: ["tools/call"], phase: "response" }] }, ({ payload }) => payload);
export const look = validator({ name: "look", hooks: [{ events: ["tools/call"], phase: "request" }, { events: ["tools/call"], phase: "response" }] }, () => true);
`,
);
const stamp = (more: object = {}, look: object = {}) => ({ module, overrides: { stamp: more, look } });

async function planned<T>(interceptors: readonly object[], look: (built: Awaited<ReturnType<typeof buildPlan>>) => T, upstreams: object = { files: UPSTREAM }): Promise<T> {
  const loaded = await loadConfig(folder.write("gateway.json", { upstreams, interceptors }), { env: {} });
  const built = await buildPlan(loaded, { pools: createPools(), log: () => {}, chainLog: () => {}, dry: true });
  try {
    return look(built);
  } finally {
    await built.close();
  }
}

const doubts = (interceptors: readonly object[], upstreams?: object) => planned(interceptors, (built) => orderDoubts(built).map(({ pointer, message, todo }) => `${pointer} ${message} (${todo})`), upstreams);

describe("doubts about orders", () => {
  it("has none where mutators come before the masks, and cuts after them", async () => {
    assert.deepEqual(await doubts([stamp(), { use: "redact" }, { use: "secret-guard" }, { use: "size-limit", config: { action: "truncate" } }, { use: "text-hygiene" }, { use: "tool-filter", config: { deny: ["rm"] } }]), []);
  });

  it("tells of a mutator behind a mask, once for all places, and by which priority it would come before it", async () => {
    assert.deepEqual(await doubts([{ use: "redact" }, stamp({ priorityHint: { request: 1001 } })], { files: UPSTREAM, crm: UPSTREAM }), [
      "/interceptors/1 stamp changes messages after redact, and what it adds is not masked: files tools/call request, crm tools/call request (give it a priorityHint below 1000, or redact one above 1001)",
    ]);
    // At one priority names decide.
    assert.match(String(await doubts([{ use: "redact" }, { use: "secret-guard" }, stamp({ priorityHint: { response: 1000 } })])), /^\/interceptors\/2 stamp changes messages after redact and secret-guard, /);
  });

  it("tells of texts that are cut, and of hidden characters that are taken out, at the wrong side of a mask", async () => {
    const [cut] = await doubts([{ use: "size-limit", config: { action: "truncate" }, priorityHint: 5 }, { use: "redact" }]);
    assert.equal(cut, "/interceptors/0 size-limit-truncate cuts texts before redact has seen them, and half a secret is not found: files tools/call response (give it a priorityHint above 1000; its own is 2000)");
    const [hidden] = await doubts([{ use: "text-hygiene", priorityHint: 1500 }, { use: "redact" }]);
    assert.match(hidden ?? "", /^\/interceptors\/0 text-hygiene takes hidden characters out after redact has looked, and what they hid is not masked: files tools\/call request, /);
  });

  it("tells of a validator that is not asked again about what mutators make of a request", async () => {
    const [unasked, ...more] = await doubts([stamp({}, { revalidate: false })]);
    assert.match(unasked ?? "", /^\/interceptors\/0 look judges what comes in alone, and not what stamp makes of it: files tools\/call request \(leave out "revalidate": false/);
    assert.deepEqual(more, []);
  });

  it("does not mind what only audits: it neither masks nor changes", async () => {
    assert.deepEqual(await doubts([{ use: "redact", mode: "audit" }, stamp({ priorityHint: 2000 }, { revalidate: false, mode: "audit" })]), []);
    assert.deepEqual(await doubts([{ use: "redact" }, stamp({ priorityHint: 2000, mode: "audit" })]), []);
  });

  it("gives the order of each event and phase, validators first for what arrives and last for what leaves", async () => {
    const orders = await planned([stamp(), { use: "redact" }], (built) => effectiveOrders(built).map(({ event, phase, steps }) => [event, phase, ...steps.map(({ entries }) => entries.map(({ name }) => name).join("+"))]));
    assert.deepEqual(orders, [["tools/call", "request", "look", "stamp+redact"], ["tools/call", "response", "stamp+redact", "look"], ["tools/list", "request", "redact"], ["tools/list", "response", "redact"]]);
  });
});
