import { fixtureServer } from "../conformance/fixture-server.ts";
import { nodeHost } from "../node/host.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { parseOptions } from "./options.ts";
import { readFixtures } from "./spec-files.ts";

const HELP = `Usage: mcp-interceptors fixture-server

An MCP server on stdio that hosts the interceptors of the conformance
vectors: what conformance --command is to be pointed at, done right.
`;

/** Serves until the client goes. */
export async function serveFixtures(words: readonly string[]): Promise<Exit> {
  const { values, positionals } = parseOptions(words, [{ name: "help", help: "this text" }]);
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  if (positionals.length > 0) throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`);
  protectStdout();
  await fixtureServer(readFixtures(), nodeHost()).connect(stdioTransport()).closed;
  return { code: 0 };
}
