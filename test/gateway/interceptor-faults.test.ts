// src/gateway: whatever becomes of an interceptor, every request is answered exactly once, and nothing passes that it should have seen.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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
import { openAudit, type AuditOptions } from "../../src/gateway/audit.ts";
import { nodeFiles, type AuditFile, type AuditFiles } from "../../src/gateway/audit-file.ts";
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

/** What a disk does while it has no room. */
interface DiskFault {
  readonly what: string;
  readonly options?: Partial<AuditOptions>;
  files(full: () => boolean): AuditFiles;
}

const noRoom = () => Object.assign(new RangeError("ENOSPC"), { code: "ENOSPC" });
/** With some of what files do in other ways. */
const files = (more: (real: AuditFile) => Partial<AuditFile>, folder: Partial<AuditFiles> = {}): AuditFiles => ({
  ...nodeFiles,
  async open(name) {
    const real = await nodeFiles.open(name);
    return { ...real, ...more(real) };
  },
  ...folder,
});
const refusing = <A extends readonly unknown[], R>(full: () => boolean, act: (...args: A) => Promise<R>) => (...args: A): Promise<R> => (full() ? Promise.reject(noRoom()) : act(...args));
const halfTaken = (full: () => boolean, real: AuditFile): AuditFile["append"] => async (bytes) => {
  if (!full()) return real.append(bytes);
  await real.append(bytes.subarray(0, bytes.length >> 1));
  throw noRoom();
};
// Some lines, and then another file.
const ROTATING = { maxFileBytes: 8_000 };

const DISK_FAULTS: readonly DiskFault[] = [
  {
    what: "that takes half of what is written",
    files: (full) => files((real) => ({ append: halfTaken(full, real) })),
  },
  { what: "that takes nothing, and does not say how much there is", files: (full) => files((real) => ({ append: refusing(full, real.append), size: refusing(full, real.size) })) },
  {
    what: "that takes half, and does not let go of it",
    files: (full) => files((real) => ({ append: halfTaken(full, real), truncate: refusing(full, real.truncate) })),
  },
  { what: "that takes all, and does not keep it", options: { sync: "each" }, files: (full) => files((real) => ({ sync: refusing(full, real.sync) })) },
  { what: "that does not rename", options: ROTATING, files: (full) => files(() => ({}), { rename: refusing(full, nodeFiles.rename) }) },
  {
    what: "that makes no new file",
    options: ROTATING,
    files(full) {
      const made = files(() => ({}));
      return { ...made, open: refusing(full, made.open) };
    },
  },
];

describe("a full disk", () => {
  for (const { what, options = {}, files } of DISK_FAULTS) {
    it(`${what} lets nothing pass that is not written down, and the log holds what has passed, whole`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
      try {
        const host = fakeHost();
        let full = false;
        const path = join(folder, "audit.jsonl");
        const audit = await openAudit({ path, host, sync: "never", ...options, files: files(() => full) });
        const chain = createChain({ host });
        chain.add(mutator({ name: "cleaner", hooks: HOOKS }, ({ payload }) => clean(payload)));
        const { send, answers, end } = await rig(host, chain, { record: (decision, upstream) => audit.record(decision, upstream) });
        // A real file takes real time.
        const answered = () => until(() => [...answers.values()].every(({ length }) => length > 0), 1_000_000);
        const rounds: readonly { readonly from: number; readonly full: boolean }[] = [false, true, false, true, false].map((full, turn) => ({ from: turn * CALLS, full }));
        for (const round of rounds) {
          full = round.full;
          await send(round.from, round.from + CALLS);
          await answered();
        }
        const { refused } = checked(answers);
        const { failed } = audit.stats();
        // Of those that came while there was no room; where a file is full some may have been written before.
        for (const [id, [text = ""]] of answers) assert.ok(text.includes('"result"') || rounds[Math.floor(Number(id.split("-")[1]) / CALLS)]?.full === true, id);
        assert.ok(refused > 0 && failed >= refused, `${refused} were refused, ${failed} were not written`);
        if (options.maxFileBytes === undefined) assert.equal(refused, 2 * 2 * CALLS);
        await end();
        await audit.close();
        const log = readdirSync(folder).sort((left, right) => (left === "audit.jsonl" ? 1 : right === "audit.jsonl" ? -1 : left.localeCompare(right))).map((name) => join(folder, name));
        assert.equal(log.length > 1, options.maxFileBytes !== undefined);
        assert.equal((await verifyAudit(log)).problem, undefined);
        const passed = new Set(
          log
            .flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"))
            .map((line) => JSON.parse(line) as JsonObject)
            .filter(({ verdict, direction }) => verdict !== "blocked" && direction === "sending")
            .map(({ id }) => id),
        );
        for (const [id, [text = ""]] of answers) if (text.includes('"result"')) assert.ok(passed.has(id), id);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
