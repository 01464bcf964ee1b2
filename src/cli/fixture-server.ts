import { describeError, LocalError } from "../core/base/errors.ts";
import { serve } from "../core/http/serve.ts";
import type { McpServer } from "../core/mcp/server.ts";
import { fixtureServer } from "../conformance/fixture-server.ts";
import { nodeHost } from "../node/host.ts";
import { listenHttp, type HttpListener } from "../node/http-listener.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import type { ParsedOptions } from "./options.ts";
import { readFixtures } from "./spec-files.ts";
import { defineVerb } from "./verb.ts";

// Not SIGHUP: a server that was started under nohup lives on.
const STOPPING = ["SIGINT", "SIGTERM"] as const;

/** `fixture-server`: serves until the client goes; over HTTP, until a signal comes. */
export const fixtureServerVerb = defineVerb({
  name: "fixture-server",
  words: "none",
  usage: "[--http PORT]",
  about: `An MCP server that hosts the interceptors of the conformance vectors: what
conformance --command and conformance --url are to be pointed at, done right.
Without options it serves one client on stdio, and ends with it.

With --http, the one line on stdout is the URL of the server, once it listens.
SIGINT and SIGTERM end it.`,
  options: [{ name: "http", value: "PORT", help: "serves Streamable HTTP on this machine alone, in all revisions, until a signal ends it; 0 takes any free port" }],
  examples: ["mcp-interceptors conformance --command 'mcp-interceptors fixture-server'", "mcp-interceptors fixture-server --http 4000"],
  exit: "Exit code: 0 after an orderly end, 1 where the port is taken, 2 for a\nwrong word.",
  action: serveFixtures,
});

async function serveFixtures({ values, positionals }: ParsedOptions): Promise<Exit> {
  const [unexpected] = positionals;
  if (unexpected !== undefined) throw new UsageError(`unexpected ${JSON.stringify(unexpected)}`, "mcp-interceptors help fixture-server");
  const port = portOption(values.get("http")?.[0]);
  const server = fixtureServer(readFixtures(), nodeHost());
  if (port !== undefined) return await serveHttp(server, port);
  protectStdout();
  await server.connect(stdioTransport()).closed;
  return { code: 0 };
}

async function serveHttp(server: McpServer, port: number): Promise<Exit> {
  let listener: HttpListener;
  try {
    listener = await listenHttp({ port });
  } catch (thrown) {
    throw new LocalError("refused", `--http ${port}: ${describeError(thrown)}`, { cause: thrown });
  }
  // Once: a second signal ends the process here and now, whatever still hangs.
  const stop = () => {
    for (const signal of STOPPING) process.off(signal, stop);
    void listener.close();
  };
  for (const signal of STOPPING) process.on(signal, stop);
  process.stderr.write(`mcp-interceptors: serving the fixtures on ${listener.url}\n`);
  process.stdout.write(`${listener.url}\n`);
  await serve(server, listener);
  // What serves no new connection still ends the old ones.
  await listener.close();
  return { code: 0 };
}

function portOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`--http must be a port from 0 to 65535, not ${JSON.stringify(text)}`);
  return Number(text);
}
