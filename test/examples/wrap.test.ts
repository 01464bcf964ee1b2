// The address book and the policy of the examples, by `wrap`: what the README's first command does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { INITIALIZE, startCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

test("wrap passes, redacts and blocks calls of a server that knows nothing of it, and logs each decision", async () => {
  const log = join(folder.path, "decisions.jsonl");
  const upstream = [process.execPath, "-C", "mcp-interceptors-source", "--import", "tsx", "examples/upstream.ts"];
  const running = await startCli(["wrap", "--use", "redact", "--interceptors", "examples/policy.ts", "--log", log, "--", ...upstream], { fromSources: true });
  let id = 0;
  const call = (name: string, args: object) => {
    running.send({ id: ++id, method: "tools/call", params: { name, arguments: args } });
    return running.answer(id);
  };
  running.send(INITIALIZE);
  await running.answer("init");
  running.send({ method: "notifications/initialized" });

  const noted = await call("set_note", { id: 2, note: "call after lunch" });
  assert.deepEqual(noted.result?.["content"], [{ type: "text", text: "noted" }]);
  const found = JSON.stringify((await call("find_contacts", { text: "ada" })).result);
  assert.match(found, /Ada Example: \[REDACTED:email\], \[REDACTED:phone\]/);
  assert.ok(!found.includes("ada@example.org") && !found.includes("555-0143"), found);
  const { error } = await call("delete_contact", { id: 1 });
  assert.deepEqual([error?.code, error?.message], [-32602, "Interceptor validation failed"]);
  assert.match(JSON.stringify(error?.data), /"interceptor":"no-deletions","[^]*"delete_contact is not allowed here/);
  assert.match(JSON.stringify((await call("find_contacts", { text: "ada" })).result), /Ada Example/);

  const { code, stderr } = await running.end();
  assert.equal(code, 0);
  assert.match(stderr, /with .*redact.*no-deletions/);
  const decisions = readFileSync(log, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { event: string; phase: string; verdict: string; interceptors: { name: string; outcome: string }[] });
  const calls = decisions.filter(({ event }) => event === "tools/call").map(({ phase, verdict, interceptors }) => [phase, verdict, ...interceptors.map(({ name, outcome }) => `${name} ${outcome}`)]);
  assert.deepEqual(calls.slice(0, 5), [
    ["request", "passed", "redact unmodified", "no-deletions valid"],
    ["response", "passed", "redact unmodified"],
    ["request", "passed", "redact unmodified", "no-deletions valid"],
    ["response", "changed", "redact modified"],
    ["request", "blocked", "redact unmodified", "no-deletions invalid"],
  ]);
});
