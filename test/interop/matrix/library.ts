// This package as it is built, and as users have it: our server's program runs from there too, so that both ends in one process are one copy.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const built = (entry: string): string => pathToFileURL(join(import.meta.dirname, "..", "..", "..", "dist", entry)).href;

// The build's types are those of its sources.
export const library = (await import(built("index.js"))) as typeof import("../../../src/index.ts");
export const node = (await import(built("node.js"))) as typeof import("../../../src/node.ts");
