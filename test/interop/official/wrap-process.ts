// `wrap` as a plain child process, where a test has to see its exit, or to send it signals, which the official clients hide.
import { spawn } from "node:child_process";
import { MARK_VARIABLE } from "./process-tree.ts";
import { CLI } from "./paths.ts";
import type { WireMessage } from "./session.ts";

export interface WrapProcess {
  readonly pid: number;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly stderr: () => string;
  /** Sends a request, and waits for its answer; rejects where stdout ends first. */
  request(method: string, params?: Record<string, unknown>): Promise<WireMessage>;
  /** Sends a request whose answer nobody waits for. */
  start(method: string, params?: Record<string, unknown>): void;
  /** The handshake, and the tool list. */
  ready(): Promise<void>;
  endStdin(): void;
  kill(signal: NodeJS.Signals): void;
  /** Both pipes at once, as they go when the process at the other end is killed. */
  dropPipes(): void;
}

export function startWrap(mark: string, options: readonly string[], server: readonly string[]): WrapProcess {
  const child = spawn(process.execPath, [CLI, "wrap", "--quiet", ...options, "--", ...server], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, [MARK_VARIABLE]: mark },
  });
  const waiting = new Map<number, { resolve(message: WireMessage): void; reject(error: Error): void }>();
  let stderr = "";
  let partial = "";
  let ids = 0;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (partial + chunk).split("\n");
    partial = lines.pop() ?? "";
    for (const line of lines) {
      // What the messages are is for the tests to say.
      const message = JSON.parse(line) as WireMessage;
      if (message.method === undefined && typeof message.id === "number") waiting.get(message.id)?.resolve(message);
    }
  });
  child.stdout.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error(`stdout ended; stderr: ${stderr}`));
  });
  // It may be gone when we write.
  child.stdin.on("error", () => {});

  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params?: Record<string, unknown>) =>
    new Promise<WireMessage>((resolve, reject) => {
      const id = ++ids;
      waiting.set(id, { resolve, reject });
      write({ id, method, ...(params === undefined ? {} : { params }) });
    });
  return {
    // Set in the same turn wherever node itself starts.
    pid: child.pid!,
    exited: new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal }))),
    stderr: () => stderr,
    request,
    start: (method, params) => void request(method, params).catch(() => {}),
    async ready() {
      await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } });
      write({ method: "notifications/initialized" });
      await request("tools/list", {});
    },
    endStdin: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    dropPipes() {
      child.stdin.destroy();
      child.stdout.destroy();
    },
  };
}
