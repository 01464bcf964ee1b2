// What `init` makes of a client's file with several servers, and the same servers behind `wrap`, used by the official clients: published servers work as they
// are meant to under the default policy, questions are relayed, and attacks are blocked.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DEFAULT_POLICY } from "../../../src/gateway/config/default-policy.ts";
import { client1x } from "../official/client-1x.ts";
import { client2xAuto, client2xDefault, client2xModern } from "../official/client-2x.ts";
import { outcome } from "../official/compare.ts";
import { EVERYTHING_ROOTS, EVERYTHING_STEPS, everythingIsReady, TASK_STEP } from "../official/everything-steps.ts";
import { filesystemIsReady, filesystemSteps, makeFolder } from "../official/filesystem-steps.ts";
import { CLI, EVERYTHING, FILESYSTEM, fixture } from "../official/paths.ts";
import type { ClientKind, Command, Session } from "../official/session.ts";

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = join(folder, "files");
makeFolder(files);
const SECRET = `AKIA${"Q2W3E4R5T6Y7U2I3"}`;
const SERVERS: Readonly<Record<string, { readonly command: string; readonly args: readonly string[]; readonly env?: Record<string, string> }>> = {
  everything: { command: process.execPath, args: [EVERYTHING], env: { TEAM_NAME: "blue" } },
  files: { command: process.execPath, args: [FILESYSTEM, files] },
  "both eras": { command: process.execPath, args: [fixture("official-server.mjs")] },
};
const clientFile = join(folder, "mcp.json");
writeFileSync(clientFile, JSON.stringify({ mcpServers: { ...SERVERS, old: { type: "sse", url: "https://old.example/sse" } } }));
const run = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });

type Entries = Readonly<Record<string, Omit<Command, "env"> & { readonly env?: Record<string, string> }>>;
const KINDS: readonly ClientKind[] = [client1x, client2xDefault, client2xAuto, client2xModern];
const roots = (name: string) => (name === "everything" ? EVERYTHING_ROOTS : [{ uri: `file://${files}` }]);

async function open(kind: ClientKind, entries: Entries, name: string): Promise<Session> {
  const entry = entries[name];
  assert.ok(entry !== undefined, name);
  return kind.open({ env: {}, ...entry }, { roots: roots(name) });
}

