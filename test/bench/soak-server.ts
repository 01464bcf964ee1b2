// An upstream of the soak: `soak-server.ts handshake` or `stateless`, a child on stdio, or `http`, one of the handshake revisions on a port, which is its
// first line. What its tools say begins with a word that the gateway takes out.
import { serve } from "../../src/core/http/serve.ts";
import { elicit } from "../../src/core/mcp/features/server-ask.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { HANDSHAKE_VERSIONS, STATELESS_VERSIONS } from "../../src/core/wire/versions.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { stdioTransport } from "../../src/node/stdio.ts";

const kind = process.argv[2];
const server = new McpServer({ name: "soak", version: "1" }, { versions: kind === "stateless" ? STATELESS_VERSIONS : HANDSHAKE_VERSIONS });
const inputSchema = { type: "object" } as const;
let waiting = 0;

server.tool({ name: "echo", inputSchema }, ({ nonce, stamp, padding = "" }) => `unguarded ${String(nonce)} stamped ${String(stamp)}${String(padding)}`);
server.tool({ name: "steps", inputSchema }, async ({ nonce, stamp }, context) => {
  for (const step of [1, 2, 3]) await context.reportProgress(step, 3, `unguarded ${String(nonce)}`);
  return `unguarded ${String(nonce)} stamped ${String(stamp)}`;
});
server.tool({ name: "ask", inputSchema }, async ({ nonce, stamp }, context) => {
  const requestedSchema = { type: "object", properties: { word: { type: "string" } } } as const;
  const { content } = await context.ask(elicit({ message: `unguarded ${String(nonce)}`, requestedSchema }));
  return `unguarded ${String(content?.["word"])} stamped ${String(stamp)}`;
});
// Never answers: it is there to be cancelled, and ends then.
server.tool({ name: "wait", inputSchema }, async ({ nonce }, context) => {
  waiting++;
  const cancelled = new Promise<void>((resolve) => context.coreSignal.onAbort(() => resolve()));
  await context.reportProgress(1, undefined, `unguarded ${String(nonce)}`);
  await cancelled;
  waiting--;
  return "unguarded";
});
server.tool({ name: "waiting", inputSchema }, () => String(waiting));

if (kind === "http") {
  const listener = await listenHttp();
  void serve(server, listener);
  process.stdout.write(`${listener.url}\n`);
  process.stdin.resume().on("end", () => process.exit(0));
} else {
  await server.connect(stdioTransport()).closed;
  process.exit(0);
}
