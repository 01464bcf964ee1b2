// Holds one point of one series of the curves, in a process of its own, and measures it when told to: gets `{ ms, maxCalls }`, works for about that long at
// most, and says `{ microseconds }` of processor time for a message.
import assert from "node:assert/strict";
import { allow, createChain, deny, guardTransport, memoryPair, mutator, unchanged, validator } from "mcp-interceptors";
import { METHOD, paramsOf } from "./curve-message.mjs";

const SMALL_BYTES = 200;
const CHARACTERS_BETWEEN_LOOKS_AT_THE_CLOCK = 50_000;
const on = (event) => [{ events: [event], phase: "request" }];

const noShell = (name, event) => validator({ name, hooks: on(event) }, ({ payload }) => (payload.name === "shell" ? deny("shell is not allowed here") : allow()));
const stamp = (name, event) => mutator({ name, hooks: on(event) }, ({ payload }) => ({ ...payload, _meta: { "com.example/audited": true } }));
const leave = (name, event) => mutator({ name, hooks: on(event) }, ({ payload }) => (payload.name === "shell" ? { ...payload, name: "none" } : unchanged()));
const oneAndOne = () => [noShell("no-shell", METHOD), stamp("stamp", METHOD)];
// By turns a validator and a mutator.
const many = (count, eventOf) => Array.from({ length: count }, (_, at) => (at % 2 === 0 ? noShell : leave)(`i${at}`, eventOf(at)));

/** A request over a connection in memory, through a guard on the side of its server, and a short answer. */
function exchange(params, interceptors) {
  const [client, inner] = memoryPair();
  const chain = createChain();
  chain.add(interceptors);
  const server = guardTransport(inner, { role: "server", chain: { current: () => chain } });
  let id = 0;
  return async () => {
    void client.send({ message: { jsonrpc: "2.0", id: ++id, method: METHOD, params } });
    const { frame } = await server.receive();
    void server.send({ message: { jsonrpc: "2.0", id, result: {} } });
    assert.equal((await client.receive()).frame.message.id, id);
    return frame.message.params;
  };
}

const SERIES = {
  guarded: (bytes) => exchange(paramsOf(bytes), oneAndOne()),
  parse: (bytes) => {
    const text = JSON.stringify(paramsOf(bytes));
    return () => JSON.parse(text);
  },
  matching: (count) => exchange(paramsOf(SMALL_BYTES), many(count, () => METHOD)),
  others: (count) => exchange(paramsOf(SMALL_BYTES), [...oneAndOne(), ...many(count, (at) => `acme/${at}`)]),
};

const [, , name, grown] = process.argv;
const x = Number(grown);
const bySize = name === "guarded" || name === "parse";
const between = Math.max(1, Math.round(CHARACTERS_BETWEEN_LOOKS_AT_THE_CLOCK / (bySize ? x : x * SMALL_BYTES)));
const call = SERIES[name](x);

process.on("message", async ({ ms, maxCalls = Infinity }) => {
  let calls = 0;
  const until = performance.now() + ms;
  const before = process.cpuUsage();
  do {
    for (let index = 0; index < between; index++) await call();
    calls += between;
  } while (performance.now() < until && calls < maxCalls);
  const { user, system } = process.cpuUsage(before);
  process.send({ microseconds: (user + system) / calls });
});

// What is measured does what it is meant to.
const params = await call();
assert.equal(params._meta !== undefined, name === "guarded" || name === "others");
assert.equal(params.name, "import_rows");
process.send({ ready: true });
