// A guard leaves nothing behind: 100,000 messages on every way that one can take, and after each way the counters are back at zero.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import { guardTransport, type GuardedTransport } from "../../../src/core/guard/guard.ts";
import type { GuardOptions } from "../../../src/core/guard/options.ts";
import { mutator, validator, type HandlerInput } from "../../../src/core/interceptor/define.ts";
import { createQueue } from "../../../src/core/base/queue.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import type { Arrival, Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { countSignals } from "../../support/count-signals.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";

const TIMEOUT_MS = 100;
// Enough for what is slow, and for no timeout: whatever timer is left after it is seen.
const SLOW_MS = 20;
// Requests at once, and how often each way is gone.
const AT_ONCE = 100;
const ROUNDS = 3;
const MESSAGES = 100_000;

/** What the interceptors do, by the `do` of a payload. */
type Deed = "pass" | "slow" | "deny" | "deny slowly" | "hang" | "throw" | "listen" | "change" | "audit slowly" | "audit for ever";

interface Rig {
  readonly host: FakeHost;
  readonly chain: Chain;
  readonly guard: GuardedTransport;
  /** Ends the peer's side: in peace, or broken. */
  end(error?: LocalError): void;
  /** What the application and the peer have got; taken when looked at. */
  atApp(): Message[];
  atPeer(): Message[];
  fromPeer(...messages: Message[]): void;
  fromApp(...messages: Message[]): void;
}

const HOOKS = [
  { events: ["*"], phase: "request" },
  { events: ["*"], phase: "response" },
] as const;

function interceptors(host: FakeHost) {
  const wait = (ms: number) => new Promise<void>((resolve) => host.setTimer(resolve, ms));
  const deedOf = ({ payload }: HandlerInput): unknown => (payload as { do?: unknown }).do; // of MCP traffic, it is an object
  return [
    validator({ name: "judge", hooks: HOOKS, timeoutMs: TIMEOUT_MS }, (input) => {
      switch (deedOf(input)) {
        case "slow":
          return wait(10).then(() => true);
        case "deny":
          return false;
        case "deny slowly":
          return wait(10).then(() => false);
        case "hang":
          return new Promise<boolean>(() => {});
        case "throw":
          throw new TypeError("of the test");
        case "listen":
          return new Promise<boolean>((resolve) => input.signal.addEventListener("abort", () => resolve(true)));
        default:
          return true;
      }
    }),
    mutator({ name: "change", hooks: HOOKS }, (input) => (deedOf(input) === "change" ? { ...(input.payload as object), changed: true } : input.payload)),
    validator({ name: "audit", hooks: HOOKS, mode: "audit", timeoutMs: TIMEOUT_MS }, (input) => {
      if (deedOf(input) === "audit slowly") return wait(10).then(() => true);
      return deedOf(input) === "audit for ever" ? new Promise<boolean>(() => {}) : true;
    }),
  ];
}

let messages = 0;
let nextId = 0;

function createRig(options: Partial<GuardOptions> = {}, judges = interceptors): Rig {
  const host = fakeHost();
  const chain = createChain({ host });
  chain.add(judges(host));
  const arrivals = createQueue<Arrival>();
  let broken: LocalError | undefined;
  const toPeer: Message[] = [];
  const toApp: Message[] = [];
  const inner: Transport = {
    async send(frame) {
      toPeer.push(frame.message);
    },
    async receive() {
      const arrival = await arrivals.pull();
      if (arrival === undefined && broken !== undefined) throw broken;
      return arrival;
    },
    async close() {
      arrivals.close();
    },
  };
  const guard = guardTransport(inner, { role: "server", host, chain: { current: () => chain }, policy: { interceptNotifications: true }, ...options });
  void (async () => {
    for (let arrival: Arrival | undefined; (arrival = await guard.receive().catch(() => undefined)) !== undefined; ) toApp.push(arrival.frame.message);
  })();
  return {
    host,
    chain,
    guard,
    end(error) {
      broken = error;
      arrivals.close();
    },
    atApp: () => toApp.splice(0),
    atPeer: () => toPeer.splice(0),
    fromPeer(...sent) {
      messages += sent.length;
      for (const message of sent) arrivals.push({ frame: { message }, from: { transport: "memory", connection: "c" } });
    },
    fromApp(...sent) {
      messages += sent.length;
      for (const message of sent) void guard.send({ message }).catch(() => {});
    },
  };
}

