// Handlers that do their worst, behind each seam of a guard: none changes what others see, and none stalls other traffic past its deadline.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { detectHost, type Host } from "../../../src/core/base/host.ts";
import { RpcError } from "../../../src/core/base/errors.ts";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer } from "../../../src/core/guard/attach.ts";
import { guardFunction } from "../../../src/core/guard/guard-function.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { relay } from "../../../src/core/guard/relay.ts";
import { mutator, validator, type HandlerInput, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { unchanged } from "../../../src/core/interceptor/verdict.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { workerInterceptor } from "../../../src/node/worker-interceptor.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

const HOOKS = [
  { events: ["tools/call"], phase: "request" },
  { events: ["tools/call"], phase: "response" },
] as const;
const DEADLINE_MS = 1_000;

type Type = "validation" | "mutation";
type Payload = Record<string, unknown>;

/** What a handler does, and whether that is any good as an answer. */
interface Behaviour {
  readonly handler: (input: HandlerInput, type: Type) => unknown;
  /** It passes: what is wrong with it is not in its answer. */
  readonly passes?: true;
}

const fine = (input: HandlerInput, type: Type) => (type === "validation" ? true : input.payload);
const spring = (): never => {
  throw new TypeError("trap");
};
const trap = (): object =>
  new Proxy(function () {}, {
    ...{ apply: spring, construct: spring, defineProperty: spring, deleteProperty: spring, get: spring, getOwnPropertyDescriptor: spring },
    ...{ getPrototypeOf: spring, has: spring, isExtensible: spring, ownKeys: spring, preventExtensions: spring, set: spring, setPrototypeOf: spring },
  });
const objectTrap = (): object => new Proxy({}, { get: spring, has: spring, ownKeys: spring, getPrototypeOf: spring, getOwnPropertyDescriptor: spring });
const throws = (what: () => unknown): Behaviour => ({ handler: () => { throw what(); } });
const rejects = (what: () => unknown): Behaviour => ({ handler: () => Promise.reject(what()) });
const thenable = (then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void, good: unknown) => unknown, passes?: true): Behaviour => ({
  handler: (input, type) => ({ then: (resolve: () => void, reject: () => void) => then(resolve, reject, fine(input, type)) }),
  ...(passes === undefined ? {} : { passes }),
});

