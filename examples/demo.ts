// npm start: a gateway in front of the example server. A client of each era talks through it, the terminal shows what happened, and it stays up for yours.
//   npm start              until Ctrl-C
//   npm start -- --once    ends after the demo: exit code 0 when all came out, else 1
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startGateway } from "mcp-interceptors/gateway";
import { bold, dim, playSession } from "./demo/session.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const say = (text = "") => void process.stdout.write(`${text}\n`);
const stays = !process.argv.includes("--once");
// From the beginning, so that Ctrl-C is an orderly end at any time; a second one ends it at once. npm passes one on that the terminal has sent already.
const SAME_MS = 500;
const interrupted = new Promise<void>((resolve) => {
  let first: number | undefined;
  const onSignal = () => {
    first ??= performance.now();
    if (performance.now() - first > SAME_MS) process.exit(130);
    resolve();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
});

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
const auditFile = join(folder, "audit.jsonl");
try {
  const { gateway, built, close } = await startGateway({
    file: here("demo/gateway.jsonc"),
    env: { ...process.env, AUDIT_FILE: auditFile },
    log: ({ level, message }) => void (level === "debug" || process.stderr.write(`${message}\n`)),
  });
  try {
    const url = `${gateway.url}/address-book/mcp`;
    say(bold("mcp-interceptors: a client, the gateway, and an address book behind it"));
    say(dim("  mcp-interceptors gateway -c examples/demo/gateway.jsonc"));
    say(`\n${bold("Interceptors found")}`);
    for (const { chain } of built.chains.values()) for (const { address, name, type } of chain.entries) say(`  ${name} (${type}) as ${address}`);
    const plain = { command: process.execPath, args: [...process.execArgv, here("upstream.ts")] };
    const played = await Promise.race([playSession({ url, plain, auditFile, say }).then(() => true), interrupted.then(() => false)]);
    if (!played) process.exitCode = 130;
    if (played && stays) {
      say(`\n${bold("It is yours now")}  ${url}`);
      say(`  any client      { "mcpServers": { "address-book": { "type": "http", "url": "${url}" } } }`);
      say(`  Claude Code     claude mcp add --transport http address-book ${url}`);
      say(`  MCP Inspector   npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`);
      say(`  decisions       tail -f ${auditFile}`);
      say(dim("  Ctrl-C ends it; examples/demo/gateway.jsonc is read again when it changes."));
      await interrupted;
    }
  } finally {
    await close();
  }
} catch (thrown) {
  process.stderr.write(`the demo did not come out: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
