// Writes src/core/wire/gen/ from spec/*.schema.json. Run it as `npm run generate`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateModules, type Source } from "./emit-module.ts";

const SPEC = fileURLToPath(new URL(".", import.meta.url));
export const GENERATED = fileURLToPath(new URL("../src/core/wire/gen/", import.meta.url));

// Not of the wire: what vectors look like, the gateway's configuration, and tests of one.
const NO_WIRE: ReadonlySet<string> = new Set(["vector.schema.json", "gateway.schema.json", "policy-tests.schema.json"]);

/** The wire's schemas, by name. */
export function readSources(): Source[] {
  const files = readdirSync(SPEC).filter((file) => file.endsWith(".schema.json") && !NO_WIRE.has(file)).sort();
  return files.map((file) => ({ file, text: readFileSync(join(SPEC, file), "utf8") }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = generateModules(readSources());
  mkdirSync(GENERATED, { recursive: true });
  for (const file of readdirSync(GENERATED)) if (!modules.has(file)) rmSync(join(GENERATED, file));
  for (const [file, text] of modules) writeFileSync(join(GENERATED, file), text);
}
