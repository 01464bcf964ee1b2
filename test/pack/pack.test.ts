import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brokenLinks } from "../docs/links.ts";
import { runCompiler, STRICTEST } from "../support/compile.ts";
import { installPacked, type Consumer } from "./consumer.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const publicNames = JSON.parse(readFileSync(join(root, "test", "structure", "exports.json"), "utf8")) as Record<string, { values: string[] }>;
const specifiers = Object.keys(publicNames).map((entryPoint) => entryPoint.replace(/^\./, "mcp-interceptors"));
const values = Object.fromEntries(Object.values(publicNames).map((names, index) => [specifiers[index], names.values]));

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll("\\", "/"))
    .sort();

describe("the packed package, installed in an empty project", () => {
  let consumer: Consumer;
  before(() => (consumer = installPacked()));

  /** Runs a script in the project; the JSON that it prints. */
  function evaluate(script: string, ...flags: readonly string[]): unknown {
    const { status, stdout, stderr } = consumer.run(process.execPath, ...flags, "--eval", script);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    return JSON.parse(stdout);
  }
  const importAll = `
    const names = {};
    for (const name of ${JSON.stringify(specifiers)}) names[name] = Object.keys(await import(name)).sort();
    console.log(JSON.stringify(names));`;

  test("is the build of every source, the schemas and vectors, the pages and the configurations that they speak of, and nothing else", () => {
    const files = filesBelow(consumer.installed);
    const built = filesBelow(join(root, "src"))
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [file.replace(/\.ts$/, ".js"), file.replace(/\.ts$/, ".d.ts")]);
    assert.deepEqual(files.filter((file) => file.startsWith("dist/")), built.map((file) => `dist/${file}`).sort());
    const schemas = readdirSync(join(root, "spec")).filter((file) => file.endsWith(".schema.json")).map((file) => `spec/${file}`);
    const vectors = ["requirements.json", ...filesBelow(join(root, "spec/vectors")).map((file) => `vectors/${file}`)].map((file) => `spec/${file}`);
    const texts = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"].filter((file) => existsSync(join(root, file)));
    const pages = ["src", "spec", "examples"].flatMap((folder) => filesBelow(join(root, folder)).filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file}`));
    const configurations = ["new-policy.ts", "one-server.jsonc", "refuse.ts", "shadow.jsonc", "team.jsonc"].map((file) => `examples/gateway/${file}`);
    assert.deepEqual(files.filter((file) => !file.startsWith("dist/")).sort(), [...schemas, ...vectors, ...texts, ...pages, ...configurations, "package.json"].sort());
  });

  test("has no link in a page that leads out of it, and leaves the pages of the checkout as they were", () => {
    const pages = new Map(filesBelow(consumer.installed).filter((file) => file.endsWith(".md")).map((file) => [file, readFileSync(join(consumer.installed, file), "utf8")]));
    assert.deepEqual(brokenLinks(pages, (path) => existsSync(join(consumer.installed, path))), []);
    assert.match(pages.get("README.md") ?? "", /\]\(examples\/guides\/wrap-a-server\.md\)[^]*\]\(src\/API\.md\)/);
    for (const page of pages.keys()) assert.equal(readFileSync(join(consumer.checkout, page), "utf8"), readFileSync(join(root, page), "utf8"), page);
  });

  test("names no folder of the machine that built it, and no source map", () => {
    const here = [root, consumer.checkout, homedir()].map((path) => path.replace(/[\\/]$/, "")).filter((path) => path.length > 1);
    const told = filesBelow(consumer.installed).filter((file) => {
      const text = readFileSync(join(consumer.installed, file), "utf8");
      // A folder at the top may be named by a policy about such folders.
      return here.some((path) => text.includes(`${path}/`) || (path.lastIndexOf("/") > 0 && text.includes(`"${path}"`))) || text.includes("sourceMappingURL");
    });
    assert.deepEqual(told, []);
  });

  test("brings no other package, and leaves the checkout as it was", () => {
    assert.deepEqual(readdirSync(join(consumer.project, "node_modules")).filter((name) => !name.startsWith(".")), ["mcp-interceptors"]);
    assert.equal(readFileSync(join(consumer.checkout, "package.json"), "utf8"), consumer.manifest);
  });

  test("differs from the checkout's manifest in the way to the sources alone", () => {
    const published = JSON.parse(readFileSync(join(consumer.installed, "package.json"), "utf8")) as { exports: unknown };
    const ours = JSON.parse(consumer.manifest) as { exports: Record<string, Record<string, string>> };
    for (const conditions of Object.values(ours.exports)) delete conditions["mcp-interceptors-source"];
    assert.deepEqual(published, ours);
  });

  test("gives each entry point to import, with its public names", () => {
    assert.deepEqual(evaluate(importAll, "--input-type=module"), values);
  });

  test("gives the same to a program that sets the condition of the sources", () => {
    assert.deepEqual(evaluate(importAll, "--input-type=module", "-C", "mcp-interceptors-source"), values);
  });

  test("gives each entry point to require, where Node can", { skip: !("require_module" in process.features) }, () => {
    const script = `
      const names = {};
      for (const name of ${JSON.stringify(specifiers)}) names[name] = Object.keys(require(name)).filter((key) => key !== "__esModule").sort();
      console.log(JSON.stringify(names));`;
    assert.deepEqual(evaluate(script, "--input-type=commonjs", "--no-warnings"), values);
  });

  test("lets nothing else be imported", () => {
    const closed = ["package.json", "dist/index.js", "dist/core/base/json.js", "core/base/json.js", "src/index.ts", "cli", "cli/main.js", "index", "node.js"];
    const script = `
      const codes = {};
      for (const name of ${JSON.stringify(closed)}) codes[name] = await import("mcp-interceptors/" + name).then(() => "imported", ({ code }) => code);
      console.log(JSON.stringify(codes));`;
    assert.deepEqual(evaluate(script, "--input-type=module"), Object.fromEntries(closed.map((name) => [name, "ERR_PACKAGE_PATH_NOT_EXPORTED"])));
  });

  test("runs interceptors in a worker", () => {
    const script = `
      import { createChain, workerInterceptor } from "mcp-interceptors/node";
      const worker = await workerInterceptor({ module: "policy.mjs" });
      const chain = createChain();
      chain.add(worker.interceptors);
      const statuses = [];
      for (const name of ["echo", "shell"]) statuses.push((await chain.execute({ event: "tools/call", phase: "request", payload: { name } })).status);
      await worker.close();
      console.log(JSON.stringify(statuses));`;
    assert.deepEqual(evaluate(script, "--input-type=module"), ["success", "validation_failed"]);
  });

  const typeRoots = [join(root, "node_modules", "@types")];
  const compilations: [string, string, object, string][] = [
    ["as modules on Node", "pure.ts", {}, "module"],
    ["for a bundler", "pure.ts", { module: "Preserve", moduleResolution: "Bundler" }, "module"],
    ["as CommonJS on Node", "pure.ts", { verbatimModuleSyntax: false }, "commonjs"],
    ["with Node's own types", "on-node.ts", { types: ["node"], typeRoots }, "module"],
    ["with Node's own types installed, which nobody but the declarations asks for", "on-node.ts", { typeRoots }, "module"],
    ["with the condition of the sources", "pure.ts", { customConditions: ["mcp-interceptors-source"] }, "module"],
  ];
  compilations.forEach(([name, file, options, type], index) => {
    test(`type-checks ${name}, under the strictest options`, () => {
      const folder = join(consumer.project, `types-${index}`);
      mkdirSync(folder);
      cpSync(join(consumer.project, file), join(folder, file));
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...STRICTEST, ...options, noEmit: true }, files: [file] }));
      assert.equal(runCompiler(folder), "");
    });
  });

  test("does what the README shows: its examples are plain modules that compile, and the first one guards its server", async () => {
    const examples = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!);
    // The others go on from one before them; the one about callers stands alone, but for the function that checks their tokens.
    const verify = "declare function verify(token: string | undefined): Promise<{ iss: string; sub: string } | undefined>;\n";
    const callers = examples.filter((code) => code.includes(" verify(")).map((code) => `import { listenHttp } from "mcp-interceptors/node";\n${verify}${code}`);
    assert.equal(callers.length, 1);
    const [first = "", ...more] = [...examples.filter((code) => code.startsWith("import ")), ...callers];
    assert.ok(more.length >= 3, `${more.length} more`);
    const folder = join(consumer.project, "readme");
    mkdirSync(folder);
    writeFileSync(join(folder, "first.ts"), first);
    for (const [index, code] of more.entries()) writeFileSync(join(folder, `more-${index}.ts`), code);
    // An example may end with what its reader goes on from.
    const options = { ...STRICTEST, noUnusedLocals: false, noEmit: true, types: ["node"], typeRoots };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
    assert.equal(runCompiler(folder, "-p", "."), "");

    writeFileSync(join(folder, "first.mjs"), first);
    const ask = `
      import { McpClient } from "mcp-interceptors";
      import { spawnTransport } from "mcp-interceptors/node";
      const client = new McpClient({ name: "reader", version: "1" });
      await client.connect(await spawnTransport({ command: process.execPath, args: ["readme/first.mjs"] }));
      const sunny = await client.callTool({ name: "get_weather", arguments: { location: "Oslo" } });
      const refused = await client.callTool({ name: "shell", arguments: {} }).catch(({ code, message, data }) => ({ code, message, data }));
      await client.close();
      console.log(JSON.stringify({ text: sunny.content[0].text, audited: sunny._meta["com.example/audited"], refused }));`;
    assert.deepEqual(evaluate(ask, "--input-type=module"), {
      text: "Sunny in Oslo",
      audited: true,
      refused: {
        code: -32602,
        message: "Interceptor validation failed",
        data: { validationErrors: [{ interceptor: "no-shell", severity: "error", message: "shell is not allowed here" }] },
      },
    });
  });

  test("vendors what was built into another project, where it compiles and runs", () => {
    const { status, stderr } = consumer.run("npx", "--no-install", "mcp-interceptors", "vendor", "vendored", "--entry", "chain");
    assert.deepEqual([status, stderr], [0, ""]);
    assert.ok(filesBelow(join(consumer.project, "vendored")).every((file) => /\.(?:js|d\.ts|md)$|^LICENSE$/.test(file)));
    writeFileSync(join(consumer.project, "use-vendored.ts"), 'import { createChain } from "./vendored/chain.js";\nexport const chain = createChain();\n');
    writeFileSync(join(consumer.project, "vendored.json"), JSON.stringify({ compilerOptions: { ...STRICTEST, noEmit: true }, files: ["use-vendored.ts"] }));
    assert.equal(runCompiler(consumer.project, "-p", "vendored.json"), "");
    const script = 'const { EVENTS } = await import("./vendored/chain.js"); console.log(JSON.stringify(EVENTS.length > 0));';
    assert.equal(evaluate(script, "--input-type=module"), true);
    const sources = consumer.run("npx", "--no-install", "mcp-interceptors", "vendor", "vendored-sources", "--endings", "ts");
    assert.deepEqual([sources.status, sources.stderr], [2, "mcp-interceptors: --endings ts needs the sources, which a checkout has and a package has not\n"]);
  });

  test("has a command line that says its version and how it is used", () => {
    const { version } = JSON.parse(consumer.manifest) as { version: string };
    const versionRun = consumer.run("npx", "--no-install", "mcp-interceptors", "version");
    assert.deepEqual([versionRun.status, versionRun.stdout.trim(), versionRun.stderr], [0, version, ""]);
    const help = consumer.run("npx", "--no-install", "mcp-interceptors", "help", "wrap");
    assert.equal(help.status, 0);
    assert.match(help.stdout, /mcp-interceptors wrap .*-- COMMAND/);
  });

  test("has a command line that guards a server which stands on it, too", () => {
    const bin = join(consumer.project, "node_modules", ".bin", process.platform === "win32" ? "mcp-interceptors.cmd" : "mcp-interceptors");
    const { status, stdout, stderr } = consumer.run(process.execPath, "client.mjs", bin);
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { tools: ["look_up"], content: [{ type: "text", text: "[REDACTED:email]" }], refused: -32602 });
  });
});
