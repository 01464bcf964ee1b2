import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../support/bundle.ts";
import { runCompiler, STRICTEST, temporaryFolder } from "../support/compile.ts";
import { EXPECTED } from "./expected.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const engine = bundle(join(root, "test", "vm", "bare-engine.ts"));

describe("core alone", () => {
  const project = temporaryFolder("core");
  const compiled = join(project.path, "out", "test", "vm", "program.js");
  let said = "not compiled";

  // An empty project: a copy of src/core, a program, the strictest options, no packages.
  before(() => {
    cpSync(join(root, "src", "core"), join(project.path, "src", "core"), { recursive: true });
    mkdirSync(join(project.path, "test", "vm"), { recursive: true });
    cpSync(join(root, "test", "vm", "program.ts"), join(project.path, "test", "vm", "program.ts"));
    const compilerOptions = { ...STRICTEST, rewriteRelativeImportExtensions: true, declaration: true, rootDir: ".", outDir: "out" };
    writeFileSync(join(project.path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src", "test"] }));
    writeFileSync(join(project.path, "package.json"), JSON.stringify({ type: "module" }));
    said = runCompiler(project.path);
  });
  after(() => project.remove());

  test("compiles in an empty project under the strictest options", () => {
    assert.equal(said, "");
    const sources = readdirSync(join(root, "src", "core"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    assert.ok(sources.length > 80, `${sources.length} sources`);
    for (const file of sources) assert.ok(existsSync(join(project.path, "out", "src", "core", file.replace(/\.ts$/, ".js"))), file);
  });

  const surroundings: [string, object][] = [
    ["a browser's types", { lib: ["ES2023", "DOM", "DOM.Iterable"] }],
    ["a worker's types and the newest language", { lib: ["ESNext", "WebWorker"] }],
    ["Node's types", { types: ["node"], typeRoots: [join(root, "node_modules", "@types")] }],
    ["a bundler's resolution", { module: "ESNext", moduleResolution: "Bundler" }],
  ];
  for (const [name, options] of surroundings) {
    test(`compiles with ${name}, too`, () => {
      const compilerOptions = { ...STRICTEST, ...options, allowImportingTsExtensions: true, noEmit: true };
      writeFileSync(join(project.path, "other.json"), JSON.stringify({ compilerOptions, include: ["src", "test"] }));
      assert.equal(runCompiler(project.path, "-p", "other.json"), "");
    });
  }

  test("runs in plain Node", () => {
    const script = `
      const { run } = await import(${JSON.stringify(pathToFileURL(compiled).href)});
      const fail = (message) => { throw new Error(message); };
      console.log(await run({ parse: JSON.parse, later: async (value) => value, fail, globals: globalThis }));`;
    assert.deepEqual(JSON.parse(node("--input-type=module", "--eval", script)), EXPECTED);
  });

  test("runs in an engine without a platform, on a host that is handed in", () => {
    assert.deepEqual(bareEngine("with-globals").findings, EXPECTED);
  });

  test("runs without any host as far as no timer is needed, and then fails closed, saying what is missing", () => {
    const { text, schema, bytes, lines, synchronous } = EXPECTED;
    const noTimers = 'unavailable: this runtime has no timers (setTimeout, clearTimeout); pass a host with the slot "setTimer"';
    assert.deepEqual(bareEngine().findings, {
      ...{ text, schema, bytes, lines, synchronous },
      chain: {
        statuses: ["validation_failed", "validation_failed", "validation_failed"],
        ran: ["no-shell true", "async undefined", "outside undefined"],
        response: ["mutation_failed", null],
      },
      failures: { ...EXPECTED.failures, rejected: ["validation_failed", noTimers], nothing: ["mutation_failed", noTimers] },
      guarded: { threw: "host_missing" },
      remote: { threw: "host_missing" },
    });
  });

  function bareEngine(...args: readonly string[]): { findings: unknown } {
    const output = node("--experimental-vm-modules", "--no-warnings", engine, compiled, ...args);
    const report = JSON.parse(output) as { modules: number; globals: string[]; findings: unknown };
    assert.ok(report.modules > 50, `${report.modules} modules`);
    assert.deepEqual(report.globals.filter((name) => !ECMASCRIPT.has(name)), []);
    return report;
  }
});

function node(...args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 60_000 });
  assert.deepEqual({ error, status, stderr }, { error: undefined, status: 0, stderr: "" });
  return stdout;
}

/** What an empty context has: the globals of the language, without Intl. */
const ECMASCRIPT: ReadonlySet<string> = new Set([
  ...["Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean", "String", "Symbol", "Date", "Promise"],
  ...["RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "JSON", "Math", "ArrayBuffer"],
  ...["Atomics", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float16Array", "Float32Array", "Float64Array"],
  ...["Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "DataView", "Map", "BigInt", "Set", "Iterator", "WeakMap", "WeakSet", "WeakRef", "Proxy"],
  ...["Reflect", "FinalizationRegistry", "SharedArrayBuffer", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "eval", "isFinite", "isNaN"],
  ...["SuppressedError", "DisposableStack", "AsyncDisposableStack"],
]);
