// `mcp-interceptors gateway` under load when it is told to end.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { childOf, connectClients, policies } from "../faults/kit.ts";
import { fixture, servedAt, startCli } from "./run-cli.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const CALLERS = 8;
const SECRET = "ann@example.com";
const CLIENT = { name: "c", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const headersFor = (more: Record<string, string>) => ({ "content-type": "application/json", accept: "application/json, text/event-stream", ...more });

interface Answer {
  readonly id?: unknown;
  readonly result?: object;
  readonly error?: { readonly data?: object };
}

describe("gateway", () => {
  it("on SIGTERM answers whoever has called, takes nothing new, and ends", { skip: process.platform === "win32" }, async () => {
    const file = folder.write("gateway.json", {
      upstreams: { files: { command: process.execPath, args: [fixture("server.mjs"), "slow=20"], sharing: "shared" } },
      interceptors: [{ use: "tool-filter", config: { deny: ["rm"] } }, { use: "redact", phase: "response" }],
      audit: { file: "audit.jsonl" },
      http: { port: 0 },
    });
    const running = await startCli(["gateway", "-c", file, "--no-watch"]);
    const url = `${await servedAt(running)}/files/mcp`;

    const opened = await fetch(url, {
      method: "POST",
      headers: headersFor({}),
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT } }),
    });
    await opened.text();
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };

    let told = false;
    const counts = { answered: 0, before: 0, draining: 0 };
    const notTaken: string[] = [];
    let enough = () => {};
    const warm = new Promise<void>((resolve) => (enough = resolve));
    const caller = async (index: number) => {
      const stateless = index % 2 === 0;
      const headers = headersFor(stateless ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" } : session);
      for (let turn = 0; ; turn++) {
        const id = `${index}-${turn}`;
        const early = !told;
        const params = { name: "echo", arguments: { nonce: id, mail: SECRET }, ...(stateless ? { _meta: META } : {}) };
        let text: string;
        let status: number;
        try {
          const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }) });
          ({ status } = response);
          text = await response.text();
        } catch {
          // Nobody listens any more, or nobody has read it: what has been taken is answered, as the audit log says below.
          assert.ok(told, `${id} was refused before the signal`);
          notTaken.push(id);
          return;
        }
        assert.ok(!text.includes(SECRET), text);
        const messages = text.startsWith("{") ? [text] : text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
        assert.equal(messages.length, 1, text);
        const { id: answered, result, error } = JSON.parse(messages[0] ?? "") as Answer;
        if (result !== undefined) {
          assert.ok(text.includes(`\\"nonce\\":\\"${id}\\"`), text);
          counts.answered++;
          if (early && told) counts.before++;
          if (counts.answered === 10 * CALLERS) enough();
          continue;
        }
        // Of the listener, of the face behind it, or (404) for a session that has ended as nothing was going on in it.
        assert.deepEqual([answered, error?.data], [id, { reason: "draining", delivery: "none" }], text);
        assert.ok([200, 404, 503].includes(status), text);
        assert.ok(told, `${id} was refused before the signal`);
        counts.draining++;
        return;
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, index) => caller(index));
    await Promise.race([warm, Promise.all(callers)]);
    told = true;
    running.child.kill("SIGTERM");
    await Promise.all(callers);
    assert.deepEqual((await running.ended).code, 0);
    const log = readFileSync(join(folder.path, "audit.jsonl"), "utf8").trimEnd().split("\n");
    const taken = new Set(log.map((line) => (JSON.parse(line) as { id?: unknown }).id));
    assert.ok(taken.has("0-0"));
    assert.deepEqual(notTaken.filter((id) => taken.has(id)), []);
    assert.ok(counts.before > 0, `nothing was in flight: ${JSON.stringify(counts)}`);
    assert.equal(counts.draining + notTaken.length, CALLERS);
  });

  // In the phase of the response the upstream has done what it was called for, and only the verdict is missing.
  for (const [who, deed] of [["at the call", "gate:hang"], ["at its answer", "cleaner:hang"], ["at its answer, in audit alone", "watcher:hang"]] as const) {
    it(`on SIGTERM answers once what hangs when its time is up, at the upstream or at an interceptor, ${who}`, { skip: process.platform === "win32" }, async () => {
      const name = deed.replace(":", "-");
      const file = folder.write(`${name}.json`, {
        upstreams: { up: childOf("handshake", { sharing: "shared" }) },
        interceptors: [{ ...policies("cleaner", "watcher", "gate"), timeoutMs: 60_000 }],
        http: { port: 0 },
        audit: { file: `${name}.jsonl`, sync: "never" },
        drainMs: 300,
      });
      const running = await startCli(["gateway", "-c", file, "--no-watch"]);
      const clients = await connectClients(await servedAt(running));
      const [first, held] = [clients.call("silent"), clients.call("echo", { deed })];
      const log = join(folder.path, `${name}.jsonl`);
      while (!first.every((id) => readFileSync(log, "utf8").includes(id))) await new Promise((resolve) => setTimeout(resolve, 5));
      // What a session says behind a call that is being judged waits for that, in its direction.
      const ids = clients.call("echo");
      const judges = deed !== "watcher:hang";
      const answered = judges ? ids.slice(3) : [...held, ...ids];
      while (answered.some((id) => clients.answersTo(id).length === 0)) await new Promise((resolve) => setTimeout(resolve, 5));
      running.child.kill("SIGTERM");
      await clients.settled();
      assert.equal((await running.ended).code, 0);
      const { own, failed } = clients.judged();
      for (const id of answered) assert.ok(own.has(id), id);
      for (const id of judges ? [...first, ...held] : first) assert.ok(failed.has(id), id);
      assert.equal(own.size + failed.size, first.length + held.length + ids.length);
      for (const [id, { code }] of failed) assert.equal(code, -32603, id);
      for (const id of first) assert.deepEqual(failed.get(id)?.["data"], { reason: "draining", delivery: "unknown" }, id);
      await clients.close();
    });
  }
});
