import { VERSION } from "../core/base/version.ts";
import { serveAdapter } from "../conformance/adapter-server.ts";
import { ownTarget } from "../conformance/own-target.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { parseOptions } from "./options.ts";

const HELP = `Usage: mcp-interceptors fixture-adapter

Answers chain, descriptor and dialect vectors on stdio, out of this package's
own engine: what conformance --adapter is to be pointed at, done right.
`;

/** Answers until the kit goes. */
export async function serveOwnAdapter(words: readonly string[]): Promise<Exit> {
  const { values, positionals } = parseOptions(words, [{ name: "help", help: "this text" }]);
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  if (positionals.length > 0) throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`);
  protectStdout();
  await serveAdapter(stdioTransport(), ownTarget(), { name: "mcp-interceptors", version: VERSION, clock: "scripted" });
  return { code: 0 };
}
