import { constants, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { describeError } from "../core/base/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import { UsageError } from "./errors.ts";
import { isStdout } from "./stdout-file.ts";

/** Decisions as JSON lines. `record` settles when the line has been handed to the operating system. */
export interface DecisionLog {
  record(decision: Decision): Promise<void>;
  close(): Promise<void>;
}

// A pipe without a reader would hold up its opening, and one with a slow reader every message. O_NONBLOCK is for one that comes in between.
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file for appending, and nothing else; one that does not exist is made readable by its owner alone. */
export async function openDecisionLog(path: string): Promise<DecisionLog> {
  let file: FileHandle;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) throw notRegular(path);
    file = await open(path, APPEND, 0o600);
    if (!(await file.stat()).isFile()) {
      await file.close();
      throw notRegular(path);
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`--log ${path} cannot be opened: ${describeError(cause)}`, "name a file in a folder that you may write to");
  }
  if (isStdout(await file.stat())) {
    await file.close();
    throw new UsageError(`--log ${path} is this program's stdout, which carries messages and nothing else`, "name another file");
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

function notRegular(path: string): UsageError {
  return new UsageError(`--log ${path} is no regular file`, "name a file; one that does not exist is made");
}
