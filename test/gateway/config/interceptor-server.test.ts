// src/gateway/config/items.ts: interceptor servers, real processes, that lose interceptors or die while the gateway runs on them.
import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { startGateway, type ConfiguredGateway } from "../../../src/gateway/config/start.ts";
import type { ReloadOutcome } from "../../../src/gateway/config/reload.ts";
import { INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const running: ConfiguredGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));

folder.write(
  "server.mjs",
  `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "own", version: "1" });
server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ nonce }) => "unguarded " + nonce);`,
);
// Lists what the file beside it names, each time anew; `cleaner` mends answers, and dies where a call says so; `names` passes all.
folder.write(
  "policies.mjs",
  `import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const hooks = [{ events: ["tools/call"], phase: "response" }];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: {}, serverInfo: { name: "policies", version: "1" } }),
  "interceptors/list": () => ({ interceptors: JSON.parse(readFileSync(process.argv[2], "utf8")).map((name) => ({ name, type: name === "cleaner" ? "mutation" : "validation", hooks })) }),
  "interceptor/invoke"({ name, payload }) {
    const text = JSON.stringify(payload);
    if (text.includes("die")) process.exit(1);
    if (name === "names") return { type: "validation", phase: "response", valid: true };
    return { type: "mutation", phase: "response", modified: true, payload: JSON.parse(text.replaceAll("unguarded", "seen")) };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method] === undefined ? { error: { code: -32601, message: "Method not found" } } : { result: answers[method](params) };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`,
);

async function start() {
  const listed = folder.write("listed.json", ["cleaner", "names"]);
  const outcomes: ReloadOutcome[] = [];
  const file = folder.write("gateway.json", {
    upstreams: { own: { module: "server.mjs" } },
    interceptors: [{ command: process.execPath, args: ["policies.mjs", listed], breaker: false }],
    http: { port: 0 },
  });
  const one = await startGateway({ file, env: {}, watch: false, reloaded: (outcome) => void outcomes.push(outcome) });
  running.push(one);
  return { one, outcomes };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** `seen`: answered, and cleaned; `refused`: an error. Anything else fails. */
async function call({ gateway }: ConfiguredGateway, nonce: string): Promise<"seen" | "refused"> {
  const response = await fetch(`${gateway.url}/own/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "echo",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: nonce, method: "tools/call", params: { name: "echo", arguments: { nonce }, _meta: META } }),
  });
  const text = await response.text();
  assert.doesNotMatch(text, /unguarded/);
  if ((JSON.parse(text) as { error?: unknown }).error !== undefined) return "refused";
  assert.ok(text.includes(`"seen ${nonce}"`), text);
  return "seen";
}

describe("an interceptor server of a configuration", () => {
  it("that lists fewer than before has the reload refused, and everything goes on to be guarded", async () => {
    const { one, outcomes } = await start();
    folder.write("listed.json", ["names"]);
    await one.reload();
    assert.match(outcomes[0]?.error ?? "", /\/interceptors\/0 would guard less than now: cleaner \(it is gone\)/);
    assert.equal(await call(one, "a"), "seen");
    folder.write("listed.json", []);
    await one.reload();
    assert.match(outcomes[1]?.error ?? "", /the server lists no interceptors/);
    assert.equal(await call(one, "b"), "seen");
  });

  it("that is killed under load has every call answered once, none unguarded, and is started again", async () => {
    const { one, outcomes } = await start();
    assert.equal(await call(one, "first"), "seen");
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => call(one, index === 10 ? "die" : `n${index}`)));
    assert.equal(answers.length, 30);
    assert.equal(answers[10], "refused");
    // By the next call that needs it.
    assert.equal(await call(one, "later"), "seen");
    await one.reload();
    assert.deepEqual(outcomes.map(({ error }) => error), [undefined]);
    assert.equal(await call(one, "last"), "seen");
  });
});
