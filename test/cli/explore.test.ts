import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { refuseAll, runAlone, runMany, runText, type Printed } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const SERVER = `${process.execPath} ${fixture("interceptor-server.mjs")}`;
const CALL = '{"name":"search","arguments":{"q":"ada@example.com"}}';
const ANSI = /\u001b\[/;

/** What several command lines print. */
const runAll = async <const L extends readonly (readonly string[])[]>(...lines: L) => (await runMany(lines)) as { readonly [K in keyof L]: Printed };

const config = () =>
  folder.write("gateway.json", {
    upstreams: { files: { command: "files-server" }, crm: { command: "crm-server" } },
    interceptors: [{ use: "tool-filter", name: "tools", config: { deny: ["rm"] }, upstreams: ["files"] }, { use: "redact", mode: "audit" }],
  });

describe("list", () => {
  it("lists what a target has, of each kind, as text without colours off a terminal, or as JSON", async () => {
    const [{ code, stdout }, asked] = await runAll(["list", "redact", "tool-filter", SERVER], ["list", "tool-filter", "--json", "--event", "tools/list"]);
    assert.equal(code, 0);
    assert.match(stdout, /^redact\n {2}redact +mutation +active +\* request; \* response/);
    assert.match(stdout, /\n {2}tool-filter +validation +active +tools\/call request/);
    assert.match(stdout, /\n {2}names +validation +active +tools\/call request/);
    assert.doesNotMatch(stdout, ANSI);
    const json = JSON.parse(asked.stdout) as { target: string; interceptors: { name: string }[] }[];
    assert.deepEqual(json.map(({ target, interceptors }) => [target, interceptors.map(({ name }) => name)]), [["tool-filter", ["tool-filter-list"]]]);
  });

  it("lists the items of a configuration, all or by name", async () => {
    const [all, one] = await runAll(["list", "-c", config()], ["list", "-c", config(), "tools"]);
    assert.deepEqual(all.stdout.match(/^\S.*$/gm), ["tools", "redact"]);
    assert.deepEqual(one.stdout.match(/^\S.*$/gm), ["tools"]);
  });

  it("suggests the nearest name for a wrong one, and says what is wrong with others", async () => {
    const wrong: [string[], RegExp][] = [
      [["list", "redcat"], /did you mean redact\?/],
      [["list", "fils", "-c", config()], /files is an upstream of the configuration, no target/],
      [["list", "zzzzzz", "-c", config()], /known names are (?!.*\bredact,.*\bredact,)/],
      [["list", "nonesuch --flag"], /cannot start "nonesuch"/],
      [["list", "./none.mjs"], /there is no file/],
      [["list", 'tool-filter={"deny":5}'], /deny/],
      [["list", "tool-filter={"], /^mcp-interceptors: the config of tool-filter: this is no JSON that can be taken/],
      [["list", "tool-filter=none.json"], /the config of tool-filter none\.json: [^]*the config of tool-filter takes a file/],
      [["list"], /no target is given/],
      [["list", "redact", "--event", "*"], /--event must be a method/],
      [["list", "redact", "--evnet", "x"], /did you mean --event\?/],
      [["list", "-c", "none.json"], /none\.json/],
      [["list", "redact", "--header", "broken"], /--header must be NAME:VALUE/],
    ];
    await refuseAll(wrong, { cwd: folder.path });
  });
});

describe("invoke", () => {
  it("calls one interceptor, and shows what it changed, refused or let pass, by exit code too", async () => {
    const [changed, passes] = await runAll(["invoke", "redact", "redact", "--event", "tools/call", "--payload", CALL], ["invoke", SERVER, "names", "--event", "tools/call", "--payload", folder.write("call.json", { name: "ls" })]);
    assert.equal(changed.code, 0);
    assert.match(changed.stdout, /^changes the message\n[^]*"q": "\[REDACTED:email\]"/);
    const refused = await runAlone(["invoke", SERVER, "names", "--event", "tools/call", "--payload", "-"], { input: '{"name":"rm"}' });
    assert.equal(refused.code, 3);
    assert.match(refused.stdout, /^refuses the message\n {2}error: /);
    assert.deepEqual([passes.code, passes.stdout.split("\n")[0]], [0, "lets the message pass"]);
  });

  it("prints the result as it came with --json, failures of the interceptor with exit code 1", async () => {
    const [{ code, stdout }, failed, died] = await runAll(
      ["invoke", "tool-filter", "tool-filter", "--event", "tools/call", "--with", '{"deny":["rm"]}', "--payload", '{"name":"rm"}', "--json"],
      ["invoke", "tool-filter", "tool-filter", "--event", "tools/call", "--with", '{"deny":5}', "--payload", "{}"],
      ["invoke", SERVER, "names", "--event", "tools/call", "--payload", '{"name":"die"}'],
    );
    assert.equal(code, 3);
    assert.equal((JSON.parse(stdout) as { valid: boolean }).valid, false);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^failed .*invalid_config/);
    assert.equal(died.code, 1);
  });

  it("says what a handler has thrown with --verbose, on stderr alone, and names that option without it", async () => {
    const module = folder.write("crashing.mjs", 'export const crashing = { descriptor: { name: "crashing", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }, handler() { throw new Error("no rule for s3cret"); } };\n');
    const words = ["invoke", module, "crashing", "--event", "tools/call"];
    const [quiet, verbose] = await runAll(words, [...words, "--verbose"]);
    assert.deepEqual([quiet.code, quiet.stderr], [1, "mcp-interceptors: crashing failed; --verbose says what its error says\n"]);
    assert.deepEqual([verbose.code, verbose.stderr, verbose.stdout], [1, "mcp-interceptors: crashing failed: no rule for s3cret\n", quiet.stdout]);
  });

  it("says what a message lacks that an interceptor remembers by, and the option that gives it", async () => {
    const words = ["invoke", "rate-limit", "rate-limit", "--event", "tools/call"];
    const chain = ["chain", "rate-limit", "flow-guard", "--event", "tools/call"];
    const context = ["--context", '{"sessionId":"s1"}'];
    const principal = ["--principal", '{"type":"user","id":"ada"}'];
    const [{ code, stderr }, byContext, byPrincipal, failed, told] = await runAll(words, [...words, ...context], [...words, ...principal], chain, [...chain, ...principal]);
    assert.deepEqual([code, stderr], [1, `mcp-interceptors: rate-limit failed: it remembers by sessionId or principal, which the context of this message does not have; --context '{"sessionId":"s1"}', or --principal '{"type":"user","id":"ada"}', says whose the message is\n`]);
    assert.deepEqual([byContext.code, byPrincipal.code], [0, 0]);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /flow-guard at the request of tools\/call failed: it remembers by principal, which[^]*\nmcp-interceptors: --principal '\{"type":"user","id":"ada"\}' says whose the message is\n$/);
    assert.deepEqual([told.code, told.stderr], [0, ""]);
  });

  it("takes who sends the message by --principal, or in a context, of which it knows the members", async () => {
    const module = folder.write("who.mjs", 'export const who = { descriptor: { name: "who", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }, handler: ({ context }) => ({ valid: true, info: { context } }) };\n');
    const words = ["invoke", module, "who", "--event", "tools/call"];
    const ada = { type: "user", id: "ada" };
    const cases: readonly (readonly [words: readonly string[], seen: readonly unknown[]])[] = [
      [["--principal", '{"id":"ada"}'], [0, { principal: ada }, ""]],
      [["--principal", '{"id":"ada"}', "--context", '{"sessionId":"s"}'], [0, { principal: ada, sessionId: "s" }, ""]],
      [["--context", '{"type":"user"}'], [0, { type: "user" }, 'mcp-interceptors: warning: --context has an unknown member "type"; who sends it is --principal\n']],
      [["--context", '{"sesionId":"s"}'], [0, { sesionId: "s" }, 'mcp-interceptors: warning: --context has an unknown member "sesionId"; did you mean sessionId?\n']],
    ];
    const ran = await runMany(cases.map(([more]) => [...words, "--json", ...more]));
    assert.deepEqual(ran.map(({ code, stdout, stderr }) => [code, (JSON.parse(stdout) as { info?: { context?: unknown } }).info?.context, stderr]), cases.map(([, seen]) => seen));
    await refuseAll([
      [[...words, "--principal", "{}", "--context", `{"principal":${JSON.stringify(ada)}}`], /both say who sends it/],
      [[...words, "--config", '{"max":5}'], /the configuration must be a file, not JSON\n {2}.*--with/],
    ]);
  });

  it("suggests the nearest interceptor, and refuses input that is none", async () => {
    const wrong: [string[], RegExp][] = [
      [["invoke", "redact", "redcat", "--event", "tools/call"], /did you mean redact\?/],
      [["invoke", "redact"], /the name of an interceptor/],
      [["invoke", "redact", "redact"], /--event is missing/],
      [["invoke", "redact", "redact", "--event", "tools/call", "--payload", "{"], /--payload: this is no JSON/],
      [["invoke", "redact", "redact", "--event", "tools/call", "--payload", '{"a":1,"a":2}'], /twice|duplicate|repeated/],
      [["invoke", "redact", "redact", "--event", "tools/call", "--payload", "none.json"], /--payload none\.json: /],
      [["invoke", "redact", "redact", "--event", "tools/call", "--phase", "both"], /--phase must be one of request, response/],
      [["invoke", "redact", "redact", "--event", "tools/call", "--context", "[]"], /--context must be an object/],
    ];
    await refuseAll(wrong, { cwd: folder.path });
  });
});

