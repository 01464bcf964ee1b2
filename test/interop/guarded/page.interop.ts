// The programs of the page on guarding an official SDK's server or client, as they stand there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client as Client2x, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const interop = join(import.meta.dirname, "..");
const root = join(interop, "..", "..");
const page = readFileSync(join(root, "src", "core", "guard", "README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "guard-page-"));
after(() => rmSync(folder, { recursive: true }));

const names: string[] = [];
for (const [, name = "", program = ""] of page.matchAll(/<!-- file: (\S+) -->\n```js\n([^]*?)```/g)) {
  names.push(name);
  writeFileSync(join(folder, name), program);
}
mkdirSync(join(folder, "node_modules"));
symlinkSync(root, join(folder, "node_modules", "mcp-interceptors"));
symlinkSync(join(interop, "node_modules", "@modelcontextprotocol"), join(folder, "node_modules", "@modelcontextprotocol"));

const STAMPED = /"text":"Sunny".*"com.example\/audited":true|"com.example\/audited":true.*"text":"Sunny"/;

// By a client without a guard, and by a guarded one with a server without.
const PLAIN_SERVER = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "plain", version: "1" });
for (const name of ["forecast", "shell"]) server.registerTool(name, {}, () => ({ content: [{ type: "text", text: name === "shell" ? "it ran" : "Sunny" }] }));
await server.connect(new StdioServerTransport());
`;
writeFileSync(join(folder, "plain-server.mjs"), PLAIN_SERVER);
for (const name of ["client-1x.mjs", "client-2x.mjs"]) {
  const program = readFileSync(join(folder, name), "utf8");
  writeFileSync(join(folder, `plain-${name}`), program.replace("guardClient(client, chain);\n", ""));
}

async function output(client: string, server: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, client), join(folder, server)], { cwd: folder, timeout: 20_000 });
  return stdout.trim().split("\n");
}

it("has a program for each line and side", () => {
  assert.deepEqual(names, ["policy.mjs", "server-1x.mjs", "server-2x.mjs", "handler-2x.mjs", "client-1x.mjs", "client-2x.mjs"]);
});

for (const [client, server] of [
  ["client-1x.mjs", "plain-server.mjs"],
  ["client-2x.mjs", "plain-server.mjs"],
  ["plain-client-1x.mjs", "server-1x.mjs"],
  ["plain-client-2x.mjs", "server-2x.mjs"],
  ["plain-client-1x.mjs", "server-2x.mjs"],
  ["plain-client-2x.mjs", "server-1x.mjs"],
] as const) {
  it(`blocks one tool and stamps the other's result: ${client} and ${server}`, { timeout: 30_000 }, async () => {
    const [forecast = "", shell = ""] = await output(client, server);
    assert.match(forecast, STAMPED);
    assert.match(shell, /Interceptor validation failed/);
  });
}

it("needs the guard for that: without one on either side the tool runs", { timeout: 30_000 }, async () => {
  const [forecast = "", shell = ""] = await output("plain-client-1x.mjs", "plain-server.mjs");
  assert.doesNotMatch(forecast, /audited/);
  assert.match(shell, /it ran|content/);
});

it("guards each server of a handler, but not what the handler answers itself", { timeout: 20_000 }, async () => {
  const { handler } = (await import(pathToFileURL(join(folder, "handler-2x.mjs")).href)) as { handler: { fetch(request: Request): Promise<Response>; close(): Promise<void> } };
  for (const mode of ["auto", "legacy"] as const) {
    const client = new Client2x({ name: "c", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: (url, init) => handler.fetch(new Request(url, init)) }));
    assert.match(JSON.stringify(await client.callTool({ name: "forecast" })), STAMPED);
    await assert.rejects(client.callTool({ name: "shell" }), /Interceptor validation failed/);
    await client.close();
  }
  await handler.close();
});
