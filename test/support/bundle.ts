// A program in one file, in a folder of its own, as an installed one would be: no tsx in reach, and it starts four times as fast.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const made = new Map<string, string>();

/** Bundles a source, and gives the file. Made once a process, removed at its end. */
export function bundle(entry: string): string {
  const file = made.get(entry) ?? build(entry);
  made.set(entry, file);
  return file;
}

interface Compiler {
  build(options: object): Promise<unknown>;
  buildSync(options: object): unknown;
}

/** tsx brings its compiler along. */
function compiler(): Compiler {
  const require = createRequire(createRequire(import.meta.url).resolve("tsx/package.json"));
  return require("esbuild") as Compiler;
}

function build(entry: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-interceptors-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // As deep as the module that reads the schema of configurations, which lies beside as in a package.
  const outdir = join(folder, "dist", "gateway", "config");
  // The command line's own modules are a folder higher.
  mkdirSync(join(folder, "dist"));
  for (const beside of ["spec", "dist/spec", "dist/src", "dist/LICENSE", "dist/package.json"]) symlinkSync(fileURLToPath(new URL(`../../${basename(beside)}`, import.meta.url)), join(folder, beside));
  compiler().buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", conditions: ["mcp-interceptors-source"], minifyWhitespace: true, outdir, outExtension: { ".js": ".mjs" }, splitting: true, entryNames: "main", logLevel: "error" });
  return join(outdir, "main.mjs");
}

interface Loading {
  onLoad(which: { filter: RegExp }, load: (file: { path: string }) => { contents: string; loader: "ts" }): void;
}

/** Where a module is, for one that is bundled with others: on its first line, so that the lines stay what they were. */
const placed = {
  name: "placed",
  setup({ onLoad }: Loading) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta")) return { contents: text, loader: "ts" };
      const place = `const moduleUrl = ${JSON.stringify(pathToFileURL(path).href)}, moduleFolder = ${JSON.stringify(dirname(path))};`;
      return { contents: text.startsWith("#!") ? text.replace("\n", `\n${place}`) : `${place} ${text}`, loader: "ts" };
    });
  },
};

/** Many test files in one module that runs them in their order. */
export async function bundleTests(files: readonly string[], outfile: string): Promise<void> {
  await compiler().build({
    stdin: { contents: files.map((file) => `import ${JSON.stringify(file)};`).join("\n"), resolveDir: dirname(outfile) },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["mcp-interceptors-source"],
    external: ["typescript", "tsx", "tsx/*", "esbuild"],
    define: { "import.meta.url": "moduleUrl", "import.meta.dirname": "moduleFolder" },
    plugins: [placed],
    // Tests that are declared once others run may pass for parts of these, as Node 20 tells by what it is that is awaited.
    supported: { "top-level-await": false },
    // The manifest says that modules of the package do nothing by being loaded, which does not hold for tests.
    ignoreAnnotations: true,
    sourcemap: true,
    sourcesContent: false,
    outfile,
    logLevel: "error",
  });
}
