// npm runs this around `npm pack` and `npm publish`:  manifest.ts trim | restore
// The published manifest has no condition that leads to the sources: they are not in the package, and Node strips no types below node_modules.
// Nor have its pages links to what only a checkout has. While the package is made, the manifest and the pages of the checkout wait in .tsbuild/unpacked.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shippedFiles, withoutLinksOutside } from "./shipped-pages.ts";

const SOURCE_CONDITION = "mcp-interceptors-source";
const root = fileURLToPath(new URL("../..", import.meta.url));
const kept = join(root, ".tsbuild", "unpacked");

/** Writes what the package has in place of a file, and keeps the file. After a pack that broke off it is changed already, and the copy is the one to keep. */
function replace(path: string, change: (text: string) => string): void {
  const text = readFileSync(join(root, path), "utf8");
  const changed = change(text);
  if (changed === text) return;
  mkdirSync(dirname(join(kept, path)), { recursive: true });
  writeFileSync(join(kept, path), text);
  writeFileSync(join(root, path), changed);
}

function withoutSources(manifest: string): string {
  const { exports, ...rest } = JSON.parse(manifest) as { exports: Record<string, Record<string, string>> };
  const published = Object.fromEntries(Object.entries(exports).map(([entryPoint, { [SOURCE_CONDITION]: _source, ...conditions }]) => [entryPoint, conditions]));
  return `${JSON.stringify({ ...rest, exports: published }, undefined, 2)}\n`;
}

switch (process.argv[2]) {
  case "trim": {
    const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
    const shipped = shippedFiles(root, files);
    for (const page of shipped) if (page.endsWith(".md")) replace(page, (text) => withoutLinksOutside(text, page, shipped));
    replace("package.json", withoutSources);
    break;
  }
  case "restore":
    if (existsSync(kept)) {
      cpSync(kept, root, { recursive: true });
      rmSync(kept, { recursive: true });
    }
    break;
  default:
    console.error("manifest.ts trim | restore");
    process.exitCode = 2;
}
