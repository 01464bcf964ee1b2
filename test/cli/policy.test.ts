import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { buildPolicy, isModule, type Policy } from "../../src/cli/policy.ts";
import { createSignal, type Signal } from "../../src/core/base/signal.ts";
import { LocalError } from "../../src/core/base/errors.ts";
import { serve } from "../../src/core/http/serve.ts";
import { validator, type Interceptor } from "../../src/core/interceptor/define.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { scopesIn } from "../../src/library/state.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { fixture } from "./run-cli.ts";

const CALL = { event: "tools/call", phase: "request", direction: "sending", payload: { name: "rm", arguments: {} } } as const;
const command = (name: string, ...words: string[]) => [process.execPath, fixture(name), ...words].join(" ");

async function build(options: { use?: string[]; interceptors?: string[]; verbose?: boolean; signal?: Signal }): Promise<Policy & { readonly logged: string[] }> {
  const logged: string[] = [];
  const policy = await buildPolicy({ use: [], interceptors: [], log: (level, message) => void logged.push(`${level}: ${message}`), ...options });
  return { ...policy, logged };
}
const refuses = (options: Parameters<typeof build>[0], message: RegExp, hint = /^$/) =>
  assert.rejects(build(options), (thrown) => {
    assert.ok(thrown instanceof UsageError, String(thrown));
    assert.match(thrown.message, message);
    assert.match(thrown.hint ?? "", hint);
    assert.ok(!thrown.message.includes("\n"), "one line");
    return true;
  });

// What is named may be right.
const fails = (options: Parameters<typeof build>[0], message: RegExp) => assert.rejects(build(options), (thrown) => thrown instanceof LocalError && message.test(thrown.message));

test("ready-made interceptors come by name, with or without a config, and bring their answers along", async () => {
  const policy = await build({ use: ["redact", 'tool-filter={"deny":["rm"]}'] });
  assert.deepEqual(policy.chain.entries.map(({ name }) => name), ["redact", "tool-filter", "tool-filter-list"]);
  assert.deepEqual(policy.chain.entries.map(({ answerAs }) => answerAs !== undefined), [false, true, false]);
  assert.equal((await policy.chain.execute(CALL)).status, "validation_failed");
});

test("a --use that remembers by principal is refused with a scope that its config takes, and taken with it", async () => {
  const configs: Record<string, object> = { budget: { max: { requests: 1 } }, approval: { url: "http://127.0.0.1:1/" } };
  let met = 0;
  for (const [name, { configSchema }] of readyMade) {
    if (!scopesIn(configSchema).includes("principal")) continue;
    met++;
    const use = (scope: string) => [`${name}=${JSON.stringify({ ...configs[name], scope })}`];
    const said = await build({ use: use("principal") }).then(() => "", (thrown: unknown) => (thrown as Error).message);
    const [, hint = ""] = /say "scope":"(\w+)" in its config$/.exec(said) ?? [];
    assert.notEqual(hint, "", said);
    await (await build({ use: use(hint) })).close();
  }
  assert.ok(met >= 6, String(met));
});