const ids = () => Array.from({ length: AT_ONCE }, () => nextId++);
const ask = (id: number, deed: Deed, method = "tools/call"): Message => ({ jsonrpc: "2.0", id, method, params: { name: "t", do: deed } });
const answer = (id: number, deed: Deed, more: object = {}): Message => ({ jsonrpc: "2.0", id, result: { content: [], do: deed, ...more } });
const tell = (deed: Deed): Message => ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1, do: deed } });
const cancel = (id: number): Message => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });

/** Asks with one deed and answers with another; says what has come of both. */
async function exchange(r: Rig, asked: Deed, answered: Deed = "pass", ms = SLOW_MS): Promise<{ asked: Message[]; answered: Message[] }> {
  r.fromPeer(...ids().map((id) => ask(id, asked)));
  await pass(r, ms);
  const reached = r.atApp();
  r.fromApp(...reached.map((message) => answer((message as { id: number }).id, answered))); // requests, as they were sent
  await pass(r, ms);
  return { asked: reached, answered: r.atPeer() };
}

const pass = (r: Rig, ms: number) => (ms === 0 ? settle() : r.host.advance(ms));
const isError = (message: Message) => "error" in message;
const all = (list: Message[], wanted: (message: Message) => boolean = () => true) => assert.ok(list.length === AT_ONCE && list.every(wanted), `${list.length} of ${AT_ONCE}`);

/** Every way, and the options that it needs. Each checks that its messages have gone that way. */
const WAYS: Readonly<Record<string, { readonly options?: Partial<GuardOptions>; readonly run: (r: Rig) => Promise<unknown> }>> = {
  passed: { run: async (r) => all((await exchange(r, "pass", "pass", 0)).answered, (message) => !isError(message)) },
  "passed after a while": { run: async (r) => all((await exchange(r, "slow", "slow")).answered, (message) => !isError(message)) },
  changed: { run: async (r) => all((await exchange(r, "change", "change", 0)).answered, (message) => "result" in message && message.result["changed"] === true) },
  "refused at once": { run: async (r) => all((await exchange(r, "deny", "pass", 0)).answered, isError) },
  "refused after a while": { run: async (r) => all((await exchange(r, "deny slowly")).answered, isError) },
  "refused by a fault": { run: async (r) => all((await exchange(r, "throw", "pass", 0)).answered, isError) },
  "response refused": { run: async (r) => all((await exchange(r, "pass", "deny slowly")).answered, isError) },
  "timed out": { run: async (r) => all((await exchange(r, "hang", "pass", 2 * TIMEOUT_MS)).answered, isError) },
  "response timed out": { run: async (r) => all((await exchange(r, "listen", "listen", 2 * TIMEOUT_MS)).answered, isError) },
  "audit runs on": {
    async run(r) {
      all((await exchange(r, "audit slowly", "audit for ever", 0)).answered, (message) => !isError(message));
      await r.host.advance(2 * TIMEOUT_MS);
    },
  },
  "notification passed, dropped, timed out": {
    async run(r) {
      for (const deed of ["pass", "deny", "hang", "listen"] as const) r.fromApp(...ids().map(() => tell(deed)));
      await r.host.advance(2 * TIMEOUT_MS);
      all(r.atPeer());
    },
  },
  "cancelled while the request is held": {
    async run(r) {
      for (const deed of ["hang", "listen", "slow"] as const) {
        const held = ids();
        r.fromPeer(...held.map((id) => ask(id, deed)));
        await settle();
        r.fromPeer(...held.map(cancel));
        await settle();
      }
      assert.deepEqual(r.atApp(), []);
    },
  },
  "cancelled while it is open, and answered all the same": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.map((id) => ask(id, "pass")));
      await settle();
      r.fromPeer(...open.map(cancel));
      await settle();
      r.fromApp(...open.map((id) => answer(id, "pass")));
      await settle();
      assert.equal(r.atApp().length, 2 * AT_ONCE);
      assert.deepEqual(r.atPeer(), []);
    },
  },
  "cancelled while it is open, and never answered": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.map((id) => ask(id, "pass")));
      await settle();
      r.fromPeer(...open.map(cancel));
      await settle();
      assert.equal(r.atApp().length, 2 * AT_ONCE);
    },
  },
  "cancelled while the response is held": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.map((id) => ask(id, "pass")));
      await settle();
      r.fromApp(...open.map((id) => answer(id, id % 2 === 0 ? "hang" : "listen")));
      await settle();
      r.fromPeer(...open.map(cancel));
      await settle();
      assert.deepEqual(r.atPeer(), []);
    },
  },
  "second requests, second answers, answers to nothing": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.flatMap((id) => [ask(id, "pass"), ask(id, "pass")]));
      await settle();
      all(r.atPeer(), isError);
      r.fromApp(...open.flatMap((id) => [answer(id, "pass"), answer(id, "pass"), answer(-1 - id, "pass")]));
      await settle();
      all(r.atPeer(), (message) => !isError(message));
    },
  },
  "handshakes that are wrong": {
    async run(r) {
      r.fromPeer(...ids().map((id): Message => ({ jsonrpc: "2.0", id, method: "initialize", params: {} })));
      await settle();
      all(r.atPeer(), isError);
    },
  },
  "more than may be held": {
    options: { limits: { maxIncomingRequests: 10 } },
    async run(r) {
      r.fromPeer(...ids().map((id) => ask(id, "hang")));
      await r.host.advance(2 * TIMEOUT_MS);
      all(r.atPeer(), isError);
    },
  },
  "the application's own requests": {
    async run(r) {
      r.fromApp(...ids().map((id, at) => ask(id, (["pass", "deny", "hang", "change"] as const)[at % 4]!, "roots/list")));
      await r.host.advance(2 * TIMEOUT_MS);
      const reached = r.atPeer();
      assert.equal(reached.length, AT_ONCE / 2);
      r.fromPeer(...reached.map((message) => answer((message as { id: number }).id, "pass"))); // requests, as they were sent
      await settle();
      all(r.atApp());
    },
  },
  "subscriptions that their server ends": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.map((id): Message => ({ jsonrpc: "2.0", id, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: ["file:///a", "file:///b"] } } })));
      await settle();
      r.fromApp(...open.map(cancel));
      await settle();
      all(r.atPeer());
    },
  },
  "tasks that are created, and never heard of again": {
    async run(r) {
      const open = ids();
      r.fromPeer(...open.map((id) => ask(id, "pass")));
      await settle();
      r.fromApp(...open.map((id) => answer(id, "pass", { task: { taskId: `t-${id}`, status: "working" } })));
      await settle();
      all(r.atPeer());
    },
  },
  "no context": {
    options: { context: () => Promise.reject(new TypeError("of the test")) },
    run: async (r) => all((await exchange(r, "pass")).answered, isError),
  },
  "a context that never comes": {
    options: { context: () => new Promise(() => {}), policy: { contextTimeoutMs: SLOW_MS } },
    run: async (r) => all((await exchange(r, "pass")).answered, isError),
  },
  "a context and a record that take a while": {
    options: { context: async () => ({}), record: async () => {} },
    run: async (r) => all((await exchange(r, "pass")).answered, (message) => !isError(message)),
  },
  "no record": {
    options: { record: () => Promise.reject(new TypeError("of the test")) },
    run: async (r) => all((await exchange(r, "pass")).answered, isError),
  },
  "a record that never ends": {
    options: { record: () => new Promise(() => {}), policy: { recordTimeoutMs: SLOW_MS } },
    run: async (r) => all((await exchange(r, "pass")).answered, isError),
  },
  "no chain": {
    options: { chain: { current: () => { throw new TypeError("of the test"); } } },
    run: async (r) => all((await exchange(r, "pass", "pass", 0)).answered, isError),
  },
};

