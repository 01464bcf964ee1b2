// Collects every *.test.ts under test/ (interop apart) and runs them in this one process: a process for each file costs fifty times more.
// With arguments, only files whose path contains one of them. A file without a test fails the run.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const root = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const wanted = process.argv.slice(2);

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules") && !file.startsWith("interop"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(" ") || "*.test.ts"}`);
  process.exit(1);
}
for (const file of files) {
  if (!/\b(?:test|it)\(/.test(readFileSync(join(root, file), "utf8"))) {
    console.error(`${relative(process.cwd(), join(root, file))} holds no test`);
    process.exit(1);
  }
}
for (const file of files) await import(pathToFileURL(join(root, file)).href);
