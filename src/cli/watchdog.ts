import { Worker } from "node:worker_threads";
import { observeGroups } from "../node/process-group.ts";

// How long the main thread has, once the parent is gone, to end everything in its own way: twice what that takes at most.
const GRACE_MS = 15_000;

// In a thread of its own, as text: there is no file to find, in whatever form the program was installed.
const THREAD = `
const { parentPort, workerData: { parent, pollMs, graceMs } } = require("node:worker_threads");
let groups = [];
parentPort.on("message", (now) => (groups = now));
const kill = (pid) => {
  try { process.kill(pid, "SIGKILL"); } catch {}
};
const poll = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(poll);
  setTimeout(() => {
    for (const pid of groups) kill(-pid);
    kill(process.pid);
  }, graceMs);
}, pollMs);
`;

/**
 * Kills this process and all that it has started, some time after `parent`, which started it, is gone: a handler in an endless loop keeps the main
 * thread from seeing that, or anything. Keeps no process alive. Returns the undoing. Windows does not tell who is an orphan: nothing is done there.
 */
export function startWatchdog(parent: number, { pollMs = 1000, graceMs = GRACE_MS }: { pollMs?: number; graceMs?: number } = {}): () => void {
  if (process.platform === "win32") return () => {};
  const worker = new Worker(THREAD, { eval: true, execArgv: [], env: {}, workerData: { parent, pollMs, graceMs } });
  worker.unref();
  // Without it nothing is worse than before.
  worker.on("error", () => {});
  const forget = observeGroups((pids) => worker.postMessage(pids));
  return () => {
    forget();
    void worker.terminate();
  };
}
