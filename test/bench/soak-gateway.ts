// The gateway of the soak: the command line in a process of its own, on a configuration that is written anew with each reload.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { bundle } from "../support/bundle.ts";
import type { Held } from "./soak-probe.ts";

export interface SoakGateway {
  readonly url: string;
  /** Its stdio face, which is of the upstream `shared`. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** A policy of this number is in force at the latest when this settles. A `broken` one never is, and what was goes on. */
  reload(generation: number, broken: boolean): Promise<void>;
  measure(): Promise<Held>;
  /** A number of `/metrics`, summed over its labels. */
  metric(name: string): Promise<number>;
  /** Ends it by SIGTERM: gives the exit code, and how many lines the audit log, all files of it, has. */
  end(): Promise<{ readonly code: unknown; readonly auditLines: number }>;
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Gives the origin of an upstream over HTTP, in a process of its own. */
async function startUpstream(program: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [program, "http"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, url: line };
}

/** `maxChildren`: those that the upstream `sessions` may have at a time. */
export async function startSoakGateway(maxChildren: number): Promise<SoakGateway> {
  const [server = "", policy = "", probe = ""] = ["soak-server.ts", "soak-policy.ts", "soak-probe.ts"].map((name) => bundle(here(name)));
  assert.ok(server !== undefined && policy !== undefined && probe !== undefined);
  const upstream = await startUpstream(server);
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  const file = join(folder, "gateway.json");
  const child = (kind: string, more: object) => ({ command: process.execPath, args: [server, kind], ...more });
  const write = (generation: number, broken: boolean) => {
    const config = {
      upstreams: {
        shared: child("handshake", { sharing: "shared" }),
        sessions: child("handshake", { sharing: "session", maxConnections: maxChildren }),
        stateless: child("stateless", {}),
        web: { url: upstream.url, sharing: "session" },
      },
      interceptors: [{ module: policy, name: "policy", config: { generation }, ...(broken ? { overrides: { nobody: { mode: "audit" } } } : {}) }],
      http: { port: 0 },
      stdio: "shared",
      audit: { file: "audit.jsonl", maxFileBytes: 32 * 2 ** 20 },
      metrics: { port: 0 },
    };
    writeFileSync(file, JSON.stringify(config));
  };
  write(0, false);

  const gateway = spawn(process.execPath, ["--expose-gc", ...process.execArgv, "--import", probe, here("../../src/cli/main.ts"), "gateway", "-c", file, "--no-watch"], { stdio: ["pipe", "pipe", "pipe", "ipc"] });
  const { stdin, stdout, stderr } = gateway;
  assert.ok(stdin && stdout && stderr, "all three are pipes");
  const ended = once(gateway, "exit");
  let heard = (_line: string) => {};
  let last = "";
  createInterface({ input: stderr }).on("line", (line) => {
    last = `${last}${line}\n`.slice(-2_000);
    heard(line);
  });
  const orGone = <T>(wanted: Promise<T>): Promise<T> => Promise.race([wanted, ended.then(() => assert.fail(`the gateway has ended:\n${last}`))]);
  /** The next line on stderr that has it. */
  const said = (words: RegExp) => orGone(new Promise<string>((resolve) => (heard = (line) => (words.test(line) ? resolve(line) : undefined))));
  const started = await said(/serving/);
  const [, url = ""] = /(http:\S+)\/shared\/mcp/.exec(started) ?? [];
  const [, ops = ""] = /(http:\S+\/metrics)/.exec(started) ?? [];

  return {
    url,
    stdin,
    stdout,
    async reload(generation, broken) {
      write(generation, broken);
      const outcome = said(broken ? /goes on as it was/ : /reloaded/);
      gateway.kill("SIGHUP");
      await outcome;
    },
    async measure() {
      const answer = orGone(once(gateway, "message"));
      gateway.send({});
      return (await answer)[0] as Held; // the probe's own words
    },
    async metric(name) {
      const text = await (await fetch(ops)).text();
      const values = text.split("\n").filter((line) => line.startsWith(`mcp_interceptors_${name}{`) || line.startsWith(`mcp_interceptors_${name} `));
      assert.ok(values.length > 0, `there is no ${name}`);
      return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
    },
    async end() {
      gateway.kill("SIGTERM");
      const [code] = (await ended) as [unknown];
      const stopped = once(upstream.child, "exit");
      upstream.child.stdin?.end();
      await stopped;
      const log = readdirSync(folder).filter((name) => name.startsWith("audit.jsonl")).sort().map((name) => join(folder, name));
      // The one that is written to has no number, and is the last.
      const report = await verifyAudit([...log.slice(1), ...log.slice(0, 1)]);
      assert.equal(report.problem, undefined);
      rmSync(folder, { recursive: true });
      return { code, auditLines: report.lines };
    },
  };
}
