// A process that reports tests by the `spec` reporter, and what it reports.
import { spawn } from "node:child_process";

/** The reporter's totals, in its own order. */
export const TOTALS = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;
export type Totals = Record<(typeof TOTALS)[number], number>;

export interface Reported {
  readonly totals: Totals;
  /** What it wrote to stdout, line by line. */
  readonly lines: readonly string[];
  /** 0 where all is well; `null` where a signal ended it, or it did not start. */
  readonly code: number | null;
}

/** Runs Node with these words. `onText` sees what is written to stdout as it comes. */
export function runReported(words: readonly string[], timeout: number, onText: (text: string) => void = () => {}): Promise<Reported> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test-reporter=spec", ...words], { stdio: ["ignore", "pipe", "inherit"], timeout, killSignal: "SIGKILL" });
    const totals: Totals = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
    const lines: string[] = [];
    let partial = "";
    const add = (line: string) => {
      lines.push(line);
      const [, name, count] = /^(?:\u001b\[\d+m)*ℹ (\w+) (\d+)$/.exec(line.replace(/\u001b\[\d+m$/, "")) ?? [];
      if (name !== undefined && name in totals) totals[name as keyof Totals] = Number(count); // asked for just before
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      onText(chunk);
      const pieces = (partial + chunk).split("\n");
      partial = pieces.pop() ?? "";
      for (const line of pieces) add(line);
    });
    child.on("error", (error) => console.error(`${words.join(" ")} did not start: ${error.message}`));
    child.on("close", (code) => {
      if (partial !== "") add(partial);
      resolve({ totals, lines, code });
    });
  });
}