/** All that a handler could lay its hands on, to be changed when it hurts most. */
const kept: unknown[] = [];
function sabotage(value: unknown = kept, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > 8) return;
  for (const member of Reflect.ownKeys(value)) {
    const held = Reflect.get(value, member) as unknown;
    sabotage(held, depth + 1);
    if (typeof held === "string") Reflect.set(value, member, "sabotaged");
  }
  if (depth > 0) Reflect.set(value, "sabotaged", true);
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  "edits its input in place": {
    handler: (input, type) => {
      sabotage([input.payload, input.config, input.context, input.caller, input]);
      return type === "validation" ? true : unchanged();
    },
    passes: true,
  },
  "keeps what it got and what it gave": {
    handler: (input, type) => {
      const answer = type === "validation" ? { valid: true, info: { text: "kept" } } : { ...(input.payload as Payload) };
      kept.push(input, input.payload, input.config, input.context, answer);
      return answer;
    },
    passes: true,
  },
  "edits what all inputs share": {
    handler: (input, type) => {
      const shared = Object.getPrototypeOf(input) as object;
      for (const member of ["context", "config", "caller", "signal"]) Reflect.defineProperty(shared, member, { get: () => ({ forged: true }), configurable: true });
      Reflect.set(input.constructor, "end", spring);
      return fine(input, type);
    },
    passes: true,
  },
  "returns a proxy of a good answer": {
    handler: (input, type) => new Proxy(type === "validation" ? { valid: true } : (input.payload as object), {}),
    passes: true,
  },
  "returns a proxy that answers differently each time": {
    handler: () => {
      let turn = 0;
      return new Proxy({}, { ownKeys: () => ["valid", "content", "name"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, member) => (member === "then" ? undefined : turn++ % 2 === 0 ? trap() : undefined) });
    },
  },
  "returns a proxy that throws on every trap": { handler: () => objectTrap() },
  "returns a function that throws on every trap": { handler: () => trap() },
  "returns a list that claims to have no end": { handler: () => ({ name: "x", arguments: {}, valid: true, info: { list: endless() }, content: endless() }) },
  "never settles": { handler: () => new Promise(() => {}) },
  "settles twice": { handler: (input, type) => new Promise((resolve, reject) => (resolve(fine(input, type)), reject(spring), resolve(undefined))), passes: true },
  "throws undefined": throws(() => undefined),
  "throws null": throws(() => null),
  "throws a symbol": throws(() => Symbol("x")),
  "throws a bigint": throws(() => 1n),
  "throws a proxy that throws on every trap": throws(objectTrap),
  "throws a function that throws on every trap": throws(trap),
  "throws an error whose members throw": throws(() => Object.defineProperties(new TypeError(), { message: { get: spring }, name: { get: spring }, stack: { get: spring }, cause: { get: spring } })),
  "throws an error of the protocol with hostile data": throws(() => new RpcError(-32000, "x", { interceptor: "other", timeoutMs: 1, proxy: objectTrap() })),
  "throws what looks like a timeout of another's": throws(() => new RpcError(-32000, "Interceptor execution timeout", { interceptor: "a-witness", timeoutMs: 1 })),
  "rejects with undefined": rejects(() => undefined),
  "rejects with a proxy that throws on every trap": rejects(objectTrap),
  "rejects with a thenable that never settles": rejects(() => ({ then: () => {} })),
  "returns nothing": { handler: () => undefined },
  "returns a getter that throws": { handler: () => ({ get valid() { return spring(); }, get name() { return spring(); } }) },
  "returns a cycle": { handler: (input) => { const cycle: Payload = { ...(input.payload as Payload), valid: true }; cycle["info"] = { cycle }; cycle["arguments"] = cycle; cycle["structuredContent"] = cycle; return cycle; } },
  "returns more than any message holds": { handler: () => { let big: unknown = "x".repeat(1_000); for (let level = 0; level < 40; level++) big = [big, big]; return { valid: true, name: "x", info: { big }, content: big }; } },
  "returns class instances and functions": { handler: () => ({ valid: true, info: new Map(), name: () => 1, content: new Date() }) },
  "returns a boxed boolean": { handler: () => Object(true) as unknown },
  "returns a thenable that calls both": thenable((resolve, reject, good) => (resolve(good), reject("no"), resolve(1)), true),
  "returns a thenable that throws after it has resolved": thenable((resolve, _reject, good) => { resolve(good); spring(); }, true),
  "returns a thenable that throws": thenable(spring),
  "returns a thenable that never settles": thenable(() => {}),
  "returns a thenable that resolves with another, and that with an error": thenable((resolve) => resolve({ then: (_: unknown, reject: (reason: unknown) => void) => reject(objectTrap()) })),
  "returns a thenable that resolves with itself": { handler: () => { const own = new Promise((resolve) => setImmediate(() => resolve(own))) as Promise<unknown>; return own; } },
  "returns a thenable whose then throws when it is looked at": { handler: () => ({ get then() { return spring(); } }) },
  "asks the chain itself from within then": thenable((resolve, _reject, good) => { sabotage(); resolve(good); }, true),
};

function endless(): unknown {
  return new Proxy([], { get: (target, member) => (member === "length" ? 2 ** 40 : typeof member === "string" && /^\d+$/.test(member) ? 1 : (Reflect.get(target, member) as unknown)) });
}

const CALL = { name: "echo", arguments: { text: "hostile" } };

// No interface: it must fit the open type of the client's params.
type Call = { name: string; arguments: Record<string, unknown> };
interface Connection {
  readonly client: { callTool(call: Call): Promise<{ content: unknown }> };
  /** What the tool was called with. */
  readonly called: unknown[];
  close(): Promise<void>;
}
type Seam = (host: Host, chain: Chain) => Promise<Connection>;

