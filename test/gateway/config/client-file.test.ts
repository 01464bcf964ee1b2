import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClientServer, guardServerEntry, namesInEnvFile, readClientFile, workFolderOf } from "../../../src/gateway/config/client-file.ts";

const found = (value: unknown) => {
  const read = readClientFile(value);
  assert.ok(typeof read === "object", String(read));
  return read;
};
const server = (entry: object, upstream = "files"): ClientServer => ({ name: upstream, upstream, entry: { ...entry } });
const guard = (entry: object, upstream?: string) => guardServerEntry(server(entry, upstream), { program: ["node", "main.js"], configFile: "/c.jsonc" });

describe("a client's file", () => {
  it("names servers under the member that each client has", () => {
    for (const member of ["mcpServers", "servers", "context_servers"]) {
      const read = found({ other: 1, [member]: { files: { command: "x" } } });
      assert.deepEqual([read.member, read.servers.map(({ name }) => name)], [member, ["files"]]);
    }
  });

  it("gets names for upstreams that are part of a path, each its own", () => {
    const { servers } = found({ mcpServers: { "My Files": { command: "x" }, "My+Files": { command: "y" }, "日本": { command: "z" }, "_a.b": { url: "https://x.example/mcp" } } });
    assert.deepEqual(servers.map(({ upstream }) => upstream), ["My-Files", "My-Files-2", "server", "a.b"]);
  });

  it("leaves apart what no gateway can stand before, with the reason", () => {
    const { servers, others } = found({ mcpServers: { old: { type: "sse", url: "https://x.example" }, none: {}, odd: 5, args: { command: "x", args: "y" }, env: { command: "x", env: { A: 1 } }, headers: { url: "https://x.example", headers: [] }, file: { url: "file:///x" } } });
    assert.deepEqual([servers.length, others.map(({ name }) => name)], [0, ["old", "none", "odd", "args", "env", "headers", "file"]]);
    assert.match(others[0]?.why ?? "", /old HTTP\+SSE/);
  });

  it("leaves apart what wrap stands before already, however that is started, and takes other programs for servers", () => {
    const behind = ["wrap", "--use", "redact", "--", "node", "server.mjs"];
    const ours: readonly [string, ...string[]][] = [
      ["mcp-interceptors"],
      ["/usr/bin/mcp-interceptors"],
      ["C:\\npm\\mcp-interceptors.cmd"],
      ["npx", "-y", "mcp-interceptors@0.1.0"],
      ["node", "/x/mcp-interceptors/dist/cli/main.js"],
    ];
    for (const [command, ...args] of ours) {
      assert.deepEqual(found({ mcpServers: { files: { command, args: [...args, ...behind] } } }).others, [{ name: "files", why: "is guarded already, by wrap" }], command);
    }
    for (const [command, ...args] of [["gift", ...behind], ["mcp-interceptors", "wrap"], ["mcp-interceptors", "fixture-server", "--", "wrap"], ["node", "server.mjs", "wrap", "--", "x"]]) {
      assert.equal(found({ mcpServers: { files: { command, args } } }).servers.length, 1, `${command} ${args.join(" ")}`);
    }
  });

  it("has servers with a file of variables where that can be read", () => {
    const files: Record<string, string> = { ".env": "# c\nA=1\n export B = x=y\nA=2\n", odd: "a.b=1" };
    const read = readClientFile({ servers: { a: { command: "x", envFile: ".env" }, b: { command: "x", envFile: "none" }, c: { command: "x", envFile: "odd" } } }, (name) => {
      const text = files[name];
      return text === undefined ? undefined : namesInEnvFile(text);
    });
    assert.ok(typeof read === "object");
    assert.deepEqual([read.servers.map(({ name, fileVariables }) => [name, fileVariables]), read.others.map(({ name }) => name)], [[["a", ["A", "B"]]], ["b", "c"]]);
  });

  it("tells the folder that its servers are started in, where the client has a rule for that", () => {
    const folders = ["/w/.vscode/mcp.json", "/w/.cursor/mcp.json", "/w/.mcp.json", "C:\\w\\.vscode\\mcp.json", "/.vscode/mcp.json", "/h/.config/Claude/claude_desktop_config.json", "/w/mcp.json"].map(workFolderOf);
    assert.deepEqual(folders, ["/w", "/w", "/w", "C:\\w", "/", undefined, undefined]);
  });

  it("is refused where it has no servers", () => {
    assert.equal(readClientFile([]), "must be an object");
    assert.match(String(readClientFile({ mcpServers: [] })), /must have one of mcpServers, servers, context_servers/);
  });
});