/** Ways that end the connection, with requests, responses and notifications held and others open. */
const ENDS: Readonly<Record<string, (r: Rig) => unknown>> = {
  closed: (r) => r.guard.close(),
  "closed with a reason": (r) => r.guard.close(new LocalError("aborted", "of the test")),
  // What has arrived before is judged still, and goes on to the application.
  "the peer is gone": async (r) => {
    r.end(new LocalError("closed", "of the test"));
    await r.host.advance(2 * TIMEOUT_MS);
  },
  "the peer has ended in peace, then it is closed": async (r) => {
    r.end();
    await r.host.advance(2 * TIMEOUT_MS);
    await r.guard.close();
  },
};

test("no way of a message through a guard leaves a listener, a timer, an entry of the ledger or an audit behind, over 100,000 messages", async () => {
  const signals = countSignals();
  try {
    const empty = (r: Rig, way: string) =>
      assert.deepEqual(
        { inFlight: r.guard.inFlight, timers: r.host.liveTimers, listeners: signals.live, audits: r.chain.stats().detached },
        { inFlight: 0, timers: 0, listeners: 0, audits: 0 },
        way,
      );
    for (const [way, { options, run }] of Object.entries(WAYS)) {
      const r = createRig(options);
      for (let round = 0; round < ROUNDS; round++) await run(r);
      await r.host.advance(SLOW_MS);
      empty(r, way);
      await r.guard.close();
      empty(r, `${way}, and closed`);
    }
    for (const [way, end] of Object.entries(ENDS)) {
      for (let round = 0; round < 3; round++) {
        const r = createRig();
        const open = ids();
        r.fromPeer(...open.map((id) => ask(id, "pass")));
        await settle();
        r.fromApp(...open.slice(0, AT_ONCE / 2).map((id, at) => answer(id, at % 2 === 0 ? "listen" : "hang")), tell("hang"));
        r.fromPeer(...ids().map((id, at) => ask(id, (["listen", "hang", "slow"] as const)[at % 3]!)), tell("listen"));
        await settle();
        assert.ok(r.guard.inFlight > AT_ONCE && signals.live > 0 && r.host.liveTimers > 0, "something is there to be left behind");
        await end(r);
        // What a handler has begun of its own, ends of its own.
        await r.host.advance(SLOW_MS);
        empty(r, way);
      }
    }
    // Most messages take one of a few ways; the rest of them, at full speed, past one validator.
    const r = createRig({}, (host) => interceptors(host).slice(0, 1));
    for (let round = 0; messages < MESSAGES; round++) {
      await exchange(r, round % 4 === 0 ? "deny" : "pass", round % 4 === 1 ? "deny" : "pass", 0);
      r.fromPeer(...Array.from({ length: AT_ONCE }, () => tell(round % 4 === 2 ? "deny" : "pass")));
      // What is never judged costs a tenth.
      r.fromPeer(...Array.from({ length: 7 * AT_ONCE }, (): Message => ({ jsonrpc: "2.0", method: "notifications/initialized" })));
    }
    await r.host.advance(SLOW_MS);
    empty(r, "many messages");
  } finally {
    signals.restore();
  }
});

