// A server of the official 2.x line behind `wrap`, in every revision of the protocol that it shares with the official clients: both eras.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { client1x } from "./client-1x.ts";
import { client2xAuto, client2xDefault, client2xModern } from "./client-2x.ts";
import { assertSameRecords, outcome, reportTally, runSteps, type Step, type Tally } from "./compare.ts";
import { heard } from "./everything-steps.ts";
import { fixture } from "./paths.ts";
import { assertNoneLeft, newMark } from "./process-tree.ts";
import { direct, wrapped, type ClientKind, type Command, type Params, type Session } from "./session.ts";
import { WRAPS } from "./wraps.ts";

const ROOTS = [{ uri: "file:///tmp/root", name: "root" }];
const EMAIL = "ada.lovelace@example.org";

const call = (name: string, args: Params, more: Partial<Step> = {}): Step => ({
  name: `tools/call ${name}`,
  run: (session) => session.callTool(name, args, name === "slow" ? { onprogress: () => {} } : {}),
  ...more,
});
const ask = (method: string, params?: Params): Step => ({ name: method, run: (session) => session.request(method, params) });

const STEPS: readonly Step[] = [
  { name: "tools/list, by the client's own method", run: (session) => session.listTools() },
  ask("tools/list", {}),
  call("echo", { message: "emoji 😀 \u2028 \ud83d" }),
  call("echo", {}),
  call("contact", {}),
  call("confirm", {}, { racing: "in the handshake era the server asks both of its questions at once" }),
  call("slow", { steps: 3 }),
  {
    name: "tools/call slow, cancelled",
    async run(session) {
      const controller = new AbortController();
      const cancelled = outcome(session.callTool("slow", { steps: 5 }, { signal: controller.signal }));
      controller.abort("not wanted any more");
      return { cancelled: await cancelled, after: await session.callTool("echo", { message: "still there" }) };
    },
  },
  call("fail", {}),
  call("no-such-tool", {}),
  ask("resources/list"),
  ask("resources/read", { uri: "note://one" }),
  ask("resources/read", { uri: "note://none" }),
  ask("prompts/list"),
  ask("prompts/get", { name: "greet", arguments: { name: "Ada" } }),
  ask("ping"),
  ask("no/such/method", {}),
  {
    name: "subscriptions/listen, with a change of the tool list in between",
    async run(session) {
      const from = session.received.length;
      const grow = async () => {
        const result = await session.callTool("grow", {});
        await heard(session, from, ({ method }) => method === "notifications/tools/list_changed");
        return result;
      };
      return session.listen === undefined ? grow() : session.listen({ toolsListChanged: true }, grow);
    },
  },
  { name: "tools/list, grown", run: (session) => session.listTools() },
];

/** The 2.x client with one handshake revision as the only one that it knows. */
const only = (version: string): ClientKind => ({
  label: `client 2.x ${version}`,
  open: (command, options) => client2xDefault.open(command, { ...options, versions: [version] }),
});
const KINDS: readonly (readonly [ClientKind, protocol: string])[] = [
  [client1x, "2025-11-25"],
  [client2xDefault, "2025-11-25"],
  [only("2025-06-18"), "2025-06-18"],
  [only("2025-03-26"), "2025-03-26"],
  [only("2024-11-05"), "2024-11-05"],
  [client2xAuto, "2026-07-28"],
  [client2xModern, "2026-07-28"],
];

async function withSession<T>(kind: ClientKind, command: (server: Command) => Command, use: (session: Session) => Promise<T>): Promise<T> {
  const mark = newMark();
  const session = await kind.open(command(direct(mark, fixture("official-server.mjs"))), { roots: ROOTS });
  try {
    return await use(session);
  } finally {
    await session.close();
    await assertNoneLeft(mark, 2_000);
  }
}

describe("a server of the 2.x line behind wrap", { concurrency: 3 }, () => {
  for (const [kind, protocol] of KINDS) {
    it(`gives the ${kind.label} the same answers and messages as without, in ${protocol}`, { timeout: 30_000 }, async () => {
      const run = (options?: readonly string[]) =>
        withSession(kind, (server) => (options === undefined ? server : wrapped(options, server)), async (session) => {
          assert.ok(JSON.stringify(session.server.protocol).includes(protocol), JSON.stringify(session.server.protocol));
          return runSteps(session, STEPS, () => Promise.resolve());
        });
      const plain = await run();
      const tally: Tally = { steps: 0, messages: 0 };
      for (const { options } of WRAPS) assertSameRecords(await run(options), plain, STEPS, tally);
      reportTally(`server 2.x, ${kind.label}, ${protocol}`, WRAPS.length, tally);
    });
  }

  it("goes at once when the client closes with a subscription open", { timeout: 30_000 }, async () => {
    const mark = newMark();
    const session = await client2xModern.open(wrapped([], direct(mark, fixture("official-server.mjs"))));
    let took = Infinity;
    await session.listen?.({ toolsListChanged: true }, async () => {
      const started = performance.now();
      await session.close();
      took = performance.now() - started;
    });
    assert.ok(took < 1_950, `it took ${took} ms: the client had to use force`);
    await assertNoneLeft(mark, 1_000);
  });

  for (const posture of ["client", "server"]) {
    it(`is guarded in the stateless era as well, posture ${posture}`, { timeout: 30_000 }, async () => {
      const options = ["--posture", posture, "--use", "redact", "--use", 'tool-filter={"deny":["echo","grow*"]}'];
      await withSession(client2xModern, (server) => wrapped(options, server), async (session) => {
        const names = (await session.listTools()).tools.map(({ name }) => name);
        assert.deepEqual(names, ["contact", "confirm", "slow", "fail"]);
        const refused = await outcome(session.callTool("echo", { message: "x" }));
        assert.match(JSON.stringify(refused), /Unknown tool: echo/);
        assert.deepEqual(session.received.at(-1)?.error, { code: -32602, message: "Unknown tool: echo" });
        // Their client holds structured content against the output schema: it is still what that says.
        assert.match(JSON.stringify(await session.callTool("contact", {})), /"structuredContent":\{"mail":"(?!ada)[^"]+"\}/);
        assert.match(JSON.stringify(await session.callTool("fail", {})), /it broke/);
        assert.match(JSON.stringify(await session.callTool("confirm", {})), /confirmed by Ada/);
        assert.ok(!JSON.stringify(session.received).includes(EMAIL));
      });
    });
  }
});
