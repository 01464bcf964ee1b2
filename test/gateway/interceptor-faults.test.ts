// src/gateway: whatever becomes of an interceptor, every request is answered exactly once, and nothing passes that it should have seen.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain, type ConnectedChain } from "../../src/core/client/local-chain.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import { mutator, type Interceptor } from "../../src/core/interceptor/define.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { nodeFiles, type AuditFiles } from "../../src/gateway/audit-file.ts";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { withBreaker } from "../../src/gateway/breaker.ts";
import type { Gateway, GatewayPlan } from "../../src/gateway/plan.ts";
import { fakeHost, settle, type FakeHost } from "../support/fake-host.ts";
import { behind, gatewayFor, until } from "./kit.ts";
import { metaOf, opened, rawEnd } from "./raw.ts";

const HOOKS = [{ events: ["tools/call"], phase: "response" }] as const;
const CALLS = 20;

/** Answers `tools/call` with the nonce that it was sent, and a word that the guard has to take out. */
const upstream = () => {
  const up = behind("memory", "handshake");
  up.server.tool({ name: "leak", inputSchema: { type: "object" } }, ({ nonce }) => `unguarded ${String(nonce)}`);
  return up;
};

// Only a word changes, so the type holds.
const clean = <T>(payload: T) => JSON.parse(JSON.stringify(payload).replaceAll("unguarded", "seen")) as T;

/** A cleaner on a server of its own, behind a connection and a breaker. */
async function remotely(host: FakeHost, cleaner: Interceptor): Promise<{ readonly chain: ConnectedChain; kill(): Promise<void> }> {
  const server = new McpServer({ name: "policies", version: "1" }, { host });
  hostInterceptors(server, [cleaner], { host });
  const [near, far] = memoryPair();
  void server.connect(far);
  const client = new McpClient({ name: "gateway", version: "1" }, { host });
  await client.connect(near);
  const chain = createChain({ host });
  await chain.addServer(withBreaker(clientSource(client, { label: "policies" }), { host }), { overrides: { cleaner: { timeoutMs: 1_000 } } });
  return { chain, kill: () => far.close() };
}

/** Two clients, one of each era, and what they have been answered: by id, all texts. */
async function clients(gateway: Gateway): Promise<{ send(from: number, to: number): Promise<void>; readonly answers: Map<string, string[]> }> {
  const answers = new Map<string, string[]>();
  const all: ((from: number, to: number) => Promise<void>)[] = [];
  for (const stateless of [false, true]) {
    const [near, far] = memoryPair();
    gateway.serve("up", far);
    const end = rawEnd(near);
    if (!stateless) await opened(end);
    const _meta = stateless ? { _meta: JSON.parse(metaOf()) as JsonObject } : {};
    const name = (id: number) => `${stateless ? "stateless" : "handshake"}-${id}`;
    const listen = async () => {
      for (let text = await end.next(); text !== undefined; text = await end.next()) {
        const id = String((JSON.parse(text) as JsonObject)["id"]);
        answers.set(id, [...(answers.get(id) ?? []), text]);
      }
    };
    void listen();
    all.push(async (from, to) => {
      for (let id = from; id < to; id++) {
        answers.set(name(id), []);
        await end.send({ jsonrpc: "2.0", id: name(id), method: "tools/call", params: { name: "leak", arguments: { nonce: name(id) }, ..._meta } });
      }
    });
  }
  return { answers, send: async (from, to) => void (await Promise.all(all.map((send) => send(from, to)))) };
}

/** Each has one answer: its own, cleaned, or an error. Gives how many of each. */
function checked(answers: ReadonlyMap<string, readonly string[]>): { readonly cleaned: number; readonly refused: number } {
  const counts = { cleaned: 0, refused: 0 };
  for (const [id, texts] of answers) {
    assert.equal(texts.length, 1, `${id} has ${texts.length} answers`);
    const [text = ""] = texts;
    assert.doesNotMatch(text, /unguarded/);
    const { result } = JSON.parse(text) as JsonObject;
    if (result === undefined) counts.refused++;
    else {
      counts.cleaned++;
      assert.ok(text.includes(`"seen ${id}"`), text);
    }
  }
  return counts;
}

async function rig(host: FakeHost, chain: ConnectedChain, more: Partial<GatewayPlan> = {}) {
  const up = upstream();
  const gateway = await gatewayFor(up.target, { host, chain: () => chain, ...more });
  const { send, answers } = await clients(gateway);
  const end = async () => {
    const closing = gateway.close();
    await host.advance(30_000);
    await closing;
    await up.close();
    const { faces, calls } = gateway.stats();
    assert.deepEqual([faces, calls], [0, 0]);
  };
  return { send, answers, end };
}

