import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { describeError, LocalError } from "../core/base/errors.ts";
import { resolveLimits } from "../core/base/limits.ts";
import { checkOptions, pickOptions, type OptionTable } from "../core/base/options.ts";
import { LINE_OPTIONS, lineTransport, type LineTransportOptions } from "../core/transport/line-transport.ts";
import type { Transport } from "../core/transport/transport.ts";
import { createByteRing } from "./byte-ring.ts";
import { nodeHost } from "./host.ts";
import { groupLives, signalGroup, tieToProcess } from "./process-group.ts";
import { forwardToStderr } from "./stderr-forward.ts";
import { splitLines } from "./stderr-lines.ts";
import { byteSink, byteSource } from "./streams.ts";
import { findWindowsProgram, windowsCommandLine } from "./windows-command.ts";

/** How a child process is started, spoken with and ended. */
export interface SpawnOptions extends Omit<LineTransportOptions, "invalid"> {
  /** Looked up in PATH. No shell takes part, so nothing in `args` has a second meaning. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /**
   * The child's whole environment. Default: all of ours, as `wrap` is started by a host that chose it for this very server. Who
   * starts servers that should not see the parent's secrets passes what they may see.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where its standard error goes; `inherit` (the default) is our own. It is read in any case, so that the child never blocks on it. */
  readonly stderr?: "inherit" | "ignore" | ((chunk: Uint8Array) => void);
  /** Takes it line by line, in the place of `stderr`. What is beyond 16,384 characters of a line is dropped. */
  readonly onStderrLine?: (line: string) => void;
  /** How long the child has after the end of its stdin, before SIGTERM. Default 2000 ms. */
  readonly killGraceMs?: number;
  /**
   * How long its group has after SIGTERM, ours or one that `kill` passed on, once `close` is called; then comes SIGKILL. Default 1500 ms, but no
   * more than `killGraceMs`: the official clients kill what they started 2 s after their SIGTERM, and who is killed leaves its own children.
   */
  readonly termGraceMs?: number;
}

const OPTIONS: OptionTable<SpawnOptions> = {
  ...LINE_OPTIONS,
  command: "a string",
  args: "a list",
  cwd: "a string",
  env: "an object",
  stderr: "any",
  onStderrLine: "a function",
  killGraceMs: "a number",
  termGraceMs: "a number",
};

/** How a child process ended: one of the two is `null`. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The client's side of MCP's stdio transport, with the server process behind it. */
export interface ChildTransport extends Transport {
  readonly pid: number;
  /** How the process itself ended. What it has started may live on until `close` settles. */
  readonly exited: Promise<ChildExit>;
  /** Passes a signal on to it and to all of its group; how it then ends is its own affair, and no news. */
  kill(signal: NodeJS.Signals): void;
  /** The last `maxStderrBytes` of its standard error. */
  stderrTail(): string;
}

// How long the pipes of an ended process may take to run dry, or be held open by something that left its group.
const PIPE_GRACE_MS = 500;
const LAST_LINE_CHARS = 300;

/**
 * Starts an MCP server in a process group of its own. Rejects with `spawn_failed` where it does not start. `close` ends its stdin, then
 * sends SIGTERM and SIGKILL to the whole group, each after a grace (one that has SIGTERM already gets SIGKILL next), and settles when nothing of it is left. A child that exits or closes its
 * stdout is closed down likewise. Where it ended by itself with a code or a signal, `receive` rejects with `closed`, whose details carry
 * `code`, `signal` and `stderr`.
 */