describe("chain", () => {
  it("shows the plan, what each said, and what became of the payload", async () => {
    const { code, stdout } = await runText(["chain", "redact", SERVER, "--event", "tools/call", "--payload", CALL]);
    assert.equal(code, 0);
    assert.equal(
      stdout.replace(/[\d.]+ ms/g, "T"),
      `plan, receiving
  1. validate, all together       server/names
  2. mutate, one after the other  redact/redact

results
  server/names   passes          T
  redact/redact  changed         T
  server/names   passes (again)  T

The message passes

changes
  /arguments/q
    - "ada@example.com"
    + "[REDACTED:email]"
`,
    );
  });

  it("names what the targets have as the gateway names items: by file, host or ready-made interceptor, each its own", async () => {
    const module = folder.write("my.policy.mjs", 'export const one = { descriptor: { name: "one", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }, handler: () => true };\n');
    const { stdout } = await runText(["chain", module, module, "redact={}", "redact", SERVER, "--event", "tools/call", "--plan"]);
    assert.deepEqual(stdout.match(/[\w.-]+\/\w+/g), ["my.policy/one", "my.policy-2/one", "server/names", "redact/redact", "redact-2/redact"]);
  });

  it("says by whom and why a message is refused, with exit code 3", async () => {
    const { code, stdout } = await runText(["chain", 'tool-filter={"deny":["rm"]}', "--event", "tools/call", "--payload", '{"name":"rm"}']);
    assert.equal(code, 3);
    assert.match(stdout, /\nThe message is refused, by tool-filter\/tool-filter: Unknown tool: rm\n$/);
  });

  it("takes the chain before an upstream of a configuration, and shows the plan alone where that is wanted", async () => {
    const [{ code, stdout }, other] = await runAll(
      ["chain", "-c", config(), "--upstream", "files", "--event", "tools/call", "--plan", "--json"],
      ["chain", "-c", config(), "--upstream", "crm", "--event", "tools/call", "--payload", CALL, "--json"],
    );
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      direction: "receiving",
      plan: [
        { type: "validation", entries: [{ address: "tools/tool-filter", mode: "active", failOpen: false, timeoutMs: 30000 }] },
        { type: "mutation", entries: [{ address: "redact/redact", mode: "audit", failOpen: false, timeoutMs: 30000 }] },
      ],
    });
    const { result } = JSON.parse(other.stdout) as { result: { status: string; finalPayload: unknown; results: { address: string; mode?: string; modified?: boolean }[] } };
    assert.equal(result.status, "success");
    assert.deepEqual(result.finalPayload, JSON.parse(CALL));
    assert.deepEqual(result.results.map(({ address, mode, modified }) => [address, mode, modified]), [["redact/redact", "audit", true]]);
  });

  it("runs what a message embeds first, and not the message where that is refused", async () => {
    const embedded = (name: string) => JSON.stringify({ name: "ls", inputResponses: { k: { action: "accept", content: { a: name } } }, requestState: "s" });
    const words = ["chain", "elicitation-guard", "tool-filter", "--event", "tools/call"];
    const [refused, passing, unread] = await runAll(
      [...words, "--payload", embedded("4111 1111 1111 1111")],
      [...words, "--payload", embedded("blue"), "--json"],
      [...words, "--payload", '{"name":"ls","inputResponses":{"k":{}}}'],
    );
    assert.equal(refused.code, 3);
    assert.match(refused.stdout, /^embedded elicitation\/create, response\nplan, receiving\n[^]*elicitation-guard[^]*\nThe message is refused, by /);
    const passed = JSON.parse(passing.stdout) as { result: { status: string }; embedded: { event: string; result: { status: string } }[] };
    assert.deepEqual([passed.result.status, passed.embedded.map(({ event, result }) => [event, result.status])], ["success", [["elicitation/create", "success"]]]);
    assert.deepEqual([unread.code, /is refused: params\/inputResponses\/k must be the answer/.test(unread.stdout)], [3, true]);
  });

  it("refuses what makes no sense", async () => {
    const wrong: [string[], RegExp][] = [
      [["chain", "--event", "tools/call"], /no target is given/],
      [["chain", "redact", "--upstream", "files", "--event", "tools/call"], /--upstream is a name of a configuration/],
      [["chain", "-c", config(), "--upstream", "fiels", "--event", "tools/call"], /did you mean files\?/],
    ];
    await refuseAll(wrong);
  });

  it("takes a message as a server sees it, unless a phase or a direction is given", async () => {
    const cases: readonly (readonly [words: readonly string[], direction: string])[] = [
      [["--event", "tools/call"], "receiving"],
      [["--event", "tools/call", "--phase", "response"], "sending"],
      [["--event", "sampling/createMessage"], "sending"],
      [["--event", "sampling/createMessage", "--phase", "response"], "receiving"],
      [["--event", "notifications/message"], "sending"],
      [["--event", "custom/thing"], "receiving"],
      [["--event", "custom/thing", "--direction", "sending"], "sending"],
    ];
    const ran = await runMany(cases.map(([words]) => ["chain", "redact", ...words, "--plan", "--json"]));
    for (const [at, [words, direction]] of cases.entries()) {
      const { code, stdout, stderr } = ran[at] ?? assert.fail();
      const told = JSON.parse(stdout) as { direction: string; plan: object[] };
      assert.deepEqual([code, stderr, told.direction, told.plan.length], [0, "", direction, 1], words.join(" "));
    }
  });
});
