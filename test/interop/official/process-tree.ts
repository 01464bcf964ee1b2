// Finds the processes of a tree by a mark in their environment, which every child inherits, whatever its group, session or parent.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export const MARK_VARIABLE = "INTEROP_MARK";

/** Only Linux tells the environment of a process. Elsewhere nothing is looked for, and the tests of the exit paths are skipped. */
export const CAN_LOOK: boolean = existsSync("/proc/self/environ");

let marks = 0;

/** A mark that no process carries yet. */
export function newMark(): string {
  return `interop-${process.pid}-${++marks}`;
}

export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/** The living processes whose environment has the mark. A zombie has none any more. */
export function processesWith(mark: string): MarkedProcess[] {
  const found: MarkedProcess[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`${MARK_VARIABLE}=${mark}`)) continue;
      found.push({ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ").trim() });
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  return found;
}

/** Asks again, in real time and bounded, until `condition` gives something. */
export async function eventually<T>(what: string, limitMs: number, condition: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) assert.fail(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Fails where a process with the mark is left after `limitMs`, and ends what is left so that one failure stays one. */
export async function assertNoneLeft(mark: string, limitMs: number): Promise<void> {
  if (!CAN_LOOK) return;
  const started = Date.now();
  try {
    await eventually("no process left", limitMs, () => processesWith(mark).length === 0);
  } catch {
    const left = processesWith(mark);
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    assert.fail(`left after ${Date.now() - started} ms: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`);
  }
}
