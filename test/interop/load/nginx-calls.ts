// Calls through nginx to two replicas, of which one is killed and restarted meanwhile.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "../../../src/core/base/json.ts";
import { httpTransport, LocalError, McpClient, RpcError } from "../../../src/index.ts";
import { createHttpSend } from "../../../src/node.ts";
import { freePort, startNginx, startReplica } from "./nginx.ts";

export const CALLS = 10_000;
const AT_ONCE = 32;
const KILL_EVERY = 1_200;
const BACK_AFTER = 400;
/** `look` alone may be sent again by whoever does not know whether it ran. */
const TOOLS = ["look", "add", "look", "add", "look", "work"] as const;
const MAX_TRIES = 20;

export interface NginxOutcome {
  readonly kills: number;
  /** Numbers of calls. */
  readonly answered: ReadonlySet<number>;
  /** Calls whose last error said `unknown`, with that error. */
  readonly unknown: ReadonlyMap<number, string>;
  readonly sentAgain: { readonly idempotent: number; readonly undelivered: number };
  /** How often each call has run, over both replicas. */
  readonly runs: ReadonlyMap<number, number>;
  /** Runs on each replica. */
  readonly served: readonly number[];
}

export function isIdempotent(call: number): boolean {
  return TOOLS[call % TOOLS.length] === "look";
}

/** What an error says of whether the call may have run. */
function deliveryOf(thrown: unknown): unknown {
  if (thrown instanceof RpcError && isObject(thrown.data)) return thrown.data["delivery"];
  return thrown instanceof LocalError ? thrown.details?.["delivery"] : undefined;
}

// With what nginx's own documentation says for streams and keep-alive; who gets a request that was not sent yet, and for how long a replica counts as down, is
// its default or shorter.
function inFront(port: number, upstreams: readonly number[]): string {
  return `
  upstream replicas {
${upstreams.map((upstream) => `    server 127.0.0.1:${upstream} max_fails=1 fail_timeout=1s;`).join("\n")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location /mcp {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
    }
  }`;
}

/**
 * Makes all calls, a few at once. One that was certainly not delivered, and an idempotent one in any case, is sent again until it is answered. Throws
 * where an error says nothing of delivery.
 */
export async function callThroughNginx(command: string): Promise<NginxOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-nginx-"));
  const files = [join(folder, "a.log"), join(folder, "b.log")] as const;
  const ports = [await freePort(), await freePort()] as const;
  const steady = await startReplica(ports[0], files[0]);
  let shaky = await startReplica(ports[1], files[1]);
  const proxy = await startNginx(command, folder, (port) => inFront(port, ports));
  const send = createHttpSend();
  const client = new McpClient({ name: "load", version: "1.0.0" }, { versions: ["2026-07-28"] });
  const answered = new Set<number>();
  const unknown = new Map<number, string>();
  const sentAgain = { idempotent: 0, undelivered: 0 };
  let kills = 0;
  let done = 0;
  let restarting: Promise<void> | undefined;
  let restartAt = Infinity;

  const call = async (number: number): Promise<void> => {
    const name = TOOLS[number % TOOLS.length]!;
    const nonce = String(number);
    for (let attempt = 1; ; attempt++) {
      try {
        const { content } = await client.callTool({ name, arguments: { nonce } }, name === "work" ? { onProgress: () => {} } : {});
        assert.deepEqual(content, [{ type: "text", text: nonce }]);
        answered.add(number);
        return;
      } catch (thrown) {
        const delivery = deliveryOf(thrown);
        assert.ok(delivery === "none" || delivery === "unknown", `the error of a call says nothing of its delivery: ${String(thrown)}`);
        assert.ok(attempt < MAX_TRIES, `no answer in ${attempt} tries: ${String(thrown)}`);
        if (delivery === "none") sentAgain.undelivered++;
        else if (isIdempotent(number)) sentAgain.idempotent++;
        else {
          unknown.set(number, String(thrown));
          return;
        }
      }
    }
  };
  const killAndRestart = () => {
    done++;
    if (restarting === undefined && done % KILL_EVERY === 0 && done < CALLS - BACK_AFTER) {
      kills++;
      restartAt = done + BACK_AFTER;
      restarting = shaky.kill();
    } else if (restarting !== undefined && done >= restartAt) {
      restartAt = Infinity;
      restarting = restarting.then(async () => {
        shaky = await startReplica(ports[1], files[1]);
        restarting = undefined;
      });
    }
  };
  let next = 0;
  const lane = async () => {
    while (next < CALLS) {
      await call(next++);
      killAndRestart();
    }
  };

  try {
    await client.connect(httpTransport({ url: `${proxy.origin}/mcp`, send }));
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await restarting;
    const runs = new Map<number, number>();
    const served = files.map((file) => {
      const lines = readFileSync(file, "utf8").split("\n").filter((line) => line !== "");
      for (const line of lines) {
        const [name = "", nonce = ""] = line.split(" ");
        assert.equal(TOOLS[Number(nonce) % TOOLS.length], name, "a call has reached another tool");
        runs.set(Number(nonce), (runs.get(Number(nonce)) ?? 0) + 1);
      }
      return lines.length;
    });
    return { kills, answered, unknown, sentAgain, runs, served };
  } finally {
    await client.close();
    send.close();
    await proxy.stop();
    await Promise.all([steady.kill(), shaky.kill()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
