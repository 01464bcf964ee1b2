// Gateways on examples/deploy/gateway.jsonc, by the built command line, and what they are in front of.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer, serve } from "../../../src/index.ts";
import { listenHttp } from "../../../src/node.ts";
import { freePort } from "../load/nginx.ts";
import { withLimit } from "../matrix/bounded.ts";
import { CLI, EVERYTHING } from "../official/paths.ts";

export const DEPLOY: string = join(import.meta.dirname, "..", "..", "..", "examples", "deploy");

const START_MS = 30_000;

/** The service of notes, of revision 2026-07-28. */
export async function startNotes(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = new McpServer({ name: "notes", version: "1.0.0" }, { versions: ["2026-07-28"] });
  server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));
  const listener = await listenHttp({ versions: ["2026-07-28"] });
  const serving = serve(server, listener);
  return {
    url: listener.url,
    async close() {
      await listener.close();
      await serving;
    },
  };
}

export interface GatewayReplica {
  readonly name: string;
  readonly port: number;
  metrics(): Promise<string>;
  /** Settles once the process is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Settles once it is ready. `env` is what the file takes from outside, besides its ports and its name. */
export async function startGatewayReplica(name: string, folder: string, env: Readonly<Record<string, string>>): Promise<GatewayReplica> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "mcp-server-everything"), `#!/bin/sh\nexec "${process.execPath}" "${EVERYTHING}" "$@"\n`);
  chmodSync(join(bin, "mcp-server-everything"), 0o755);
  const child = spawn(process.execPath, [CLI, "gateway", "-c", join(DEPLOY, "gateway.jsonc")], {
    env: { PATH: `${bin}:${process.env["PATH"]}`, LISTEN: "127.0.0.1", PORT: String(port), METRICS_PORT: String(opsPort), REPLICA: name, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const gone = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${opsPort}${path}`)).text();
  const ready = async () => {
    while ((await page("/readyz").catch(() => "")) !== "ready\n") {
      if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await withLimit(START_MS, `the start of ${name}`, ready());
  return {
    name,
    port,
    metrics: () => page("/metrics"),
    end(signal) {
      child.kill(signal);
      return gone;
    },
  };
}
