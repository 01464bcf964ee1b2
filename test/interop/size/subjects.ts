import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readyMade } from "../../../src/library/catalog.ts";
import { ROOT } from "../suite/processes.ts";

/** What a program might take, as a module that exports it again. */
export interface Subject {
  readonly name: string;
  readonly code: string;
  /** Of `src/library`: what may be in it, of the modules of ready-made interceptors. */
  readonly library?: string;
  /** Another package's: measured beside ours, without a budget. */
  readonly foreign?: true;
}

const ENTRY_POINTS = ["mcp-interceptors/chain", "mcp-interceptors", "mcp-interceptors/library", "mcp-interceptors/web", "mcp-interceptors/conformance"];
// By the names under which the library exports their factories.
const READY_MADE = Object.fromEntries([...readyMade.keys()].map((name) => [name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()), name]));

/** The modules of ready-made interceptors in `src/library`, by name. */
export const LIBRARY_MODULES: readonly string[] = Object.values(READY_MADE);

const all = (name: string): string => `export * from ${JSON.stringify(name)};`;
const some = (name: string, names: string): string => `export { ${names} } from ${JSON.stringify(name)};`;

/** All that is measured, once `test/interop` is installed: the official packages are named with their versions. */
export const readSubjects = (): readonly Subject[] => [
  ...ENTRY_POINTS.map((name) => ({ name: `all of \`${name}\``, code: all(name) })),
  { name: "`createChain`, `validator`, `mutator`, `allow`, `deny`", code: some("mcp-interceptors/chain", "createChain, validator, mutator, allow, deny") },
  { name: "`compileSchema` alone, which is in all that follows and in a chain", code: some("mcp-interceptors", "compileSchema") },
  { name: "a server and a client in memory", code: some("mcp-interceptors", "McpServer, McpClient, memoryPair") },
  { name: "the same, guarded by a local chain", code: some("mcp-interceptors", "McpServer, McpClient, memoryPair, guardServer, guardClient, localChain, validator, mutator") },
  ...Object.entries(READY_MADE).map(([name, library]) => ({ name: `\`${name}\` alone`, code: some("mcp-interceptors/library", name), library })),
  { name: `the official SDK ${versionOf("client")}: a server and a client in memory`, code: `${some("@modelcontextprotocol/client", "Client, InMemoryTransport")}${some("@modelcontextprotocol/server", "McpServer")}`, foreign: true },
  { name: `the official SDK ${versionOf("client")}: all of client and server`, code: `${all("@modelcontextprotocol/client")}${all("@modelcontextprotocol/server")}`, foreign: true },
];

function versionOf(name: string): string {
  const manifest = join(ROOT, "test", "interop", "node_modules", "@modelcontextprotocol", name, "package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
