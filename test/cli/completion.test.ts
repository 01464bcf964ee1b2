import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundledCli } from "./run-cli.ts";
import { runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

async function script(shell: string): Promise<string> {
  const { code, stdout } = await runText(["completion", shell]);
  assert.equal(code, 0);
  return folder.write(`completion.${shell}`, stdout);
}

/** Whether a shell is there; else the test says that it is skipped. */
function has(shell: string, t: TestContext): boolean {
  const there = spawnSync(shell, ["--version"]).status === 0;
  if (!there) t.skip(`${shell} is not installed here`);
  return there;
}

// The scripts ask the program, which is at MAIN, for names of a configuration.
const MAIN = bundledCli();
const shells = () => ({ encoding: "utf8", cwd: folder.path, env: { ...process.env, MAIN } }) as const;
const upstreams = { files: { command: "x" }, crm: { command: "${ABSENT}" }, "$(touch x)": { command: "x" } };
folder.write("gateway.json", { upstreams, interceptors: [{ use: "redact", name: "privat-ü" }, { use: "tool-filter" }, { use: 5 }] });
folder.write("gateway.yaml", "upstreams:\n  files: {");

function completed(file: string, ...words: string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const program = `mcp-interceptors() { '${process.execPath}' "$MAIN" "$@"; }; source '${file}'; COMP_WORDS=(mcp-interceptors ${line}); COMP_CWORD=${words.length}; _mcp_interceptors; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", program], shells());
  assert.equal(stderr, "");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion", () => {
  it("completes verbs, options, their values, and what a verb can be about, in bash", async (t) => {
    if (!has("bash", t)) return;
    const file = await script("bash");
    assert.deepEqual(completed(file, "ch"), ["check", "chain"]);
    assert.deepEqual(completed(file, "chain", "--ph"), ["--phase"]);
    assert.deepEqual(completed(file, "chain", "--phase", ""), ["request", "response"]);
    assert.deepEqual(completed(file, "chain", "--phase", "resp"), ["response"]);
    assert.ok(completed(file, "list", "re").includes("redact"));
    assert.deepEqual(completed(file, "audit", "v"), ["verify"]);
    assert.ok(completed(file, "help", "tool-").includes("tool-filter"));
    // Files, by the shell itself.
    assert.deepEqual(completed(file, "check", "--config", "x"), []);
    assert.deepEqual(completed(file, "nothing", ""), []);
  });

  it("completes names of the configuration that is named, by its text alone, and none that a shell would run", async (t) => {
    const names = async (...words: string[]) => (await runText(["completion", ...words], { cwd: folder.path })).stdout;
    assert.deepEqual([await names("upstreams", "gateway.json"), await names("interceptors", "gateway.json")], ["files\ncrm\n", "privat-ü\ntool-filter\n"]);
    assert.deepEqual(await Promise.all(["gateway.yaml", "none.json", ".", "policy.mjs"].map((file) => names("upstreams", file))), ["", "", "", ""]);
    if (!has("bash", t)) return;
    const file = await script("bash");
    assert.deepEqual(completed(file, "explain", "gateway.json", "--upstream", ""), ["files", "crm"]);
    assert.deepEqual(completed(file, "chain", "-c", "gateway.json", "--upstream", "c"), ["crm"]);
    assert.deepEqual(completed(file, "list", "-c", "gateway.json", "privat"), ["privat-ü"]);
    assert.deepEqual(completed(file, "explain", "none.json", "--upstream", ""), []);
  });

  it("writes scripts that their shells can read", async (t) => {
    for (const shell of ["bash", "zsh", "fish"]) {
      if (spawnSync(shell, ["--version"]).status !== 0) continue;
      const { status, stderr } = spawnSync(shell, ["-n", await script(shell)], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""], shell);
    }
    t.diagnostic("by -n, each that is installed");
  });

  it("completes in zsh and in fish", async (t) => {
    const zsh = await script("zsh");
    const fish = await script("fish");
    if (has("zsh", t)) {
      const { stderr, status } = spawnSync("zsh", ["-f", "-c", `autoload -Uz compinit && compinit -u -D && source '${zsh}' && whence -w _mcp_interceptors`], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    }
    if (has("fish", t)) {
      const of = (line: string) => spawnSync("fish", ["--no-config", "-c", `function mcp-interceptors; '${process.execPath}' $MAIN $argv; end; source '${fish}'; complete -C '${line}'`], shells()).stdout;
      for (const verb of ["check", "chain"]) assert.match(of("mcp-interceptors ch"), new RegExp(`^${verb}\t`, "m"));
      assert.match(of("mcp-interceptors chain --phase r"), /^request/m);
      assert.match(of("mcp-interceptors chain --di"), /^--direction\t/m);
      // An interceptor has the name of a verb, and a target may be a file.
      assert.doesNotMatch(of("mcp-interceptors list audit v"), /^verify/m);
      assert.match(of("mcp-interceptors list gateway.j"), /^gateway\.json$/m);
      assert.equal(of("mcp-interceptors explain gateway.json --upstream f"), "files\tbefore this upstream alone\n");
    }
  });

  it("says what it knows where it is asked for something else", async () => {
    for (const words of [["completion"], ["completion", "powershell"], ["completion", "bash", "x"]]) {
      const { code, stderr } = await runText(words);
      assert.equal(code, 2);
      assert.match(stderr, /completion bash\|zsh\|fish/);
    }
    assert.match((await runText(["completion", "--help"])).stdout, /^Usage: mcp-interceptors completion/);
  });
});