async function connect(host: Host, join: (server: McpServer, client: McpClient) => Promise<void>): Promise<Connection> {
  const server = new McpServer({ name: "s", version: "1" }, { host });
  const client = new McpClient({ name: "c", version: "1" }, { host });
  const called: unknown[] = [];
  server.tool({ name: "echo", inputSchema: { type: "object" } }, (given) => {
    // Between the request phase and the response phase.
    called.push(structuredClone(given));
    sabotage();
    return String(given["text"]);
  });
  await join(server, client);
  return { client, called, close: () => client.close() };
}

const seams: Readonly<Record<string, Seam>> = {
  guardServer: (host, chain) =>
    connect(host, async (server, client) => {
      const [near, far] = memoryPair();
      guardServer(server, chain).connect(far);
      await client.connect(near);
    }),
  guardClient: (host, chain) =>
    connect(host, async (server, client) => {
      const [near, far] = memoryPair();
      server.connect(far);
      await guardClient(client, chain).connect(near);
    }),
  relay: (host, chain) =>
    connect(host, async (server, client) => {
      const [near, down] = memoryPair();
      const [up, far] = memoryPair();
      server.connect(far);
      relay(guardTransport(down, { role: "server", chain: { current: () => chain }, host }), up, { host });
      await client.connect(near);
    }),
  guardFunction: async (host, chain) => {
    const called: unknown[] = [];
    const echo = ({ arguments: given }: Call): { content: unknown } => {
      called.push(structuredClone(given));
      sabotage();
      return { content: [{ type: "text", text: String(given["text"]) }] };
    };
    return { client: { callTool: guardFunction(echo, chain, { event: "tools/call", host }) }, called, close: async () => {} };
  },
};

/** Acts on calls whose text is `hostile`, and on their results. */
function hostile(type: Type, behaviour: Behaviour, failOpen: boolean): Interceptor {
  const handler = (input: HandlerInput): unknown => {
    // Not by way of the payload's own methods: it is a plain copy here.
    const isTarget = JSON.stringify(input.payload).includes("hostile");
    return isTarget ? behaviour.handler(input, type) : fine(input, type);
  };
  const declaration = { name: "m-hostile", hooks: HOOKS, failOpen, timeoutMs: DEADLINE_MS };
  return type === "validation" ? validator(declaration, handler as () => boolean) : mutator(declaration, handler as () => never);
}

/** Judges before and after the hostile one, and in the background, and looks at everything that it is told. */
function witness(name: string, seen: Set<string>, mode: "active" | "audit" = "active"): Interceptor {
  return validator({ name, hooks: HOOKS, mode, withRequest: true, configSchema: { type: "object" } }, ({ payload, config, context, event, phase }) => {
    const { principal, request } = context;
    const { name: tool, arguments: given, content } = payload as Payload;
    const asked = request === undefined ? null : [request.params?.["name"], request.params?.["arguments"]];
    seen.add(JSON.stringify([event, phase, phase === "request" ? [tool, given] : content, config, principal ?? null, asked]));
    return true;
  });
}
const config = { level: "config" };
const shown = (text: string, phase: "request" | "response") => {
  const asked = ["echo", { text }];
  return JSON.stringify(["tools/call", phase, ...(phase === "request" ? [asked, config, null, null] : [[{ type: "text", text }], config, null, asked])]);
};

const outcomeOf = (call: Promise<{ content: unknown }>) => call.then(({ content }) => JSON.stringify(content), (thrown: unknown) => (thrown instanceof RpcError ? thrown.code : `no answer of the guard: ${String(thrown)}`));
const textOf = (text: string) => JSON.stringify([{ type: "text", text }]);

