// Builds dist/ from a clean slate and marks the command line executable.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

rmSync(join(root, "dist"), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [compiler, "-b", "--force", "src"], { cwd: root, stdio: "inherit" });
} catch {
  process.exit(1);
}
chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
