// What never answers is no reason to stay: a signal ends verbs that ask interceptors, with all that they have started.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundledCli, fixture, isAlive } from "./run-cli.ts";

const folder = temporaryFolder();
const PATIENCE_MS = 30_000;
const HOOKS = ["request", "response"].map((phase) => ({ events: ["*"], phase }));
const ANSWERS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2025-11-25", serverInfo: { name: "mute", version: "1" }, capabilities: { interceptors: {} } },
  "interceptors/list": { interceptors: [{ name: "never", type: "validation", hooks: HOOKS }] },
};

// Over HTTP, in this process.
let server: Server;
let onAsked = () => {};
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
  said(pattern: RegExp): Promise<void>;
}

async function start(words: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [bundledCli(), ...words], { cwd: folder.path, stdio: ["ignore", "ignore", "pipe"] });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let stderr = "";
  const looks = new Set<() => void>();
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const look of looks) look();
  });
  const ended = new Promise<string>((resolve) =>
    child.once("close", (code, signal) => {
      clearTimeout(patience);
      resolve(String(signal ?? code));
    }),
  );
  const said = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => void (pattern.test(stderr) && resolve());
      looks.add(look);
      look();
      void ended.then((how) => reject(new assert.AssertionError({ message: `ended by ${how} before ${pattern}: ${stderr}` })));
    });
  return { child, ended, said };
}

const RECORDING = [
  { recording: 1, at: "2026-07-28T00:00:00.000Z", session: "s", redactedBy: [] },
  { at: "2026-07-28T00:00:01.000Z", session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, params: { name: "x" } },
];

// The item of a configuration, and the target, by what never answers.
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
const pidOf = (verb: string) => join(folder.path, `${verb}.pid`);
const stubborn = (verb: string) => ({ command: process.execPath, args: [fixture("stubborn.mjs"), pidOf(verb)] });
const KINDS = {
  handler: { item: () => ({ module: fixture("never.mjs") }), target: () => fixture("never.mjs") },
  child: { item: stubborn, target: (verb: string) => `${process.execPath} ${fixture("stubborn.mjs")} ${pidOf(verb)}` },
  service: { item: () => ({ url: url() }), target: url },
};

function wordsOf(verb: string, { item, target }: (typeof KINDS)[keyof typeof KINDS]): readonly string[] {
  if (verb === "invoke") return ["invoke", target(verb), "never", "--event", "tools/call"];
  if (verb === "chain") return ["chain", target(verb), "--event", "tools/call"];
  const config = folder.write(`${verb}.json`, { upstreams: { files: { command: "x" } }, interceptors: [{ ...item(verb), timeoutMs: 600_000 }] });
  if (verb === "bench") return ["bench", config];
  if (verb === "replay") return ["replay", folder.write("s.jsonl", RECORDING.map((line) => `${JSON.stringify(line)}\n`).join("")), "--config", config];
  return ["test", config, folder.write("p.test.json", { tests: [{ name: "x", method: "tools/call", params: { name: "x" }, expect: "pass" }] })];
}

describe("a signal", () => {
  before(async () => {
    server = createServer((asked, answer) => {
      let body = "";
      asked.setEncoding("utf8").on("data", (text: string) => (body += text));
      asked.on("end", () => {
        if (asked.method !== "POST") return answer.writeHead(405).end();
        const { id, method = "" } = JSON.parse(body) as { id?: number; method?: string };
        if (method === "interceptor/invoke") return onAsked();
        if (id === undefined) return answer.writeHead(202).end();
        const result = ANSWERS[method];
        return answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error: { code: -32601, message: "no" } } : { result }) }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    folder.remove();
  });

  for (const [kind, never] of Object.entries(KINDS)) {
    it(`ends invoke, chain, bench, replay and test, which wait for a ${kind}`, async () => {
      const interrupt = async (verb: string, signal: NodeJS.Signals) => {
        const asked = new Promise<void>((resolve) => (onAsked = resolve));
        const { child, ended, said } = await start(wordsOf(verb, never));
        await (kind === "service" ? Promise.race([asked, ended]) : said(/asked/));
        child.kill(signal);
        assert.equal(await ended, signal, verb);
        if (kind === "child") assert.equal(isAlive(Number(readFileSync(pidOf(verb), "utf8"))), false, `${verb} leaves a child behind`);
      };
      const verbs = Object.entries({ invoke: "SIGINT", chain: "SIGTERM", bench: "SIGINT", replay: "SIGTERM", test: "SIGINT" } as const);
      // The service tells one at a time that it is asked; a child takes its time to end.
      if (kind !== "child") for (const [verb, signal] of verbs) await interrupt(verb, signal);
      else await Promise.all(verbs.map(([verb, signal]) => interrupt(verb, signal)));
    });
  }

  it("that comes again while children are being ended leaves none of them behind", async () => {
    const { child, ended, said } = await start(wordsOf("chain", KINDS.child));
    await said(/asked/);
    child.kill("SIGINT");
    await said(/closing/);
    child.kill("SIGINT");
    assert.equal(await ended, "SIGINT");
    assert.equal(isAlive(Number(readFileSync(pidOf("chain"), "utf8"))), false);
  });

  it("is not needed where time is up: invoke says so", async () => {
    const { ended, said } = await start(["invoke", fixture("never.mjs"), "never", "--event", "tools/call", "--timeout", "300"]);
    await said(/not ready within 300 ms, which is all that it may take: see --timeout\n/);
    assert.equal(await ended, "1");
  });
});
