import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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

/**
 * Whether something of the group still runs. On Linux that leaves out the dead whom nobody has waited for yet: whoever has lost its parent is
 * waited for by process 1, which in many a container takes its time, or never does.
 */
export function groupLives(pid: number): boolean {
  if (!signalGroup(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  try {
    return readdirSync("/proc").some((name) => /^\d+$/.test(name) && runsInGroup(name, pid));
  } catch {
    // No /proc here: what the signal says has to do.
    return true;
  }
}

function runsInGroup(name: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    // "PID (NAME) STATE PARENT GROUP …", and a name may hold anything.
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
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
const observers = new Set<(pids: readonly number[]) => void>();

/** Tells which groups are tied to this process, now and at each change. Returns the undoing. */
export function observeGroups(observer: (pids: readonly number[]) => void): () => void {
  observers.add(observer);
  observer([...living]);
  return () => void observers.delete(observer);
}

function tellObservers(): void {
  for (const observer of observers) observer([...living]);
}

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
  tellObservers();
  return () => {
    if (!living.delete(pid)) return;
    tellObservers();
    if (living.size > 0) return;
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