test("a --use that is wrong is refused: the name with what was meant, the config with what is wrong in it", async () => {
  const known = [...readyMade.keys()].join(", ");
  await refuses({ use: ["redcat"] }, /^--use redcat: there is no such interceptor$/, /^did you mean redact\?$/);
  await refuses({ use: ["constructor"] }, /no such interceptor/, new RegExp(`^known are ${known}$`));
  await refuses({ use: [""] }, /no such interceptor/, /^known are/);
  await refuses({ use: ["redact={types"] }, /^--use redact=\{types: the config of redact is no JSON: /);
  await refuses({ use: ["redact="] }, /the config of redact is no JSON/);
  await refuses({ use: ['redact={"types":["nonsense"]}'] }, /^--use redact=.*: .*types/);
  await refuses({ use: ['redact={"tpyes":[]}'] }, /tpyes/);
  await refuses({ use: ["redact=[]"] }, /redact/);
  await refuses({ use: ['tool-filter={"deny":5}'] }, /deny/);
  await refuses({ use: ["flow-guard"] }, /keeps state by principal, and nobody on stdio has one: say "scope":"global" in its config$/);
  await refuses({ use: ['tool-filter={"deny":["rm"],"deny":[]}'] }, /^--use tool-filter=.*: the config of tool-filter is refused: .* at \/deny \(offset \d+\)$/);
  await refuses({ use: ["redact", "redact"] }, /^--use redact: .*already/);
});

test("a module gives all interceptors that it exports, by whatever name, in lists too, TypeScript included", async () => {
  const policy = await build({ interceptors: [fixture("typed.ts")] });
  assert.deepEqual(policy.chain.entries.map(({ address }) => address), ["local/typed"]);
});

test("a module that is not there, throws while it loads, or exports none is refused by its path", async () => {
  await refuses({ interceptors: ["./no/such/module.mjs"] }, /^--interceptors \.\/no\/such\/module\.mjs: there is no file \/.*module\.mjs$/);
  await refuses({ interceptors: [fixture("throwing.mjs")] }, /throwing\.mjs could not be loaded: the database of rules is not there \(.*throwing\.mjs:1:7\)$/);
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const file = join(folder, "broken.mjs");
    writeFileSync(file, "export const a = 1;\nexport const b = ;\n");
    await refuses({ interceptors: [file] }, /broken\.mjs could not be loaded: .*run: node --check .*broken\.mjs\)$/);
    writeFileSync(join(folder, "lost.mjs"), 'import "no-such-package-anywhere";\n');
    await refuses({ interceptors: [join(folder, "lost.mjs")] }, /lost\.mjs could not be loaded: .*no-such-package-anywhere/);
    // A module whose path has a blank is still no command.
    writeFileSync(join(folder, "two words.mjs"), "throw null;");
    await refuses({ interceptors: [join(folder, "two words.mjs")] }, /two words\.mjs could not be loaded: null$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
  await refuses({ interceptors: [fixture("empty.mjs")] }, /empty\.mjs exports no interceptor; export what validator\(\) or mutator\(\) returns/);
});

test("a tool-filter without a rule is taken, with a warning", async () => {
  for (const use of ["tool-filter", "tool-filter={}", 'tool-filter={"deny":[]}']) {
    const { logged } = await build({ use: [use] });
    assert.deepEqual(logged, [`warn: --use ${use}: it has no rules and filters nothing; give it some, as in tool-filter='{"deny":["delete_*"]}'`]);
  }
  for (const use of ['tool-filter={"allow":[]}', 'tool-filter={"deny":["rm"]}', "redact"]) assert.deepEqual((await build({ use: [use] })).logged, []);
});

test("a module that never ends loading is given up, by its name, with the reason of the signal", async () => {
  const stop = createSignal();
  const refused = fails({ interceptors: [fixture("unsettled.mjs")], signal: stop.signal }, /^--interceptors .*unsettled\.mjs: it was not ready$/);
  stop.abort(new LocalError("timeout", "it was not ready"));
  await refused;
});

describe("a command of an interceptor server", { concurrency: 3 }, () => {
  it("is started, listed under a label of its own, asked, and ended with the policy; once it is dead its interceptors fail closed", async () => {
    const policy = await build({ interceptors: [command("interceptor-server.mjs"), command("interceptor-server.mjs", "again")] });
    assert.deepEqual(policy.chain.entries.map(({ address }) => address), ["server-1/names", "server-2/names"]);
    assert.equal((await policy.chain.execute(CALL)).status, "validation_failed");
    assert.equal((await policy.chain.execute({ ...CALL, payload: { name: "echo" } })).status, "success");
    const died = await policy.chain.execute({ ...CALL, payload: { name: "die" } });
    assert.deepEqual([died.status, died.results.map(({ error }) => error?.reason)], ["validation_failed", ["unavailable", "unavailable"]]);
    assert.deepEqual(policy.logged.sort(), ["server-1", "server-2"].map((label) => `error: ${label}/names at the request of tools/call failed: unavailable`));
    await Promise.all([policy.close(), policy.close()]);
  });

  it("that writes what is no message is told of in the log, without a word of what it wrote", async () => {
    const words = command("interceptor-server.mjs", "prints");
    const policy = await build({ interceptors: [words] });
    await policy.close();
    assert.equal(policy.logged.length, 1);
    assert.match(policy.logged[0] ?? "", /^warn: the interceptor server .* wrote a line of 13 characters that is no message \(Parse error: /);
    assert.ok(!policy.logged[0]?.includes("loading"));
  });

  it("that cannot be started, dies at its start, lists nothing, or does not know the methods is refused, and what was started before it is ended", async () => {
    await Promise.all([
      refuses({ interceptors: ["no-such-command --flag"] }, /^--interceptors no-such-command --flag: cannot start "no-such-command"/),
      fails({ interceptors: [command("interceptor-server.mjs", "dies")] }, /interceptor-server\.mjs dies: .*exited with code 4/),
      refuses({ interceptors: [command("interceptor-server.mjs", "empty")] }, /the server lists no interceptors$/),
      refuses({ interceptors: [command("interceptor-server.mjs"), command("server.mjs")] }, /"server-2" hosts no interceptors: it knows neither interceptors\/list nor interceptor\/list$/),
    ]);
    await refuses({ interceptors: [""] }, /the command is empty/);
    await refuses({ interceptors: ["node 'unclosed"] }, /unclosed '/);
  });
});

describe("the URL of an interceptor server", () => {
  const serving = async (interceptors: readonly Interceptor[]) => {
    const server = new McpServer({ name: "policies", version: "1" });
    if (interceptors.length > 0) hostInterceptors(server, interceptors);
    // A path that ends like a module's.
    const listener = await listenHttp({ path: "/policy.mjs", closeGraceMs: 1 });
    void serve(server, listener);
    return listener;
  };
  const noRm = validator({ name: "no-rm", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => payload.name !== "rm");

  it("is reached, listed under a label of its own and asked; once it is gone its interceptors fail closed", async () => {
    const listener = await serving([noRm]);
    const policy = await build({ interceptors: [listener.url, fixture("typed.ts")] });
    assert.deepEqual(policy.chain.entries.map(({ address }) => address), ["server-1/no-rm", "local/typed"]);
    assert.equal((await policy.chain.execute(CALL)).status, "validation_failed");
    assert.equal((await policy.chain.execute({ ...CALL, payload: { name: "echo" } })).status, "success");
    await listener.close();
    const { status, results } = await policy.chain.execute({ ...CALL, payload: { name: "echo" } });
    assert.deepEqual([status, results.find(({ interceptor }) => interceptor === "no-rm")?.error?.reason], ["validation_failed", "unavailable"]);
    await policy.close();
  });

  it("where nobody is, or that hosts none, is refused", async () => {
    const [none, gone] = [await serving([]), await serving([noRm])];
    await gone.close();
    await fails({ interceptors: [gone.url] }, /^--interceptors http:.*policy\.mjs: .*ECONNREFUSED/);
    await refuses({ interceptors: [none.url] }, /"server-1" hosts no interceptors/);
    await none.close();
  });

  it("is no module, whatever its path ends in", () => {
    assert.deepEqual(["https://example.com/policy.mjs", "HTTP://example.com/a.ts", "./policy.mjs"].map(isModule), [false, false, true]);
  });
});
