import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { McpClient } from "../../src/core/mcp/client.ts";
import { spawnTransport } from "../../src/node/child.ts";
import { temporaryFolder, type Folder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { refuseAll, runText } from "./run-text.ts";

const folders: Folder[] = [];
after(() => folders.forEach((folder) => folder.remove()));

const SERVER = { command: process.execPath, args: [fixture("server.mjs")] };

function client(servers: object = { files: { ...SERVER, env: { TOKEN: "s3cret-token" }, disabled: false }, "my other": SERVER, old: { type: "sse", url: "https://x.example/sse" } }) {
  const folder = temporaryFolder();
  folders.push(folder);
  const file = folder.write("mcp.json", { inputs: [1], mcpServers: servers });
  return { folder, file, text: readFileSync(file, "utf8") };
}

type Entry = { readonly command: string; readonly args: string[]; readonly env?: Record<string, string> };
const entries = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, Entry> }).mcpServers;

describe("init", () => {
  it("writes a configuration, a backup and a guarded file, and leaves the client's as it is", async () => {
    const { folder, file, text } = client();
    const { code, stdout, stderr } = await runText(["init", file]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(readFileSync(file, "utf8"), text);
    assert.equal(readFileSync(`${file}.backup`, "utf8"), text);
    assert.match(stdout, /^guarded: files, my other\nleft as it is: old, which speaks the old HTTP\+SSE/);
    const config = `${folder.path}/mcp-interceptors.jsonc`;
    assert.equal(statSync(config).mode & 0o777, 0o600);
    assert.ok(!readFileSync(config, "utf8").includes("s3cret-token"));
    const guarded = entries(`${file}.guarded`);
    assert.deepEqual(guarded["my other"]?.args.slice(-4), ["-c", config, "--stdio", "my-other"]);
    assert.deepEqual([guarded["files"]?.env, guarded["old"]], [{ TOKEN: "s3cret-token" }, { type: "sse", url: "https://x.example/sse" }]);
    // The configuration that was written can be used.
    assert.equal((await runText(["check", config, "--no-connect", "--strict", "--stdio", "files"])).code, 0);
  });

  it("makes a set of servers that work, each guarded by the policy", async () => {
    const { file } = client();
    await runText(["init", file, "--apply", "--use", "tool-filter", "--use", "redact"]);
    for (const name of ["files", "my other"]) {
      const { command, args, env } = entries(file)[name] ?? { command: "", args: [] };
      const peer = new McpClient({ name: "c", version: "1" });
      await peer.connect(await spawnTransport({ command, args, env: { ...(process.env as Record<string, string>), ...env } }));
      assert.ok((await peer.listTools()).length > 0, name);
      await peer.close();
    }
  });

  it("starts servers where the client would, with the variables that the client reads from a file", async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const show = 'import{createInterface as r}from"node:readline";r({input:process.stdin}).on("line",l=>{const{id}=JSON.parse(l);if(id!==undefined)console.log(JSON.stringify({jsonrpc:"2.0",id,result:{protocolVersion:"2025-11-25",capabilities:{},serverInfo:{name:process.cwd(),version:process.env.FROM_FILE}}}))})';
    folder.write("show.mjs", show);
    folder.write(".env", "FROM_FILE=s3cret-value\n");
    mkdirSync(`${folder.path}/.vscode`);
    const file = folder.write(".vscode/mcp.json", { servers: { show: { command: process.execPath, args: ["show.mjs"], envFile: "${workspaceFolder}/.env" }, lost: { command: "x", envFile: "${input:x}" } } });
    const { stdout } = await runText(["init", file, "--apply"]);
    assert.match(stdout, /left as it is: lost, which has an envFile that cannot be read/);
    const config = readFileSync(`${folder.path}/.vscode/mcp-interceptors.jsonc`, "utf8");
    assert.ok(config.includes('"args":["show.mjs"],"env":{"FROM_FILE":"${FROM_FILE:-}"},"cwd":".."') && !config.includes("s3cret-value"), config);
    const { command, args } = (JSON.parse(readFileSync(file, "utf8")) as { servers: Record<string, Entry> }).servers["show"] ?? { command: "", args: [] };
    const peer = new McpClient({ name: "c", version: "1" });
    await peer.connect(await spawnTransport({ command, args, env: { ...(process.env as Record<string, string>), FROM_FILE: "s3cret-value" } }));
    assert.deepEqual(peer.serverInfo, { name: realpathSync(folder.path), version: "s3cret-value" });
    await peer.close();
  });

  it("takes the servers and interceptors that it is told, and says what it did as JSON", async () => {
    const { file, folder } = client();
    const { stdout } = await runText(["init", file, "--server", "files", "--use", "redact", "--out", `${folder.path}/g.jsonc`, "--program", "mcp-interceptors --x", "--json"]);
    const told = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([told["servers"], told["applied"], told["config"]], [["files"], false, `${folder.path}/g.jsonc`]);
    const guarded = entries(`${file}.guarded`);
    assert.deepEqual([guarded["files"]?.command, guarded["files"]?.args.slice(0, 2), guarded["my other"]], ["mcp-interceptors", ["--x", "gateway"], SERVER]);
    assert.match(readFileSync(`${folder.path}/g.jsonc`, "utf8"), /\{"use":"redact"\},\n {2}\]/);
  });

  it("writes over nothing that is there unless it is told to", async () => {
    const { file } = client();
    await runText(["init", file]);
    const again = await runText(["init", file]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /are there already\n {2}--apply .*--force/);
    assert.equal((await runText(["init", file, "--force"])).code, 0);
    assert.ok(existsSync(`${file}.backup.2`), "a backup is never written over");
    const { file: other, folder } = client();
    await runText(["init", other, "--server", "nothing"]);
    assert.ok(!existsSync(`${folder.path}/mcp-interceptors.jsonc`) && !existsSync(`${other}.backup`));
  });

  it("applies with the configuration that is there, as it was edited, and says how to go there and back", async () => {
    const { file, folder, text } = client();
    const config = `${folder.path}/mcp-interceptors.jsonc`;
    const first = await runText(["init", file]);
    assert.ok(first.stdout.endsWith(`to put it in place: mv ${file}.guarded ${file}, and start the client anew\nto undo that: cp ${file}.backup ${file}\n`), first.stdout);
    const edited = `// mine\n${readFileSync(config, "utf8")}`;
    writeFileSync(config, edited);
    assert.match((await runText(["init", file, "--apply", "--use", "redact"])).stderr, /--use would change it\n/);
    assert.equal(readFileSync(file, "utf8"), text);
    const { code, stdout } = await runText(["init", file, "--apply"]);
    assert.equal(code, 0);
    assert.match(stdout, /mcp-interceptors\.jsonc: the configuration, kept as it was there; [^]*to undo it: cp .*\.backup\.2 /);
    assert.equal(readFileSync(config, "utf8"), edited);
    assert.deepEqual(entries(file)["my other"]?.args.slice(-4), ["-c", config, "--stdio", "my-other"]);

    // One that has not what the client would start by it leaves the client without its servers.
    for (const content of ['{ "upstreams": { "files": {} } }', "nothing"]) {
      const { file: other, folder: place, text: before } = client();
      writeFileSync(`${place.path}/mcp-interceptors.jsonc`, content);
      const refused = await runText(["init", other, "--apply"]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is there already, and has no upstream .*my-other\n/);
      assert.equal(readFileSync(other, "utf8"), before);
    }
  });

  it("never puts a gateway before itself, nor anything in the place of the client's file that it was not told to", async () => {
    const { file, folder, text } = client();
    await runText(["init", file, "--apply"]);
    const applied = readFileSync(file, "utf8");
    const config = readFileSync(`${folder.path}/mcp-interceptors.jsonc`, "utf8");
    for (const words of [["--force", "--apply"], ["--force"]]) {
      const { code, stderr } = await runText(["init", file, ...words]);
      assert.equal(code, 2);
      assert.match(stderr, /files is guarded already, by .*mcp-interceptors\.jsonc/);
    }
    assert.match((await runText(["init", file, "-o", `${folder.path}/other.jsonc`])).stderr, /files is guarded already, by /);
    assert.deepEqual([readFileSync(file, "utf8"), readFileSync(`${file}.backup`, "utf8"), readFileSync(`${folder.path}/mcp-interceptors.jsonc`, "utf8")], [applied, text, config]);

    // A server that has come since is not guarded by writing over the configuration of the others.
    const more = JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, unknown> };
    folder.write("mcp.json", { mcpServers: { ...more.mcpServers, late: SERVER } });
    assert.match((await runText(["init", file, "--force"])).stderr, /mcp-interceptors\.jsonc already guards files, my other/);

    const { file: own, text: before } = client();
    for (const out of [own, `${own}.guarded`, `${own}.backup`]) assert.match((await runText(["init", own, "-o", out, "--force"])).stderr, /is the client's own file/);
    assert.equal(readFileSync(own, "utf8"), before);
    const nowhere = await runText(["init", own, "-o", "/nowhere/x.jsonc"]);
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /it cannot be written: /);
  });

  it("refuses what it cannot use", async () => {
    const { file, folder } = client();
    const wrong: [string[], RegExp][] = [
      [["init"], /the client's file is missing/],
      [["init", `${folder.path}/none.json`], /none\.json/],
      [["init", folder.write("broken.json", "{")], /broken\.json:1:\d+: /],
      [["init", folder.write("empty.json", { mcpServers: {} })], /has no server that can be guarded/],
      [["init", folder.write("other.json", { a: 1 })], /must have one of mcpServers/],
      [["init", file, "--use", "redcat"], /did you mean redact\?/],
      [["init", file, "--server", "fils"], /did you mean files\?/],
      [["init", file, "--server", "old"], /old HTTP\+SSE/],
    ];
    await refuseAll(wrong);
  });
});