describe("an interceptor", () => {
  it("that is killed with answers before it takes them with it, and nothing passes from then on", async () => {
    const host = fakeHost();
    let hold = false;
    let held = 0;
    const cleaner = mutator({ name: "cleaner", hooks: HOOKS }, ({ payload }) => {
      if (!hold) return clean(payload);
      held++;
      return new Promise<never>(() => {});
    });
    const { chain, kill } = await remotely(host, cleaner);
    const { send, answers, end } = await rig(host, chain);
    await send(0, CALLS);
    await until(() => [...answers.values()].every(({ length }) => length > 0));
    hold = true;
    await send(CALLS, 2 * CALLS);
    await until(() => held === 2 * CALLS);
    await kill();
    await send(2 * CALLS, 3 * CALLS);
    await settle();
    await until(() => [...answers.values()].every(({ length }) => length > 0));
    assert.deepEqual(checked(answers), { cleaned: 2 * CALLS, refused: 4 * CALLS });
    await end();
    assert.equal(host.liveTimers, 0);
  });

  it("that hangs has its calls refused when its time is up, those after it at once, and is heard no more when it wakes up", async () => {
    const host = fakeHost();
    const wake: (() => void)[] = [];
    const cleaner = mutator({ name: "cleaner", hooks: HOOKS }, ({ payload }) => new Promise<typeof payload>((resolve) => wake.push(() => resolve(payload))));
    const { chain, kill } = await remotely(host, cleaner);
    const { send, answers, end } = await rig(host, chain);
    await send(0, CALLS);
    await until(() => wake.length === 2 * CALLS);
    assert.ok([...answers.values()].every(({ length }) => length === 0));
    await host.advance(5_000);
    assert.deepEqual(checked(answers), { cleaned: 0, refused: 2 * CALLS });
    // The circuit is open: no time has to pass.
    await send(CALLS, 2 * CALLS);
    await until(() => [...answers.values()].every(({ length }) => length > 0));
    assert.equal(wake.length, 2 * CALLS);
    for (const late of wake) late();
    await settle();
    assert.deepEqual(checked(answers), { cleaned: 0, refused: 4 * CALLS });
    await end();
    await kill();
    await settle();
    assert.equal(host.liveTimers, 0);
  });
});

describe("a full disk", () => {
  it("lets nothing pass that is not written down, and the log holds what has passed, whole", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    try {
      const host = fakeHost();
      let full = false;
      const files: AuditFiles = {
        ...nodeFiles,
        async open(name) {
          const file = await nodeFiles.open(name);
          return {
            ...file,
            async append(bytes) {
              if (!full) return file.append(bytes);
              await file.append(bytes.subarray(0, bytes.length >> 1));
              throw Object.assign(new RangeError("ENOSPC"), { code: "ENOSPC" });
            },
          };
        },
      };
      const path = join(folder, "audit.jsonl");
      const audit = await openAudit({ path, host, files, sync: "never" });
      const chain = createChain({ host });
      chain.add(mutator({ name: "cleaner", hooks: HOOKS }, ({ payload }) => clean(payload)));
      const { send, answers, end } = await rig(host, chain, { record: (decision, upstream) => audit.record(decision, upstream) });
      // A real file takes real time.
      const answered = () => until(() => [...answers.values()].every(({ length }) => length > 0), 1_000_000);
      await send(0, CALLS);
      await answered();
      full = true;
      await send(CALLS, 2 * CALLS);
      await answered();
      full = false;
      await send(2 * CALLS, 3 * CALLS);
      await answered();
      const counts = checked(answers);
      for (const [id, [text = ""]] of answers) {
        const turn = Math.floor(Number(id.split("-")[1]) / CALLS);
        assert.equal(text.includes('"result"'), turn !== 1, id);
      }
      assert.deepEqual(counts, { cleaned: 4 * CALLS, refused: 2 * CALLS });
      await end();
      await audit.close();
  assert.equal((await verifyAudit([path])).problem, undefined);
      const passed = new Set(
        readFileSync(path, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as JsonObject)
          .filter(({ verdict, direction }) => verdict !== "blocked" && direction === "sending")
          .map(({ id }) => id),
      );
      for (const [id, [text = ""]] of answers) if (text.includes('"result"')) assert.ok(passed.has(id), id);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