for (const [seamName, seam] of Object.entries(seams)) {
  for (const type of ["validation", "mutation"] as const) {
    test(`behind ${seamName} no hostile ${type} changes what others see, or stalls them past its deadline`, async () => {
      for (const [what, behaviour] of Object.entries(behaviours)) {
        for (const failOpen of [false, true]) {
          const label = `${what}, ${failOpen ? "open" : "closed"}`;
          kept.length = 0;
          const host = fakeHost();
          const seen = new Set<string>();
          const chain = createChain({ host });
          const witnesses = ["a-witness", "z-witness"].map((name) => witness(name, seen));
          const settings = (interceptors: readonly Interceptor[]) => ({ config: Object.fromEntries(interceptors.map(({ descriptor }) => [descriptor.name, config])) });
          chain.add([witnesses[0]!], settings([witnesses[0]!]));
          const { client, called, close } = await seam(host, await withOthers(chain, [hostile(type, behaviour, failOpen), witnesses[1]!, witness("audit", seen, "audit")], settings, host));

          const before = outcomeOf(client.callTool({ name: "echo", arguments: { text: "first" } }));
          await settle();
          const target = outcomeOf(client.callTool(CALL));
          const other = outcomeOf(client.callTool({ name: "echo", arguments: { text: "second" } }));
          await settle();
          sabotage();
          // In both phases, where it fails open.
          await host.advance(DEADLINE_MS);
          await host.advance(DEADLINE_MS);
          const got = await Promise.race([Promise.all([before, target, other]), settle().then(() => "stalled")]);

          assert.notEqual(got, "stalled", label);
          const [first, blocked, second] = got as [string, string | number, string];
          assert.deepEqual([first, second], [textOf("first"), textOf("second")], label);
          if (failOpen || behaviour.passes === true) assert.equal(blocked, textOf("hostile"), label);
          else assert.ok(typeof blocked === "number" && [-32602, -32603, -32000].includes(blocked), `${label}: ${blocked}`);
          for (const given of called) assert.deepEqual(Object.keys(given as object), ["text"], label);
          const known = new Set(["first", "hostile", "second"].flatMap((text) => [shown(text, "request"), shown(text, "response")]));
          for (const line of seen) assert.ok(known.has(line), `${label}: ${line}`);
          assert.ok(seen.has(shown("second", "request")) && seen.has(shown("second", "response")), label);
          await close();
          await settle();
          assert.equal(host.liveTimers, 0, label);
        }
      }
      assert.equal(({} as Payload)["sabotaged"], undefined);
    });
  }
}

/** The same chain for all seams; entries are added in two steps, so that a witness stands on either side. */
async function withOthers(chain: Chain, others: readonly Interceptor[], settings: (interceptors: readonly Interceptor[]) => object, host: Host): Promise<Chain> {
  const { interceptorSource } = await import("../../../src/core/chain/in-process.ts");
  const configured = others.filter(({ descriptor }) => descriptor.name !== "m-hostile");
  await chain.addSource(interceptorSource(others, { label: "others", host }), settings(configured));
  return chain;
}

test("a handler that blocks its thread in a worker stalls nobody past its deadline, behind any seam", async () => {
  const module = fileURLToPath(new URL("../../node/fixtures/worker/handlers.mjs", import.meta.url));
  const host = detectHost();
  const worker = await workerInterceptor({ module, timeoutMs: 150, graceMs: 50, output: "ignore" });
  try {
    for (const [name, seam] of Object.entries(seams)) {
      const chain = createChain({ host });
      const loop = worker.interceptors.find(({ descriptor }) => descriptor.name === "loop")!;
      chain.add(loop, { overrides: { loop: { when: ({ payload, phase }) => phase === "request" && JSON.stringify(payload).includes("hostile") } } });
      const guarded = await seam(host, chain);
      const free = await seam(host, chain);
      const order: string[] = [];
      const note = (what: string, call: Promise<unknown>) => call.then((outcome) => (order.push(what), outcome));
      const target = note("target", outcomeOf(guarded.client.callTool(CALL)));
      const behind = note("behind", outcomeOf(guarded.client.callTool({ name: "echo", arguments: { text: "behind" } })));
      const elsewhere = note("elsewhere", outcomeOf(free.client.callTool({ name: "echo", arguments: { text: "elsewhere" } })));
      assert.deepEqual(await Promise.all([target, behind, elsewhere]), [-32000, textOf("behind"), textOf("elsewhere")], name);
      assert.ok(order.indexOf("elsewhere") < order.indexOf("target"), name);
      await guarded.close();
      await free.close();
      // The next seam shall find a new worker; each of these runs is bounded.
      const allow = worker.interceptors.find(({ descriptor }) => descriptor.name === "allow")!;
      const probe = createChain({ host });
      probe.add(allow);
      while ((await probe.execute({ event: "tools/call", phase: "request", payload: CALL })).status !== "success");
    }
  } finally {
    await worker.close();
  }
});
