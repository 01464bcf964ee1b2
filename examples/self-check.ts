// What the examples use to check themselves: a real client, and the example as its server in a process of its own.
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { McpClient } from "mcp-interceptors";
import { spawnTransport } from "mcp-interceptors/node";

/** Starts the example with the argument `serve`, connects a client, runs the checks, and ends the server. */
export async function selfCheck(example: string, env: Record<string, string>, checks: (client: McpClient) => Promise<void>): Promise<void> {
  const server = await spawnTransport({
    command: process.execPath,
    args: [...process.execArgv, fileURLToPath(example), "serve"],
    env: { ...process.env, ...env },
    stderr: "inherit",
  });
  const client = new McpClient({ name: "self-check", version: "1.0.0" });
  try {
    await client.connect(server);
    await checks(client);
  } finally {
    await client.close();
  }
}

/** Prints what holds; ends the example with exit code 1 where it does not. */
export function check(what: string, actual: unknown, expected: unknown): void {
  // An error is compared by what crossed the wire.
  const plain = actual instanceof Error ? { ...actual, message: actual.message, name: undefined } : actual;
  const shown = JSON.parse(JSON.stringify(plain ?? null)) as unknown;
  if (isDeepStrictEqual(shown, expected)) {
    console.log(`ok: ${what}`);
    return;
  }
  console.error(`not so: ${what}\n  expected ${JSON.stringify(expected)}\n  actual   ${JSON.stringify(shown)}`);
  process.exit(1);
}
