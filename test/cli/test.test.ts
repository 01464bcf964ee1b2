import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundledCli } from "./run-cli.ts";
import { refuseAll, runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const config = () =>
  folder.write("gateway.json", {
    upstreams: { files: { command: "files-server" } },
    interceptors: [
      { use: "redact" },
      { use: "tool-filter", config: { deny: ["rm"] } },
      { use: "rate-limit", config: { perMinute: 2, tools: ["slow"] } },
      { use: "tool-filter", name: "admins", when: { not: { claim: "role", equals: "admin" } }, config: { deny: ["deploy"] } },
    ],
  });
const call = (name: string, more: object = {}) => ({ method: "tools/call", params: { name, arguments: {} }, ...more });
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

async function run(tests: readonly object[], ...words: string[]) {
  const printed = await runText(["test", config(), folder.write("policy.test.json", { tests }), ...words]);
  return { ...printed, lines: printed.stdout.split("\n").map((line) => line.trim()) };
}

describe("test", () => {
  it("passes where messages fare as expected: in requests, results, errors, by caller, and over several steps", async () => {
    const { code, lines } = await run([
      { name: "ls passes", ...call("ls"), expect: "pass" },
      { name: "rm is refused", ...call("rm"), expect: { blockedBy: "tool-filter", message: "Unknown tool" } },
      { name: "rm is refused by address", ...call("rm"), expect: { blockedBy: "tool-filter/tool-filter" } },
      { name: "rm is refused by somebody", ...call("rm"), expect: "blocked" },
      { name: "results are masked", ...call("ls"), result: text("ada@example.com"), expect: { changes: { "/content/0/text": "[REDACTED:email]" } } },
      { name: "results are masked to this", ...call("ls"), result: text("ada@example.com"), expect: { payload: text("[REDACTED:email]") } },
      { name: "errors are masked", ...call("ls"), error: { code: 1, message: "ada@example.com" }, expect: { changes: { "/error/message": "[REDACTED:email]" } } },
      { name: "lists are cut", method: "tools/list", result: { tools: [{ name: "rm", inputSchema: { type: "object" } }, { name: "ls", inputSchema: { type: "object" } }] }, expect: { payload: { tools: [{ name: "ls", inputSchema: { type: "object" } }] } } },
      { name: "admins deploy", principal: { id: "ada", claims: { role: "admin" } }, ...call("deploy"), expect: "pass" },
      { name: "others do not", principal: { id: "bob", claims: { role: "dev" } }, ...call("deploy"), expect: "blocked" },
      { name: "the third is too fast", steps: [{ ...call("slow"), times: 2, expect: "pass" }, { ...call("slow"), expect: { blockedBy: "rate-limit" } }] },
      { name: "another session begins anew", ...call("slow"), expect: "pass" },
    ]);
    assert.equal(code, 0, lines.join("\n"));
    assert.ok(lines.includes("12 tests, all pass"));
  });

  it("says what a test lacks that an interceptor remembers by", async () => {
    const auth = { tokens: [{ token: "a-token-of-some-length", principal: { type: "user", id: "ada" } }] };
    const guarded = folder.write("by-principal.json", { upstreams: { files: { command: "files-server" } }, http: {}, auth, interceptors: [{ use: "flow-guard" }] });
    const ran = (more: object) => runText(["test", guarded, folder.write("policy.test.json", { tests: [{ name: "x", ...call("ls", more), expect: "pass" }] })]);
    const lacks = await ran({});
    assert.equal(lacks.code, 1);
    assert.match(lacks.stderr, /it remembers by principal, [^]*"principal": \{ "id": "ada" \} in a test says who calls\n$/);
    const given = await ran({ principal: { id: "ada" } });
    assert.deepEqual([given.code, given.stderr], [0, ""]);
  });

  it("judges the result of a task as the answer to the call that created it, and refuses one that nobody knows", async () => {
    const guarded = folder.write("tasks.json", { upstreams: { files: { command: "files-server" } }, interceptors: [{ use: "schema-guard" }] });
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const learn = { method: "tools/list", result: { tools: [{ name: "slow", inputSchema: { type: "object" }, outputSchema }] }, expect: "pass" };
    const receipt = { ...call("slow"), result: { task: { taskId: "t1", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null } }, expect: "pass" };
    const result = (n: unknown, more: object = {}) => ({ method: "tasks/result", params: { taskId: "t1" }, result: { content: [], structuredContent: { n } }, ...more });
    const blocked = { blockedBy: "schema-guard", message: "must be a number" };
    const task = { params: { name: "slow" } };
    const tests = [
      { name: "a step before", steps: [learn, receipt, { ...result(1), expect: "pass" }, { ...result("1"), expect: blocked }] },
      { name: "the test says", steps: [learn, { ...result(1, { task }), expect: "pass" }, { ...result("1", { task }), expect: blocked }, { ...result("1", { task: { params: { name: "other" } } }), expect: "pass" }] },
      { name: "within another answer", steps: [learn, { method: "tasks/get", params: { taskId: "t1" }, task, result: { taskId: "t1", status: "completed", createdAt: "x", lastUpdatedAt: "x", ttl: null, result: { content: [], structuredContent: { n: "1" } } }, expect: blocked }] },
      { name: "another request", steps: [{ ...result("1", { task: { method: "sampling/createMessage" } }), expect: "pass" }] },
      { name: "nobody knows it", ...result(1), expect: "blocked" },
    ];
    const { code, stdout } = await runText(["test", guarded, folder.write("policy.test.json", { tests })]);
    assert.equal(code, 0, stdout);
    const odd = await runText(["test", guarded, folder.write("odd.test.json", { tests: [{ name: "x", ...call("ls"), task, expect: "pass" }] })]);
    assert.deepEqual([odd.code, /\/tests\/0\/task says which request created a task, and this message is about none/.test(odd.stderr)], [2, true]);
  });

  it("judges what a message embeds as the guard of a gateway does", async () => {
    const guarded = folder.write("embedded.json", { upstreams: { files: { command: "files-server" } }, interceptors: [{ use: "elicitation-guard" }, { use: "sampling-guard" }] });
    const asks = (inputRequests: object, more: object = {}) => ({ ...call("ls"), result: { resultType: "input_required", requestState: "s", inputRequests, ...more } });
    const form = (name: string) => ({ method: "elicitation/create", params: { message: "x", requestedSchema: { type: "object", properties: { [name]: { type: "string" } } } } });
    const answers = (text: string) => ({ method: "tools/call", params: { name: "ls", requestState: "s", inputResponses: { k: { action: "accept", content: { a: text } } } } });
    const old = { params: { name: "ls", _meta: { "io.modelcontextprotocol/protocolVersion": "2025-11-25" } } };
    const tests = [
      { name: "a password is asked for", ...asks({ k: form("password") }), expect: { blockedBy: "elicitation-guard" } },
      { name: "a name is", ...asks({ k: form("nickname") }), expect: "pass" },
      { name: "in a revision that embeds nothing", ...asks({ k: form("password") }), ...old, expect: "pass" },
      { name: "a card is given", ...answers("4111 1111 1111 1111"), expect: { blockedBy: "elicitation-guard" } },
      { name: "a word is", ...answers("blue"), expect: "pass" },
      { name: "what may not be asked", ...asks({ k: { method: "tools/call", params: { name: "x" } } }), expect: "blocked" },
      { name: "what nobody sees", ...asks({ k: { ...form("nickname"), more: "text" } }), expect: "blocked" },
    ];
    const { code, stdout } = await runText(["test", guarded, folder.write("embedded.test.json", { tests })]);
    assert.equal(code, 0, stdout);
  });

  it("gives each test interceptors of its own, so that none knows what another has seen", async () => {
    const guarded = folder.write("stateful.json", { upstreams: { files: { command: "files-server" } }, interceptors: [{ use: "tool-pinning", config: { scope: "global" } }] });
    const tools = (description: string) => ({ method: "tools/list", result: { tools: [{ name: "pay", description, inputSchema: { type: "object" } }] } });
    const tests = [
      { name: "pins", ...tools("v1"), expect: "pass" },
      { name: "pins anew", ...tools("v2"), expect: "pass" },
      { name: "pins over steps", steps: [{ ...tools("v1"), expect: "pass" }, { ...tools("v2"), expect: { payload: { tools: [] } } }] },
    ];
    for (const order of [tests, [...tests].reverse()]) {
      const { code, stdout } = await runText(["test", guarded, folder.write("stateful.test.json", { tests: order })]);
      assert.equal(code, 0, stdout);
    }
  });

  it("says what was expected and what came instead, by exit code 1, JSON and JUnit's XML too", async () => {
    const tests = [
      { name: 'a <b> "c"', ...call("rm"), expect: "pass" },
      { name: "passes after all", ...call("ls"), expect: "blocked" },
      { name: "another does", ...call("rm"), expect: { blockedBy: "redact" } },
      { name: "other words", ...call("rm"), expect: { blockedBy: "tool-filter", message: "Nope" } },
      { name: "more changes", ...call("ls"), result: { ...text("ada@example.com"), _meta: { "x/y": "10.1.2.3" } }, expect: { changes: { "/content/0/text": "[REDACTED:email]" } } },
      { name: "other change", ...call("ls"), result: text("ada@example.com"), expect: { changes: { "/content/0/text": "x" } } },
      { name: "the second time", steps: [{ ...call("slow"), times: 3, expect: "pass" }] },
      { name: "second step", steps: [{ ...call("ls"), expect: "pass" }, { ...call("rm"), expect: "pass" }] },
    ];
    const junit = `${folder.path}/junit.xml`;
    const { code, stdout } = await run(tests, "--json", "--junit", junit);
    assert.equal(code, 1);
    const failures = (JSON.parse(stdout) as { failure: string }[]).map(({ failure }) => failure.replace(/\d+ ms$/, "N ms"));
    assert.deepEqual(failures, [
      "expected it to pass as it is, but tool-filter/tool-filter refuses it: Unknown tool: rm",
      "expected it to be blocked, but it passes as it is",
      "expected redact to block it, but tool-filter/tool-filter refuses it: Unknown tool: rm",
      'expected tool-filter to block it with "Nope", but tool-filter/tool-filter refuses it: Unknown tool: rm',
      'expected no change but at /content/0/text, but it passes, changed at /content/0/text to "[REDACTED:email]", /_meta/x~1y to "[REDACTED:ip]"',
      'expected /content/0/text to become "x", but it passes, changed at /content/0/text to "[REDACTED:email]"',
      "time 3: expected it to pass as it is, but rate-limit/rate-limit refuses it: Too many requests: 2 a minute are allowed; try again in N ms",
      "step 2: expected it to pass as it is, but tool-filter/tool-filter refuses it: Unknown tool: rm",
    ]);
    const xml = readFileSync(junit, "utf8");
    assert.match(xml, /<testsuite name="[^"]+" tests="8" failures="8" time="\d+\.\d{3}">/);
    assert.match(xml, /<testcase name="a &lt;b&gt; &quot;c&quot;" /);
    const human = await run(tests.slice(0, 2));
    assert.ok(human.lines.includes('✗ a <b> "c"') && human.lines.includes("2 tests, 2 failed"));
  });

  it("refuses files that are wrong, all at once and with their places", async () => {
    const { code, stderr } = await run([{ name: "x", method: "a", expect: "psas" }, { name: "y", metod: "a", expect: "pass" }, { name: "z", ...call("a"), upstream: "fles", expect: "pass" }]);
    assert.equal(code, 2);
    assert.match(stderr, /\/tests\/0\/expect must be pass, blocked/);
    assert.match(stderr, /\/tests\/1\/metod is not known; did you mean method\?/);
    const lifecycle = await run([{ name: "i", method: "initialize", expect: "pass" }, { name: "s", steps: [{ method: "ping", expect: "pass" }] }]);
    assert.match(lifecycle.stderr, /\/tests\/0\/method is a method that no interceptor is asked about[^]*\/tests\/1\/steps\/0\/method is a method/);
    const near = await run([{ name: "n", method: "tools/cal", expect: "pass" }, { name: "s", steps: [{ method: "prompt/get", expect: "blocked" }] }]);
    assert.equal(near.code, 2);
    assert.match(near.stderr, /\/tests\/0\/method is no method of MCP; did you mean tools\/call\?[^]*\/tests\/1\/steps\/0\/method is no method of MCP; did you mean prompts\/get\?/);
    const upstream = await run([{ name: "z", ...call("a"), upstream: "fles", expect: "pass" }]);
    assert.match(upstream.stderr, /\/tests\/0\/upstream is no upstream; did you mean files\?/);
    const wrong: [string[], RegExp][] = [
      [["test"], /the configuration is missing/],
      [["test", config()], /no file of tests/],
      [["test", config(), "none.json"], /none\.json: cannot be read/],
      [["test", config(), folder.write("one.json", { tests: [{ name: "x", ...call("ls"), expect: "pass" }] }), "--junit", "none/x.xml"], /--junit none\/x\.xml: cannot be written: its folder is not there\n/],
      [["test", "none.json", "x.json"], /none\.json: cannot be read/],
      [["test", config(), folder.write("empty.json", { tests: [] })], /\/tests must have at least 1 item/],
    ];
    await refuseAll(wrong, { cwd: folder.path });
  });

  it("runs again when a file changes, and ends with the signal", async () => {
    const file = folder.write("watched.json", { tests: [{ name: "first", ...call("rm"), expect: "pass" }] });
    const child = spawn(process.execPath, [bundledCli(), "test", config(), file, "--watch"], { stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    const until = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = (text: string) => {
          printed += text;
          if (pattern.test(printed)) {
            child.stdout.off("data", look);
            resolve();
          }
        };
        child.stdout.setEncoding("utf8").on("data", look);
        child.once("close", () => reject(new assert.AssertionError({ message: `ended early: ${printed}` })));
      });
    const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
    try {
      await until(/✗ first[^]*1 test, 1 failed/);
      printed = "";
      const again = until(/✓ second[^]*1 test, all pass/);
      folder.write("watched.json", { tests: [{ name: "second, and longer", ...call("rm"), expect: "blocked" }] });
      await again;
    } finally {
      child.kill("SIGTERM");
    }
    assert.ok([143, "SIGTERM"].includes((await ended) as never));
  });
});
