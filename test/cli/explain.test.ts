import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { refuseAll, runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const file = () =>
  folder.write("gateway.json", {
    upstreams: { files: { command: "files-server" }, crm: { command: "crm-server", allow: { claim: "role", equals: "ops" } } },
    interceptors: [
      { use: "redact", mode: "audit" },
      {
        use: "tool-filter",
        config: { deny: ["rm"] },
        upstreams: ["files"],
        when: { all: [{ tool: "delete_*" }, { not: { claim: "role", equals: "${ROLE}" } }, { annotation: "readOnlyHint", equals: true }] },
      },
    ],
  });

const run = (...words: string[]) => runText(["explain", file(), ...words], { env: { ROLE: "s3cret-role" } });

describe("explain", () => {
  it("says which rules apply to what a request embeds", async () => {
    const guarded = folder.write("embedded.json", { upstreams: { files: { command: "files-server" } }, interceptors: [{ use: "elicitation-guard" }] });
    const params = { name: "ls", inputResponses: { k: { action: "accept", content: {} } }, requestState: "s" };
    const { stdout } = await runText(["explain", guarded, "--method", "tools/call", "--params", JSON.stringify(params)]);
    assert.match(stdout, /^files\n {2}embedded elicitation\/create, response\n {4}1\. runs +elicitation-guard\/[^]*\n {2}request\n[^]*\n {2}response\n/);
  });

  it("says which rules run in which order before each upstream, which do not, and why", async () => {
    const { code, stdout } = await run("--tool", "ls", "--principal", '{"claims":{"role":"ops"}}');
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `files
  request
    1. runs  redact/redact                 audit      it hooks *
       –     tool-filter/tool-filter                  its condition does not hold
        no  all
            no  {"tool":"delete_*"}
            yes not
                no  {"claim":"role","equals":"***"}
            ?   {"annotation":"readOnlyHint","equals":true} (no list has had this tool yet, so its annotations are not known)
       –     tool-filter/tool-filter-list             it does not look at requests
       –     gateway/tool-hints            fail-open  it does not look at requests
  response
    1. runs  redact/redact                 audit      it hooks *
       –     tool-filter/tool-filter                  it does not look at responses
       –     tool-filter/tool-filter-list             of responses it looks at tools/list
       –     gateway/tool-hints            fail-open  of responses it looks at tools/list

crm
  request
    1. runs  redact/redact  audit  it hooks *
  response
    1. runs  redact/redact  audit  it hooks *
  not before this upstream: tool-filter
`,
    );
  });

  it("says what judges the result of a task, with the call that created it", async () => {
    const guarded = folder.write("tasks.json", { upstreams: { files: { command: "x" } }, interceptors: [{ use: "schema-guard" }, { use: "redact", when: { tool: "slow" } }] });
    type Trace = { phases: { phase: string; judgedAs?: string; order: string[][] }[] };
    const explained = async (...words: string[]) => {
      const { stdout } = await runText(["explain", guarded, "--json", ...words]);
      const [{ phases } = { phases: [] }] = JSON.parse(stdout) as Trace[];
      return phases.map(({ phase, judgedAs, order }) => [phase, judgedAs, order.flat().join()]);
    };
    const result = ["response", "tools/call"];
    assert.deepEqual(await explained("--method", "tasks/result", "--tool", "slow"), [["request", undefined, ""], [...result, "redact/redact,schema-guard/schema-guard"]]);
    assert.deepEqual(await explained("--method", "tasks/result", "--tool", "fast"), [["request", undefined, ""], [...result, "schema-guard/schema-guard"]]);
    assert.deepEqual(await explained("--method", "tasks/get", "--tool", "slow"), [["request", undefined, ""], ["response", undefined, ""], [...result, "redact/redact,schema-guard/schema-guard"]]);
    assert.deepEqual(await explained("--method", "tasks/get"), [["request", undefined, ""], ["response", undefined, ""]]);
    const { stdout } = await runText(["explain", guarded, "--method", "tasks/result"]);
    assert.match(stdout, /\n {2}response: the task's result, judged as the answer to tools\/call\n[^]*\d\. runs +schema-guard\/schema-guard/);
  });

  it("says that a condition which cannot be judged fails the interceptor, and what a caller may not", async () => {
    const { stdout } = await run("--tool", "delete_x", "--json");
    type Trace = { upstream: string; allowed: boolean; phases: { phase: string; order: string[][]; rules: { address: string; runs?: boolean; why: string; pointer?: string }[] }[] };
    const [files, crm] = JSON.parse(stdout) as Trace[];
    const filter = files?.phases[0]?.rules.find(({ address }) => address === "tool-filter/tool-filter");
    assert.deepEqual([filter?.runs, filter?.pointer], [undefined, "/interceptors/1"]);
    assert.match(filter?.why ?? "", /^its condition cannot be judged: no list has had this tool yet/);
    assert.deepEqual(files?.phases[0]?.order, [["tool-filter/tool-filter"], ["redact/redact"]]);
    assert.deepEqual([files?.allowed, crm?.allowed], [true, false]);
    assert.match((await run("--tool", "x", "--upstream", "crm")).stdout, /this caller may not come in/);
  });

  it("says of lifecycle methods and plain notifications that no interceptor is asked, and knows that nobody answers a notification", async () => {
    type Trace = { phases: { phase: string; order: string[][]; rules: { runs: boolean; why: string }[] }[] };
    const explained = async (method: string) => {
      const { code, stdout, stderr } = await run("--method", method, "--upstream", "crm", "--json");
      assert.deepEqual([code, stderr], [0, ""]);
      const [{ phases } = { phases: [] }] = JSON.parse(stdout) as Trace[];
      return { phases: phases.map(({ phase }) => phase), order: phases.map(({ order }) => order), why: [...new Set(phases.flatMap(({ rules }) => rules.map(({ runs, why }) => `${runs} ${why}`)))] };
    };
    const never = { order: [[], []], phases: ["request", "response"], why: ["false no connection comes about without this method, so no interceptor is asked"] };
    const passes = { order: [[]], phases: ["request"], why: ["false it passes at once, past everything, so no interceptor is asked"] };
    const judged = { order: [[["redact/redact"]]], phases: ["request"], why: ["true it hooks *"] };
    const expected = { initialize: never, ping: never, "server/discover": never, "notifications/initialized": passes, "notifications/cancelled": passes, "notifications/message": judged, "notifications/progress": judged };
    const found = await Promise.all(Object.keys(expected).map(async (method) => [method, await explained(method)]));
    assert.deepEqual(Object.fromEntries(found), expected);
    const off = folder.write("off.json", { upstreams: { files: { command: "x" } }, interceptors: [{ use: "redact" }], policy: { interceptNotifications: false } });
    const { stdout } = await runText(["explain", off, "--method", "notifications/message"]);
    assert.match(stdout, /–  redact\/redact +policy\.interceptNotifications is off, so no interceptor is asked\n$/);
  });

  it("says with --connect which upstreams cannot be reached and why, whether or not a condition needs them, and ends with 1", async () => {
    const upstreams = { gone: { command: "no-such-program-anywhere" }, files: { command: process.execPath, args: [fixture("server.mjs")] } };
    const reached = folder.write("connect.json", { upstreams, interceptors: [{ use: "redact" }] });
    const { code, stdout, stderr } = await runText(["explain", reached, "--tool", "rm", "--connect"]);
    assert.deepEqual([code, stdout.match(/^\w+$/gm)], [1, ["gone", "files"]]);
    assert.match(stderr, /^mcp-interceptors: gone cannot be reached: cannot start "no-such-program-anywhere": [^\n]+\n$/);
    const json = await runText(["explain", reached, "--tool", "rm", "--connect", "--json"]);
    const told = (JSON.parse(json.stdout) as { upstream: string; error?: string }[]).map(({ upstream, error }) => [upstream, error?.slice(0, 12)]);
    assert.deepEqual([json.code, told], [1, [["gone", "cannot start"], ["files", undefined]]]);
    const others = await Promise.all([["--upstream", "files", "--connect"], []].map((more) => runText(["explain", reached, "--tool", "rm", ...more])));
    assert.deepEqual(others.map((one) => [one.code, one.stderr]), [[0, ""], [0, ""]]);
  });

  it("takes other methods with their params, and refuses what makes no sense", async () => {
    const { stdout } = await run("--method", "tools/list", "--upstream", "files");
    assert.match(stdout, /response\n +1\. runs +gateway\/tool-hints[^]*2\. runs +redact\/redact|response\n +1\. runs +redact/);
    const wrong: [string[], RegExp][] = [
      [[], /--method is missing/],
      [["--tool", "x", "--method", "tools/list"], /--tool goes with tools\/call/],
      [["--method", "*"], /--method must be a method/],
      [["--method", "tools/list", "--upstream", "fils"], /did you mean files\?/],
      [["--method", "tools/list", "--params", "5"], /--params must be an object/],
      [["more", "--method", "x"], /unexpected "more"/],
    ];
    await refuseAll([...wrong.map(([words, text]): [string[], RegExp] => [["explain", file(), ...words], text]), [["explain", "--method", "x"], /the configuration is missing/]], { env: { ROLE: "s3cret-role" } });
  });
});
