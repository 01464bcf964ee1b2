import { fstatSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { describeError } from "../core/base/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import { UsageError } from "./errors.ts";

/** Decisions as JSON lines. `record` settles when the line has been handed to the operating system. */
export interface DecisionLog {
  record(decision: Decision): Promise<void>;
  close(): Promise<void>;
}

// By another name: /dev/stdout, or the file that the shell has sent stdout to. A device such as /dev/null takes anything.
async function isStdout(file: FileHandle): Promise<boolean> {
  try {
    const [own, stdout] = [await file.stat(), fstatSync(1)];
    return !own.isCharacterDevice() && own.dev === stdout.dev && own.ino === stdout.ino;
  } catch {
    // There is no stdout.
    return false;
  }
}

/** Opens a file for appending; one that does not exist is made readable by its owner alone. */
export async function openDecisionLog(path: string): Promise<DecisionLog> {
  let file: FileHandle;
  try {
    file = await open(path, "a", 0o600);
  } catch (cause) {
    throw new UsageError(`--log ${path} cannot be opened: ${describeError(cause)}`, "name a file in a folder that you may write to");
  }
  if (await isStdout(file)) {
    await file.close();
    throw new UsageError(`--log ${path} is this program's stdout, which carries messages and nothing else`, "name a file, or /dev/stderr");
  }
  // One write at a time, so that lines never mix and their order is that of the decisions.
  let last: Promise<unknown> = Promise.resolve();
  return {
    record(decision) {
      const written = last.then(() => file.appendFile(`${JSON.stringify(decision)}\n`));
      last = written.catch(() => {});
      return written;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}