/** The steps that a policy answered, or changed the answer of. */
async function refusedSteps(session: Session, steps: readonly { readonly name: string; run(session: Session): Promise<unknown> }[]): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const { name, run: step } of steps) {
    const text = JSON.stringify(await outcome(step(session))) ?? "";
    if (/Interceptor (?:validation|mutation|execution)|\[REDACTED|\[truncated/.test(text)) refused.push(name.replace(/^tools\/call /, "").slice(0, 60));
  }
  return refused;
}

// Of all that is asked of them: arguments and calls that are no good by the tools' own schemas, and what is larger than a megabyte.
const EVERYTHING_REFUSED = ['echo {"message":5}', "echo {}", 'get-structured-content {"location":"Nowhere"}', '{"arguments":{}}'];
const FILES_REFUSED = ["read_text_file {\"path\":\"…/big.txt\"}", "read_text_file {}", "read_media_file {\"path\":\"…/big.txt\"}", "read_multiple_files", "write_file {\"path\":\"…/new/big.txt\""];

async function useAll(kind: ClientKind, entries: Entries): Promise<void> {
  makeFolder(files);
  writeFileSync(join(files, "env.txt"), `user=ann\naws_access_key_id=${SECRET}\n`);
  const texts = async (session: Session, name: string, args: Record<string, unknown> = {}) => JSON.stringify(await outcome(session.callTool(name, args)));

  const everything = await open(kind, entries, "everything");
  const { tools } = await everything.listTools();
  for (const name of ["echo", "get-sum", "get-structured-content", "trigger-elicitation-request", "trigger-sampling-request"]) assert.ok(tools.some((tool) => tool.name === name), name);
  assert.match(await texts(everything, "echo", { message: "hello" }), /hello/);
  assert.match(await texts(everything, "trigger-elicitation-request"), /Ada/);
  assert.match(await texts(everything, "trigger-sampling-request", { prompt: "hi", maxTokens: 7 }), /sampled é/);
  assert.match(await texts(everything, "get-roots-list"), /tmp\/one/);
  assert.match(await texts(everything, "get-env"), /TEAM_NAME[^,]*blue/);
  assert.match(await texts(everything, "echo", { message: `key ${SECRET}` }), /Interceptor (?:validation|mutation) failed/);
  await everything.close();

  const filesystem = await open(kind, entries, "files");
  assert.ok((await filesystem.listTools()).tools.length > 10);
  const read = await texts(filesystem, "read_text_file", { path: join(files, "env.txt") });
  assert.match(read, /user=ann.*REDACTED/);
  assert.ok(!read.includes(SECRET));
  assert.match(await texts(filesystem, "write_file", { path: join(files, "env.txt"), content: "user=bob\naws_access_key_id=[REDACTED:assignment]\n" }), /Interceptor validation failed/);
  for (const path of [`${files}/%2e%2e/secret`, "/proc/self/environ", `${files}/../x`]) assert.match(await texts(filesystem, "read_text_file", { path }), /Interceptor validation failed/);
  assert.match(await texts(filesystem, "write_file", { path: join(files, "readme.md"), content: "Open http://localhost:3000, as in ../docs." }), /Successfully wrote/);
  await filesystem.close();

  const both = await open(kind, entries, "both eras");
  assert.match(await texts(both, "echo", { message: "hello" }), /hello/);
  assert.match(await texts(both, "confirm"), /confirmed by Ada/);
  await both.close();
}

describe("a client's file with several servers, after init", () => {
  const made = run("init", clientFile);
  const guarded = () => (JSON.parse(readFileSync(`${clientFile}.guarded`, "utf8")) as { mcpServers: Entries }).mcpServers;

  it("is guarded, but for what cannot be, and nothing is wrong with its configuration", () => {
    assert.deepEqual([made.status, made.stderr], [0, ""]);
    const check = run("check", join(folder, "mcp-interceptors.jsonc"), "--strict", "--stdio", "both-eras");
    assert.equal(check.status, 0, check.stdout + check.stderr);
    assert.deepEqual(guarded()["old"] as unknown, { type: "sse", url: "https://old.example/sse" });
  });

  for (const kind of KINDS) it(`works with ${kind.label}: lists, calls, questions, and a blocked call at each server`, () => useAll(kind, guarded()));

  it("lets everything that the everything server and the filesystem server do in ordinary use pass as it is", async () => {
    const everything = await open(client1x, guarded(), "everything");
    await everythingIsReady(everything);
    assert.deepEqual(await refusedSteps(everything, [...EVERYTHING_STEPS, TASK_STEP]), EVERYTHING_REFUSED);
    await everything.close();
    makeFolder(files);
    const filesystem = await open(client1x, guarded(), "files");
    await filesystemIsReady(filesystem);
    const refused = await refusedSteps(filesystem, filesystemSteps(files));
    assert.equal(refused.length, FILES_REFUSED.length, refused.join("\n"));
    for (const [index, name] of FILES_REFUSED.entries()) assert.ok(refused[index]?.startsWith(name), refused.join("\n"));
    await filesystem.close();
  });
});

describe("the same servers behind wrap, with the interceptors of the default policy", () => {
  const uses = DEFAULT_POLICY.filter(({ use }, index) => DEFAULT_POLICY.findIndex((other) => other.use === use) === index);
  const options = uses.flatMap(({ use, config }) => ["--use", config === undefined ? String(use) : `${String(use)}=${JSON.stringify(config)}`]);
  const wrapped: Entries = Object.fromEntries(
    Object.entries(SERVERS).map(([name, { command, args, env }]) => [name, { command: process.execPath, args: [CLI, "wrap", "--quiet", ...options, "--", command, ...args], ...(env === undefined ? {} : { env }) }]),
  );
  for (const kind of [client1x, client2xModern]) {
    it(`work with ${kind.label}: lists, calls, questions, and a blocked call at each server`, async () => {
      // wrap translates nothing: a client of one revision alone needs a server that has it.
      if (kind !== client2xModern) return useAll(kind, wrapped);
      const both = await open(kind, wrapped, "both eras");
      assert.match(JSON.stringify(await both.callTool("echo", { message: "hello" })), /hello/);
      assert.match(JSON.stringify(await both.callTool("confirm", {})), /confirmed by Ada/);
      assert.match(JSON.stringify(await outcome(both.callTool("echo", { message: `key ${SECRET}` }))), /Interceptor (?:validation|mutation) failed/);
      return both.close();
    });
  }
});