describe("a guarded server", () => {
  it("is started by the gateway, and keeps its environment in the client's file alone", () => {
    const { upstream, entry } = guard({ command: "npx", args: ["-y", "server"], env: { API_KEY: "s3cret" }, cwd: "/w", disabled: false, alwaysAllow: ["a"] });
    assert.deepEqual(upstream, { command: "npx", args: ["-y", "server"], env: { API_KEY: "${API_KEY:-}" }, cwd: "/w" });
    assert.deepEqual(entry, { disabled: false, alwaysAllow: ["a"], command: "node", args: ["main.js", "gateway", "-c", "/c.jsonc", "--stdio", "files"], env: { API_KEY: "s3cret" } });
  });

  it("keeps headers in the client's file, under variables of their own", () => {
    const { upstream, entry } = guard({ type: "http", url: "https://crm.example/mcp", headers: { Authorization: "Bearer s3cret", "X-Team": "a" } }, "my-crm");
    assert.deepEqual(upstream, { url: "https://crm.example/mcp", headers: { Authorization: "${MCP_MY_CRM_HEADER_AUTHORIZATION:-}", "X-Team": "${MCP_MY_CRM_HEADER_X_TEAM:-}" } });
    assert.deepEqual(entry["env"], { MCP_MY_CRM_HEADER_AUTHORIZATION: "Bearer s3cret", MCP_MY_CRM_HEADER_X_TEAM: "a" });
    assert.equal(entry["type"], undefined);
  });

  it("leaves to the client what the client puts in itself", () => {
    const { upstream, entry } = guard({ command: "npx", args: ["server", "${workspaceFolder}/data"], env: { KEY: "${input:key}", "odd.name": "v" } });
    assert.deepEqual(upstream, { command: "npx", args: ["server", "${MCP_FILES_ARG_2:-}"], env: { KEY: "${KEY:-}", "odd.name": "${MCP_FILES_ENV_ODD_NAME:-}" } });
    assert.deepEqual(entry["env"], { KEY: "${input:key}", MCP_FILES_ARG_2: "${workspaceFolder}/data", MCP_FILES_ENV_ODD_NAME: "v" });
  });

  it("keeps values apart whose names are alike", () => {
    const { upstream, entry } = guard({ command: "x", env: { "MY-VAR": "1", "my.var": "2", MCP_FILES_ENV_MY_VAR_2: "3" } });
    assert.deepEqual(upstream.env, { "MY-VAR": "${MCP_FILES_ENV_MY_VAR:-}", "my.var": "${MCP_FILES_ENV_MY_VAR_3:-}", MCP_FILES_ENV_MY_VAR_2: "${MCP_FILES_ENV_MY_VAR_2:-}" });
    assert.deepEqual(entry["env"], { MCP_FILES_ENV_MY_VAR: "1", MCP_FILES_ENV_MY_VAR_3: "2", MCP_FILES_ENV_MY_VAR_2: "3" });
    const headers = guard({ url: "https://x.example/mcp", headers: { "X-A": "1", X_A: "2" } });
    assert.deepEqual(headers.entry["env"], { MCP_FILES_HEADER_X_A: "1", MCP_FILES_HEADER_X_A_2: "2" });
  });
});