test("a chain that is swapped while messages are held is let go of with the last of them", async () => {
  const signals = countSignals();
  try {
    const host = fakeHost();
    const chains = Array.from({ length: 50 }, () => {
      const chain = createChain({ host });
      chain.add(interceptors(host));
      return chain;
    });
    let at = 0;
    const r = createRig({ host, chain: { current: () => chains[at]! } });
    for (; at < chains.length - 1; at++) {
      r.fromPeer(...ids().slice(0, 10).map((id, each) => ask(id, each % 2 === 0 ? "slow" : "hang")));
      await host.advance(1);
    }
    await host.advance(2 * TIMEOUT_MS);
    const reached = r.atApp();
    assert.equal(reached.length, (chains.length - 1) * 5);
    r.fromApp(...reached.map((message) => answer((message as { id: number }).id, "slow"))); // requests, as they were sent
    await host.advance(2 * TIMEOUT_MS);
    assert.equal(r.atPeer().length, (chains.length - 1) * 10);
    const left = { inFlight: r.guard.inFlight, timers: host.liveTimers, listeners: signals.live, audits: chains.map((chain) => chain.stats().detached) };
    assert.deepEqual(left, { inFlight: 0, timers: 0, listeners: 0, audits: chains.map(() => 0) });
  } finally {
    signals.restore();
  }
});

test("of tasks that are created and never heard of again, only the latest are known", async () => {
  const r = createRig({ limits: { maxPendingRequests: 50 } });
  const created = ids().map((id) => `t-${id}`);
  const open = created.map((taskId) => ({ taskId, id: nextId++ }));
  r.fromPeer(...open.map(({ id }) => ask(id, "pass")));
  await settle();
  r.fromApp(...open.map(({ id, taskId }) => answer(id, "pass", { task: { taskId, status: "working" } })));
  await settle();
  r.atApp();
  r.atPeer();
  const asked = created.map((taskId) => ({ taskId, id: nextId++ }));
  r.fromPeer(...asked.map(({ id, taskId }): Message => ({ jsonrpc: "2.0", id, method: "tasks/result", params: { taskId } })));
  await settle();
  r.fromApp(...asked.map(({ id }) => answer(id, "pass")));
  await settle();
  // The result of a task that has been forgotten is nobody's, and is refused.
  assert.deepEqual(r.atPeer().map(isError), created.map((_taskId, at) => at < AT_ONCE - 50));
  assert.equal(r.guard.inFlight, 0);
});

test("the counter of listeners counts those that nobody has taken off, and no abort has called", () => {
  const signals = countSignals();
  try {
    const [one, two] = [createSignal(), createSignal()];
    const off = one.signal.onAbort(() => {});
    one.signal.onAbort(() => {});
    two.signal.onAbort(() => {});
    assert.equal(signals.live, 3);
    off();
    off();
    assert.equal(signals.live, 2);
    two.abort("over");
    two.signal.onAbort(() => {});
    assert.equal(signals.live, 1);
  } finally {
    signals.restore();
  }
});
