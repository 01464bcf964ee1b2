// Where the programs under test are. All of them run by plain `node`, as they do for a user.
import { existsSync } from "node:fs";
import { join } from "node:path";

const interop = join(import.meta.dirname, "..");

/** The built command line; `run.ts` builds it. */
export const CLI: string = join(interop, "..", "..", "dist", "cli", "main.js");
export const EVERYTHING: string = join(interop, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js");
export const FILESYSTEM: string = join(interop, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js");

export function fixture(name: string): string {
  return join(import.meta.dirname, "fixtures", name);
}

for (const file of [CLI, EVERYTHING, FILESYSTEM]) {
  if (!existsSync(file)) throw new Error(`${file} is missing; npm run test:interop installs and builds it`);
}