export async function spawnTransport(options: SpawnOptions): Promise<ChildTransport> {
  checkOptions(options, "the options of a child process", OPTIONS);
  const { killGraceMs = 2000, termGraceMs = Math.min(1500, killGraceMs), stderr = "inherit", onStderrLine, host = nodeHost() } = options;
  const limits = resolveLimits(options.limits);
  const child = await start(options);
  // `start` settles after the "spawn" event, and asks for three pipes.
  const pid = child.pid as number;
  const stdin = child.stdin!;
  const stdout = child.stdout!;
  const errors = child.stderr!;

  const release = tieToProcess(pid);
  const tail = createByteRing(limits.maxStderrBytes);
  const lines = onStderrLine === undefined ? undefined : splitLines((line) => callQuietly(() => onStderrLine(line)));
  const forward = stderr === "inherit" && lines === undefined ? forwardToStderr() : undefined;
  errors.on("data", (chunk: Uint8Array) => {
    tail.push(chunk);
    forward?.write(chunk);
    if (lines !== undefined) lines.push(chunk);
    else if (typeof stderr === "function") callQuietly(() => stderr(chunk));
  });
  errors.on("error", () => {});
  errors.on("close", () => lines?.end());
  child.on("error", () => {});

  let exit: ChildExit | undefined;
  const exited = new Promise<ChildExit>((resolve) => {
    const onExit = (code: number | null, signal: NodeJS.Signals | null) => resolve((exit = { code, signal }));
    if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
    else child.once("exit", onExit);
  });
  const pipesClosed = new Promise<void>((resolve) => child.once("close", () => resolve()));

  const within = (settled: Promise<unknown>, ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = host.setTimer(resolve, ms);
      const done = () => {
        cancel();
        resolve();
      };
      settled.then(done, done);
    });
  const pause = (ms: number) => within(new Promise(() => {}), ms);

  // When the group got its first SIGTERM, and what waits for that.
  let terminatedAt: number | undefined;
  let noteTerminated: () => void = () => {};
  const terminated = new Promise<void>((resolve) => (noteTerminated = resolve));
  const terminate = () => {
    terminatedAt ??= host.now();
    noteTerminated();
    signalGroup(pid, "SIGTERM");
  };

  /** Whether the whole group is gone, after at most `ms`; what is said by then, or when `cut` settles. */
  const gone = async (ms: number, cut?: Promise<void>): Promise<boolean> => {
    const deadline = host.now() + ms;
    let over = false;
    void cut?.then(() => (over = true));
    await within(cut === undefined ? exited : Promise.race([exited, cut]), ms);
    if (exit === undefined) return false;
    for (let wait = 4; groupLives(pid); wait = Math.min(wait * 2, 64)) {
      if (over || host.now() >= deadline) return false;
      await pause(wait);
    }
    return true;
  };

  let closed = false;
  // A signal of ours makes its exit no news.
  let signalled = false;
  let shutdown: Promise<void> | undefined;
  const shutDown = () => (shutdown ??= endGroup());
  const endGroup = async () => {
    stdin.end();
    if (!(await gone(killGraceMs, terminated))) {
      signalled ||= exit === undefined;
      if (terminatedAt === undefined) terminate();
      if (!(await gone(Math.max(0, (terminatedAt ?? 0) + termGraceMs - host.now())))) {
        signalGroup(pid, "SIGKILL");
        await gone(PIPE_GRACE_MS);
      }
    }
    release();
    source.limitWaits((expired) => host.setTimer(expired, PIPE_GRACE_MS));
    await within(pipesClosed, PIPE_GRACE_MS);
    forward?.release();
    errors.destroy();
    stdin.destroy();
  };

  const source = byteSource(stdout);
  const write = byteSink(stdin, () => void shutDown());
  void exited.then(shutDown);

  const transport = lineTransport(
    {
      async read() {
        const chunk = await source.read();
        if (chunk !== undefined || closed) return chunk;
        void shutDown();
        await exited;
        if (signalled || exit === undefined || exit.code === 0) return undefined;
        await within(pipesClosed, PIPE_GRACE_MS);
        throw died(options.command, exit, tail.text());
      },
      write,
      async close() {
        closed = true;
        source.release();
        // What it still says on its way out is nobody's, but it must not block on saying it.
        stdout.resume();
        await shutDown();
        stdout.destroy();
      },
    },
    { ...pickOptions(options, LINE_OPTIONS), host, invalid: "drop" },
  );
  const kill = (signal: NodeJS.Signals) => {
    signalled ||= exit === undefined;
    if (signal === "SIGTERM") terminate();
    else signalGroup(pid, signal);
  };
  return { ...transport, pid, exited, kill, stderrTail: () => tail.text() };
}

async function start(options: SpawnOptions): Promise<ChildProcess> {
  const { command, args = [], cwd, env = process.env } = options;
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  const common = { stdio, env: { ...env }, windowsHide: true, ...(cwd !== undefined ? { cwd } : {}) };
  try {
    let child: ChildProcess;
    if (process.platform !== "win32") child = spawn(command, args, { ...common, detached: true });
    else {
      const program = findWindowsProgram(command, env, existsSync);
      child =
        program.kind === "executable"
          ? spawn(program.file, args, common)
          : spawn(env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", windowsCommandLine(program.file, args)], {
              ...common,
              windowsVerbatimArguments: true,
            });
    }
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    return child;
  } catch (thrown) {
    if (thrown instanceof LocalError) throw thrown;
    throw new LocalError("spawn_failed", `cannot start "${command}": ${advice(thrown, command, cwd)}`, { cause: thrown, details: { command } });
  }
}

function advice(thrown: unknown, command: string, cwd: string | undefined): string {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  // The system says ENOENT for a missing folder as well.
  if (code === "ENOENT" && cwd !== undefined && !existsSync(cwd)) return `the working directory ${cwd} does not exist`;
  if (code === "ENOENT" && /\s/.test(command)) return "no such command; arguments go into `args`, not into `command`";
  if (code === "ENOENT") return "no such command; check the spelling, install it, or give its full path (PATH is searched)";
  if (code === "EACCES") return "it is not executable; check its permissions";
  return describeError(thrown);
}

function died(command: string, { code, signal }: ChildExit, stderr: string): LocalError {
  const how = signal !== null ? `was ended by ${signal}` : `exited with code ${code}`;
  const last = stderr.trimEnd().split("\n").at(-1)?.trim().slice(0, LAST_LINE_CHARS) ?? "";
  const message = `the server process "${command}" ${how}${last === "" ? "" : `; its last line on stderr: ${last}`}`;
  return new LocalError("closed", message, { details: { code, signal, stderr } });
}

function callQuietly(callback: () => void): void {
  try {
    callback();
  } catch {
    // A log's fault is no reason to lose the server.
  }
}
