import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../interop", import.meta.url));

/** Installs the dependencies of test/interop where they are missing or differ from the lockfile. Ends the process where that fails. */
export function installInterop(): void {
  const lock = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
  const stamp = join(root, "node_modules", ".installed-lockfile-sha256");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) {
    console.error("npm ci failed in test/interop");
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
