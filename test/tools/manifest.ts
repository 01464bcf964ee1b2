// npm runs this around `npm pack` and `npm publish`:  manifest.ts trim | restore
// The published manifest has no condition that leads to the sources: they are not in the package, and Node strips no types below node_modules.
// While the package is made, the manifest of the checkout waits in .tsbuild/package.json.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE_CONDITION = "mcp-interceptors-source";
const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = join(root, "package.json");
const kept = join(root, ".tsbuild", "package.json");

switch (process.argv[2]) {
  case "trim": {
    const text = readFileSync(manifest, "utf8");
    const { exports, ...rest } = JSON.parse(text) as { exports: Record<string, Record<string, string>> };
    const trimmed = Object.entries(exports).map(([entryPoint, { [SOURCE_CONDITION]: source, ...conditions }]) => [entryPoint, conditions, source] as const);
    // After a pack that broke off it is trimmed already, and the copy is the one to keep.
    if (trimmed.every(([, , source]) => source === undefined)) break;
    mkdirSync(join(root, ".tsbuild"), { recursive: true });
    copyFileSync(manifest, kept);
    const published = { ...rest, exports: Object.fromEntries(trimmed.map(([entryPoint, conditions]) => [entryPoint, conditions])) };
    writeFileSync(manifest, `${JSON.stringify(published, undefined, 2)}\n`);
    break;
  }
  case "restore":
    if (existsSync(kept)) {
      copyFileSync(kept, manifest);
      rmSync(kept);
    }
    break;
  default:
    console.error("manifest.ts trim | restore");
    process.exitCode = 2;
}
