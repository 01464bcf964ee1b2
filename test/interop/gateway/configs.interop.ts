// The three configurations of examples/gateway, each run by the built command line in front of published servers, and used by official clients. What npx
// would fetch comes from this folder's node_modules.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2x, StreamableHTTPClientTransport as Transport2x } from "@modelcontextprotocol/client";
import { CLI } from "../official/paths.ts";
import { createIssuer } from "./issuer.ts";

const configs = join(import.meta.dirname, "..", "..", "..", "examples", "gateway");
const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
const files = join(folder, "files");
const bin = join(folder, "bin");
for (const path of [files, bin]) mkdirSync(path);
const packages = join(import.meta.dirname, "..", "node_modules");
writeFileSync(join(bin, "npx"), `#!/bin/sh\nname=$2\nshift 2\nexec "${process.execPath}" "${packages}/$name/dist/index.js" "$@"\n`);
chmodSync(join(bin, "npx"), 0o755);
writeFileSync(join(files, "note.txt"), "Write to ann@example.com.");
writeFileSync(join(files, "card.txt"), "4111 1111 1111 1111");
writeFileSync(join(files, "id.pem"), "a key");

const env = (more: Record<string, string>): Record<string, string> => ({ ...(process.env as Record<string, string>), PATH: `${bin}:${process.env["PATH"]}`, PORT: "0", ...more });

const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Serving {
  readonly urls: ReadonlyMap<string, string>;
  readonly metrics: string | undefined;
  /** Ends it in order, and gives its exit code. */
  end(): Promise<number | null>;
}

async function serve(config: string, more: Record<string, string>): Promise<Serving> {
  const child = spawn(process.execPath, [CLI, "gateway", "-c", join(configs, config)], { env: env(more), stdio: ["ignore", "ignore", "pipe"] });
  started.push(child);
  let stderr = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const found = /serving .*/.exec(stderr)?.[0];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new assert.AssertionError({ message: `ended: ${stderr}` })));
  });
  const urls = new Map([...line.matchAll(/http:\/\/[^ ]*\/([^/ ]+)\/mcp/g)].map(([url, name = ""]) => [name, url]));
  return {
    urls,
    metrics: /metrics at (http:\/\/\S+\/metrics)/.exec(line)?.[1],
    end() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

async function http(url: string | undefined, token?: string): Promise<Client> {
  const client = new Client({ name: "interop", version: "1.0.0" });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url ?? ""), { requestInit: { headers } }) as Parameters<Client["connect"]>[0]);
  return client;
}

const textOf = (result: unknown): string => JSON.stringify(result);
const read = (name: string) => ({ name: "read_text_file", arguments: { path: join(files, name) } });

describe("the configurations of examples/gateway, with official clients and published servers", () => {
  it("one-server: over stdio, nothing is written, no key is read, no address gets out", async () => {
    const client = new Client({ name: "interop", version: "1.0.0" });
    const args = [CLI, "gateway", "-c", join(configs, "one-server.jsonc"), "--stdio", "files", "--quiet"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: env({ FILES_FOLDER: files }) }));
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "read_text_file"));
    assert.deepEqual(tools.filter(({ name }) => /^(?:write|edit|create|move)_|^read_multiple_files$/.test(name)), []);
    assert.match(textOf(await client.callTool(read("note.txt"))), /Write to \[REDACTED:email\]\./);
    await assert.rejects(client.callTool({ name: "write_file", arguments: { path: join(files, "x"), content: "x" } }), /Unknown tool: write_file/);
    const key = await client.callTool(read("id.pem/."));
    assert.equal(key.isError, true);
    assert.doesNotMatch(textOf(key), /a key/);
    await client.close();
  });

  it("team: over HTTP, by tokens of an issuer, by groups, with an audit log that holds, and numbers", async () => {
    const { jwks, tokenFor } = createIssuer(folder);
    const token = (sub: string, ...groups: string[]) => tokenFor(sub, { groups });
    const audit = join(folder, "audit.jsonl");
    const gateway = await serve("team.jsonc", { JWKS: jwks, AUDIT_FILE: audit, FILES_FOLDER: files, PUBLIC_HOST: "127.0.0.1", METRICS_PORT: "0" });
    await assert.rejects(http(gateway.urls.get("everything")));
    await assert.rejects(http(gateway.urls.get("files"), token("bob", "sales")));
    const everything = await http(gateway.urls.get("everything"), token("bob", "sales"));
    assert.match(textOf(await everything.callTool({ name: "echo", arguments: { message: "to ann@example.com" } })), /to \[REDACTED:email\]/);
    await assert.rejects(everything.callTool({ name: "get-env", arguments: {} }), /Unknown tool/);
    const ann = await http(gateway.urls.get("files"), token("ann", "engineering"));
    await assert.rejects(ann.callTool({ name: "write_file", arguments: { path: join(files, "new.txt"), content: "x" } }), /Interceptor validation failed/);
    const root = await http(gateway.urls.get("files"), token("root", "engineering", "admins"));
    assert.match(textOf(await root.callTool({ name: "write_file", arguments: { path: join(files, "new.txt"), content: "x" } })), /Successfully/);
    assert.match(await (await fetch(gateway.metrics ?? "")).text(), /^mcp_interceptors_blocked_total\{upstream="files",.*interceptor="refuse"\} 1$/m);
    await Promise.all([everything, ann, root].map((client) => client.close()));
    assert.equal(await gateway.end(), 0);
    const lines = readFileSync(audit, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { who?: { id?: string }; by?: string; verdict?: string });
    assert.deepEqual(lines.filter(({ by }) => by === "refuse").map(({ who, verdict }) => [who?.id, verdict]), [["ann", "blocked"]]);
    const verify = spawn(process.execPath, [CLI, "audit", "verify", audit], { stdio: "ignore" });
    assert.equal(await new Promise((resolve) => verify.once("close", resolve)), 0);
  });

  it("shadow: over HTTP with the 2.x client, the new policy decides for what only reads, and is recorded for the rest", async () => {
    const audit = join(folder, "shadow.jsonl");
    const gateway = await serve("shadow.jsonc", { NOTES_FOLDER: files, AUDIT_FILE: audit });
    const client = new Client2x({ name: "interop", version: "1.0.0" });
    await client.connect(new Transport2x(new URL(gateway.urls.get("notes") ?? "")));
    await assert.rejects(client.callTool({ name: "move_file", arguments: { source: "a", destination: "b" } }), /Unknown tool: move_file/);
    await assert.rejects(client.callTool(read("card.txt")), /Interceptor validation failed/);
    const secret = { name: "write_file", arguments: { path: join(files, "secret.txt"), content: "sk-abcdefghijklmnopqrstuvwxyz" } };
    assert.match(textOf(await client.callTool(secret)), /Successfully/);
    await client.close();
    assert.equal(await gateway.end(), 0);
    assert.match(readFileSync(audit, "utf8"), /"name":"no-secrets","type":"validation","mode":"audit","outcome":"blocked"|"no-secrets"/);
  });
});
