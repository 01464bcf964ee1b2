import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandGuardConfig, commandGuard } from "../../src/library/command-guard.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf, verdictOnCall } from "./verdict-of.ts";

const guard = commandGuard();

test("refuses shell characters and options in arguments that are one word of a command", () => {
  for (const value of ["main; rm -rf /", "main && id", "a|b", "$(id)", "`id`", "a > b", "a\nb", "${IFS}"]) {
    for (const name of ["branch", "targetBranch", "container", "HOST"]) assert.match(verdictOnCall(guard, { [name]: value }), /^\/arguments\/\w+: An argument has characters/, `${name}: ${value}`);
  }
  for (const value of ["--upload-pack=id", "-oProxyCommand=id", "-c", "main --output=/etc/x", " -x"]) assert.match(verdictOnCall(guard, { ref: value }), /option/, value);
  for (const value of ["main", "feature/x-y", "v1.2.3", "origin", "db-1.example.com", "-1", "HEAD~2", "a - b", "user@host", "ghcr.io/a/b:1", "-", "--"]) assert.equal(verdictOnCall(guard, { branch: value }), "pass", value);
});

test("judges lists under the plural of a name, and in an object what has no name that tells more", () => {
  for (const args of [{ branches: ["a;b"] }, { branch: { x: "a;b" } }, { branch: { name: "--x" } }, { ids: ["1 OR 1=1"] }, { id: { eq: "1 OR 1=1" } }, { id: { $in: ["1 OR 1=1"] } }, { queries: ["SELECT 1; DROP TABLE x"] }]) assert.notEqual(verdictOnCall(guard, args), "pass", JSON.stringify(args));
  assert.equal(verdictOnCall(guard, { commit: { message: "a & b" }, container: { command: "a && b" }, service: { url: "http://example.com/?a=1&b=2" } }), "pass");
  const rules = [{ arguments: ["branch"], checks: [] }];
  assert.equal(verdictOnCall(commandGuard({ rules }), { branch: { name: "a;b" } }), "pass");
});

test("refuses SQL that is more than a value, or more than a statement", () => {
  assert.match(verdictOnCall(guard, { user_id: "1 OR 1=1" }), /more than one value/);
  assert.match(verdictOnCall(guard, { order_by: "name; DROP TABLE x" }), /more than one value/);
  assert.match(verdictOnCall(guard, { sql: "SELECT 1; COMMIT; DROP TABLE x" }), /more than one SQL statement/);
  assert.equal(verdictOnCall(guard, { sql: "SELECT ';' FROM x WHERE a = 1 OR b = 2 -- c", query: "cats; dogs", id: 5, sort: "name DESC", where: "a = 1 OR b = 2" }), "pass");
  assert.match(verdictOnCall(guard, { where: "a = 1; DROP TABLE x" }), /more than one SQL statement/);
});

test("leaves arguments alone that are a command, or text", () => {
  assert.equal(verdictOnCall(guard, { package: "requests>=2,<3", image: "data:image/png;base64,AAAA", tags: ["R&D"] }), "pass");
  assert.match(verdictOnCall(guard, { package: "--index-url=http://evil.example" }), /option/);
  assert.equal(verdictOnCall(guard, { command: "ls -la | grep x; echo $HOME", content: "a; DROP TABLE x", message: "-- fix `x`" }), "pass");
  assert.equal(verdictOf(guard, { event: "tools/call", phase: "request", payload: { name: "x" } }), "pass");
});

test("lets the first rule with the tool and the argument decide", () => {
  const config: CommandGuardConfig = {
    rules: [
      { tools: ["git_*"], arguments: ["message"], checks: ["option"] },
      { tools: ["run"], arguments: ["branch"], checks: [] },
      { arguments: ["arg*"], checks: ["shell"] },
    ],
  };
  const of = (name: string, args: Record<string, unknown>) => verdictOnCall(commandGuard(config), args, { name });
  assert.match(of("git_commit", { message: "--amend" }), /option/);
  assert.equal(of("mail", { message: "--amend" }), "pass");
  assert.equal(of("run", { branch: "a;b" }), "pass");
  assert.match(of("other", { branch: "a;b" }), /shell/);
  assert.match(of("other", { args: ["ok", "a;b"] }), /^\/arguments\/args\/1: /);
  assert.equal(verdictOnCall(commandGuard({ byName: false }), { branch: "a;b" }), "pass");
});

test("refuses a wrong config with the place that is wrong", () => {
  const cases: readonly [config: unknown, message: RegExp][] = [
    [{ rules: {} }, /^config of command-guard: rules must be a list/],
    [{ rules: [5] }, /rules\[0\] must be an object/],
    [{ rules: [{ arguments: ["a"] }] }, /rules\[0\] must have arguments and checks/],
    [{ rules: [{ arguments: ["a"], checks: ["shel"] }] }, /rules\[0\]: checks must be one of "shell"/],
    [{ rules: [{ arguments: ["a"], checks: [], tool: "x" }] }, /tool is not known/],
  ];
  // What comes off a command line need not have the type that it should.
  for (const [config, message] of cases) assert.throws(() => commandGuard(config as CommandGuardConfig), { code: "invalid_argument", message });
});

test("takes time in proportion to the text", () => {
  const run = (text: string) => verdictOnCall(guard, { sql: text, id: text, branch: text });
  assertLinear(run, "name and age, or so. ", ["; ", ";/*", ";--\n", "'", "\\'", "'\\", "or a", "or (", "' ", "--", "/*!", ";a", ") ", "union  ", "or not ", "or (not", "||((", "or a.", "or 1a like ", "or a in ", "1or ", "dbms_a.", "\n", " -"]);
});
