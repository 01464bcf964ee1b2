import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Called } from "./many-scripts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true }));

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const START = "node -C mcp-interceptors-source --import tsx ";
const WITH_WORDS = ["test", "test:interop", "test:official", "test:runtimes", "docs", "fuzz", "size", "bench", "soak"];
const WITH_PARTS = ["test:official", "docs", "fuzz", "size", "bench", "soak"];

// As a clone is after `npm ci`: what only the interop tests need is not installed.
for (const name of ["src", "spec", "examples", "node_modules", "package.json", "README.md"]) symlinkSync(join(root, name), join(folder, name));
cpSync(join(root, "test"), join(folder, "test"), { recursive: true, filter: (path) => !path.split(sep).includes("node_modules") });

const start = (words: readonly string[]) => spawnSync(process.execPath, [...START.trim().split(" ").slice(1), ...words], { cwd: folder, encoding: "utf8", timeout: 60_000 });
const fileOf = (script: string) => (scripts[script] ?? "").replace(START, "");
const calls = [...WITH_WORDS.flatMap((script) => [[script, "--help"], [script, "--nope"]]), ...WITH_PARTS.map((script) => [script, "nope"])];
const list = join(folder, "calls.json");
writeFileSync(list, JSON.stringify(calls.map(([script = "", word]) => [fileOf(script), word])));
const ran = start(["test/tools/many-scripts.ts", list]);
const called = ran.status === 0 ? (JSON.parse(ran.stdout) as Called[]) : [];
const run = (script: string, word: string): Called => called[calls.findIndex(([name, own]) => name === script && own === word)] ?? assert.fail(ran.stderr);

describe("a script of a fresh clone", () => {
  for (const script of WITH_WORDS) {
    it(`${script} says how it is called, and refuses an option that it has not`, () => {
      assert.equal(scripts[script], `${START}${fileOf(script)}`);
      const help = run(script, "--help");
      assert.deepEqual([help.status, help.stderr], [0, ""]);
      assert.ok(help.stdout.startsWith(`Usage: npm ${script === "test" ? "" : "run "}${script} `), help.stdout);
      const wrong = run(script, "--nope");
      assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
      assert.match(wrong.stderr, /'--nope'.*\nUsage: npm /);
    });
  }

  it("ends a process of its own with the same code", () => {
    for (const word of ["--help", "--nope"]) {
      const { status, stdout, stderr } = start([fileOf("test"), word]);
      assert.deepEqual({ status, stdout, stderr }, run("test", word));
    }
  });

  it("refuses a word that names no part", () => {
    for (const script of WITH_PARTS) {
      const { status, stderr } = run(script, "nope");
      assert.equal(status, 2);
      assert.match(stderr, /^there is no nope; known are .*\nUsage: /);
    }
  });
});
