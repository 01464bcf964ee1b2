import { spawnSync } from "node:child_process";

const WINDOWS = process.platform === "win32";
// Between a signal to this process and the SIGKILL for what its children have left running.
const SIGNAL_GRACE_MS = 500;

/** Signals the whole group that `pid` leads, on Windows its tree. False where nothing is left to signal. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (WINDOWS) return signalTree(pid, signal);
  try {
    process.kill(-pid, signal);
    return true;
  } catch (thrown) {
    // What `kill` throws is a system error. EPERM: something is there, and it is no longer ours to signal.
    return (thrown as NodeJS.ErrnoException).code === "EPERM" && signal === 0;
  }
}

// Windows has no groups and no gentle signal: whoever did not end when its stdin did is ended by force.
function signalTree(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (signal !== 0) return spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }).status === 0;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const living = new Set<number>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Ties a group to the life of this process: it is killed when the process exits, and on a signal that would end it (an application with a
 * handler of its own for that signal decides itself, and its exit counts). Nothing can be done about SIGKILL of this process: its children then
 * see the end of their stdin, and an MCP server exits on that. Returns the release.
 */
export function tieToProcess(pid: number): () => void {
  if (living.size === 0) {
    process.on("exit", onExit);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  living.add(pid);
  return () => {
    if (!living.delete(pid) || living.size > 0) return;
    process.off("exit", onExit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

function onExit(): void {
  for (const pid of living) signalGroup(pid, "SIGKILL");
}

let ending = false;

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  const end = () => {
    onExit();
    // Without our listener the signal does what it does by default.
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  // The second signal is somebody's impatience.
  if (ending) return end();
  ending = true;
  for (const pid of living) signalGroup(pid, "SIGTERM");
  const started = Date.now();
  const poll = () => {
    if (Date.now() - started >= SIGNAL_GRACE_MS || ![...living].some((pid) => signalGroup(pid, 0))) end();
    else setTimeout(poll, 20);
  };
  poll();
}
