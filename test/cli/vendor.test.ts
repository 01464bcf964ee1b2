import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { runCompiler, STRICTEST, temporaryFolder } from "../support/compile.ts";
import { importsOf } from "../structure/imports.ts";
import { bundledCli } from "./run-cli.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const cli = bundledCli();
const vendorFrom = (cwd: string, ...words: readonly string[]) => spawnSync(process.execPath, [cli, "vendor", ...words], { cwd, encoding: "utf8", timeout: 60_000 });
const vendor = (...words: readonly string[]) => vendorFrom(root, ...words);

// A program beside the copy, whose import ends as those of the copy do.
const program = (ending: string) => `import { createChain, deny, validator } from "./vendored/chain${ending}";
const chain = createChain();
chain.add([validator({ name: "no", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => deny("no"))]);
export const status = chain.execute({ event: "tools/call", phase: "request", payload: { name: "x" } }).then((result) => result.status);
`;

const filesBelow = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

describe("vendor", () => {
  const folder = temporaryFolder("vendor");
  after(() => folder.remove());

  function project(endings: "ts" | "js" | "none", options: object): string {
    const path = join(folder.path, endings);
    if (!existsSync(path)) {
      mkdirSync(path);
      const { status, stdout, stderr } = vendor(join(path, "vendored"), "--entry", "chain", "--endings", endings);
      assert.deepEqual([status, stderr], [0, ""]);
      assert.match(stdout, /files of mcp-interceptors \d/);
      writeFileSync(join(path, "program.ts"), program(endings === "none" ? "" : `.${endings}`));
      writeFileSync(join(path, "package.json"), JSON.stringify({ type: "module" }));
    }
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...STRICTEST, ...options }, files: ["program.ts"] }));
    return path;
  }

  const emitting = { outDir: "out", rootDir: "." };
  const bundler = { module: "ESNext", moduleResolution: "Bundler", noEmit: true };
  const projects: [name: string, endings: "ts" | "js" | "none", options: object][] = [
    ["as it is, on Node", "ts", { ...emitting, rewriteRelativeImportExtensions: true }],
    ["as it is, for a bundler", "ts", { ...bundler, allowImportingTsExtensions: true }],
    ["with the endings of JavaScript, on Node", "js", emitting],
    ["with the endings of JavaScript, for a bundler", "js", bundler],
    ["without endings, for a bundler", "none", bundler],
  ];
  for (const [name, endings, options] of projects) {
    it(`makes a copy that compiles under the strictest options ${name}, and runs where it was compiled for Node`, () => {
      const path = project(endings, options);
      assert.equal(runCompiler(path), "");
      if ("noEmit" in options) return;
      const script = 'const { status } = await import("./out/program.js"); console.log(await status);';
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: path, encoding: "utf8" });
      assert.deepEqual([stdout, stderr], ["validation_failed\n", ""]);
    });
  }

  it("copies what the entry point imports and what that imports, types included, and nothing else", () => {
    const path = join(folder.path, "contents");
    assert.equal(vendor(path, "--entry", "chain").status, 0);
    const files = filesBelow(path);
    const reached = new Set(["chain.ts"]);
    for (const file of reached) {
      assert.equal(readFileSync(join(path, file), "utf8"), readFileSync(join(root, "src", file), "utf8"), file);
      for (const { specifier = "" } of importsOf(readFileSync(join(path, file), "utf8"))) reached.add(join(dirname(file), specifier));
    }
    assert.deepEqual(files.sort(), [...reached].sort());
    assert.ok(!existsSync(join(path, "core", "http")));
  });

  it("leaves the license, and how to update it", () => {
    const path = join(folder.path, "notes");
    assert.equal(vendor(path, "--entry", "web", "--entry", "library", "--endings", "none").status, 0);
    assert.deepEqual(readdirSync(path), ["LICENSE", "README.md", "core", "library", "library.ts", "web", "web.ts"]);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const readme = readFileSync(join(path, "README.md"), "utf8");
    assert.ok(readme.startsWith(`# mcp-interceptors ${version}, a copy\n`));
    assert.ok(readme.includes(`\nmcp-interceptors vendor --entry web --entry library --endings none ${path}\n`), readme);
    assert.ok(readme.includes("Import from `./web`, `./library`,"), readme);
  });

  it("refuses an empty name, which would be the folder that one is in, and says how to update as a shell reads it", () => {
    for (const words of [[""], ["--", ""]]) {
      const { status, stderr } = vendor(...words);
      assert.deepEqual([status, /is empty|is missing/.test(stderr)], [2, true], stderr);
    }
    const path = join(folder.path, "it's here");
    assert.equal(vendor(path, "--entry", "chain").status, 0);
    assert.ok(readFileSync(join(path, "README.md"), "utf8").includes(`\nmcp-interceptors vendor --entry chain --endings ts '${path.replace("'", "'\\''")}'\n`));
    assert.equal(vendorFrom(folder.path, "--entry", "chain", "--", "-x").status, 0);
    assert.match(readFileSync(join(folder.path, "-x", "README.md"), "utf8"), /\nmcp-interceptors vendor --entry chain --endings ts -- -x\n/);
  });

  it("writes into no folder that holds something, and takes no entry point that needs Node", () => {
    const path = join(folder.path, "full");
    mkdirSync(path);
    writeFileSync(join(path, "mine.txt"), "");
    const full = vendor(path);
    assert.deepEqual([full.status, full.stderr], [2, `mcp-interceptors: ${path} is not empty\n  to update a copy, remove it first: nothing in it is yours\n`]);
    assert.deepEqual(readdirSync(path), ["mine.txt"]);
    const node = vendor(join(folder.path, "absent"), "--entry", "node");
    assert.equal(node.status, 2);
    assert.match(node.stderr, /--entry/);
    assert.ok(!existsSync(join(folder.path, "absent")));
  });
});
