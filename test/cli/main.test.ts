// The program as a whole: its verbs, and what it takes to load a policy.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../src/core/base/version.ts";
import { serve } from "../../src/core/http/serve.ts";
import { validator } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { audit } from "../../src/cli/audit.ts";
import { wrap } from "../../src/cli/wrap.ts";
import { VERBS } from "./all-verbs.ts";
import { bundledCli, fixture, INITIALIZE, lines, request, runCli, server } from "./run-cli.ts";
import { refuseAll, runText } from "./run-text.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

// What is no message, and so is read as text.
const print = (...args: string[]): Promise<string> =>
  new Promise((resolve, reject) => execFile(process.execPath, args, { cwd: root }, (error, stdout) => (error === null ? resolve(stdout) : reject(error))));
const helpOf = async (...words: string[]): Promise<string> => print(bundledCli(), ...words);

describe("the program", { concurrency: 3 }, () => {
  it("explains itself and its verbs within 80 columns, by any of the usual words", async () => {
    const [help, wrapHelp, both] = await Promise.all(["help", "wrap", "audit"].map((word) => helpOf("help", word)));
    assert.ok(help !== undefined && both !== undefined);
    for (const line of help.split("\n")) assert.ok(line.length <= 80 && line === line.trimEnd(), `${line.length}: ${line}`);
    for (const { name } of VERBS) assert.match(help, new RegExp(`^  ${name} `, "m"));
    assert.equal(wrapHelp, wrap.help);
    for (const [name] of readyMade) assert.match(wrap.help, new RegExp(`^  ${name} `, "m"));
    // A verb of the same name is explained first.
    const made = readyMade.get("audit");
    const [text, schema = ""] = both.split("Its config, as a JSON Schema:\n");
    assert.equal(text, `${audit.help}\naudit: ${made?.summary}\n\n`);
    assert.deepEqual(JSON.parse(schema), made?.configSchema);
    const same = [["--help"], ["-h"], ["help", "help"], ["version", "--help"]];
    assert.deepEqual(await Promise.all([...same.map((words) => helpOf(...words)), helpOf("wrap", "--use", "x", "-h")]), [...same.map(() => help), wrap.help]);
  });

  it("says its version, as JSON too", async () => {
    const [text, json, wrong] = await Promise.all([["version"], ["version", "--json"], ["version", "more", "--json"]].map((words) => runText(words)));
    assert.equal((JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version, VERSION);
    assert.deepEqual([text, [json?.code, JSON.parse(json?.stdout ?? "")]], [{ code: 0, stdout: `${VERSION}\n`, stderr: "" }, [0, { name: "mcp-interceptors", version: VERSION }]]);
    assert.deepEqual([wrong?.code, JSON.parse(wrong?.stdout ?? "")], [2, { error: { exitCode: 2, message: 'unexpected "more"', hint: "mcp-interceptors version [--json]" } }]);
  });

  it("refuses no verb and an unknown one with exit code 2", async () => {
    const [none, unknown, helpless] = await Promise.all([runCli([]), runCli(["fly"]), runCli(["help", "fly"])]);
    assert.deepEqual([none.code, unknown.code, helpless.code], [2, 2, 2]);
    assert.match(none.stderr, /Usage: mcp-interceptors VERB/);
    for (const { stderr } of [unknown, helpless]) assert.equal(stderr, 'mcp-interceptors: unknown verb "fly"\n  mcp-interceptors help\n');
    const wrong: [string[], RegExp][] = [
      [["lits"], /did you mean list\?/],
      [["help", "redcat"], /did you mean redact\?/],
      [["help", "wrap", "more"], /unexpected "more"/],
      [["version", "more"], /unexpected "more"/],
    ];
    await refuseAll(wrong);
  });

  it("guards a server without tsx, and says of a TypeScript module what it takes to load it", async () => {
    const plain = await runCli(["wrap", "--use", "redact", ...server()], lines(INITIALIZE));
    assert.deepEqual([plain.code, plain.messages.length], [0, 1]);
    const idle = await runCli(["wrap", "--quiet", ...server()]);
    assert.deepEqual(idle, { code: 0, signal: null, stderr: "", messages: [] });
    writeFileSync(join(dirname(bundledCli()), "policy.ts"), "export const answer: number = 42;\n");
    const typed = await runCli(["wrap", "--interceptors", "policy.ts", ...server()]);
    assert.equal(typed.code, 2);
    // Newer Node reads the types away, and finds nothing to guard with.
    const expected = "typescript" in process.features && process.features.typescript ? /exports no interceptor/ : /^mcp-interceptors: --interceptors policy\.ts: .*policy\.ts is TypeScript, which Node .* does not load: install tsx beside it, use Node 22\.18 or newer, or compile it first\n$/;
    assert.match(typed.stderr, expected);
  });

  it("guards a server with what an interceptor server over HTTP hosts, which gets the headers that it is given", async () => {
    const policies = new McpServer({ name: "policies", version: "1" });
    hostInterceptors(policies, [validator({ name: "nothing", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => deny("nothing may be called"))]);
    const listener = await listenHttp({ closeGraceMs: 1, authenticate: ({ token }) => (token === "t0ken" ? { principal: { type: "user", id: "wrap" } } : { challenge: {} }) });
    void serve(policies, listener);
    const calls = [request(1, "tools/list"), request(2, "tools/call", { name: "echo", arguments: {} })];
    const { code, messages, stderr } = await runCli(["wrap", "--interceptors", listener.url, "--header", "Authorization: Bearer t0ken", ...server()], lines(INITIALIZE, ...calls));
    await listener.close();
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^mcp-interceptors: guarding .* with nothing \(validation\)\n$/);
    const answers = [1, 2].map((id) => messages.find((message) => message.id === id));
    assert.deepEqual(answers.map((answer) => answer?.error?.code), [undefined, -32602]);
  });

  it("passes nothing on where a policy cannot be had", async () => {
    const ended = await runCli(["wrap", "--interceptors", fixture("throwing.mjs"), ...server()], lines(INITIALIZE));
    assert.deepEqual([ended.code, ended.messages], [2, []]);
    assert.match(ended.stderr, /^mcp-interceptors: --interceptors .*throwing\.mjs could not be loaded: the database of rules is not there .*\n$/);
  });

  it("keeps its log out of stdout, by whatever name", { skip: process.platform === "win32" }, async () => {
    const file = join(dirname(bundledCli()), "stdout.txt");
    const words = [bundledCli(), "wrap", "--log", file, ...server()];
    const stderr = await new Promise<string>((resolve) =>
      execFile("sh", ["-c", 'exec "$0" "$@" > "$OUT" < /dev/null', process.execPath, ...words], { env: { ...process.env, OUT: file } }, (_error, _stdout, text) => resolve(text)),
    );
    assert.match(stderr, /^mcp-interceptors: --log .* is this program's stdout, which carries messages and nothing else\n {2}name another file\n$/);
    assert.equal(readFileSync(file, "utf8"), "");
  });

  it("ends with exit code 2 where a disk is too full for what it prints, and well where nobody reads it", { skip: !existsSync("/dev/full") }, async () => {
    const started = async (...command: readonly string[]) => {
      const words = [...command, process.execPath, bundledCli(), "list", ...Array<string>(40).fill("tool-filter"), "--json"];
      return new Promise<readonly unknown[]>((resolve) => execFile("bash", ["-c", ...words], (error, _stdout, stderr) => resolve([error?.code ?? 0, stderr])));
    };
    assert.deepEqual(await started('"$0" "$@" > /dev/full'), [2, "mcp-interceptors: not all could be printed: ENOSPC: no space left on device, write\n"]);
    assert.deepEqual(await started('set -o pipefail; "$0" "$@" | head -c 1'), [0, ""]);
    assert.deepEqual(await started('"$0" "$@" >&-'), [0, ""]);
  });

  it("says its version", async () => {
    assert.equal(await print("--import", "tsx", main, "--version"), `${VERSION}\n`);
  });
});
