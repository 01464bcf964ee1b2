import { closeSync, fstatSync, openSync, statSync, type Stats } from "node:fs";
import { describeUnread, UsageError } from "./errors.ts";

/** Throws a `UsageError` for a file that cannot be read from its start to its end: a folder, or a pipe, to which perhaps nobody ever writes. `option` is what names it. */
export function checkReadable(file: string, option?: string): void {
  const what = option === undefined ? file : `--${option} ${file}`;
  let found: Stats;
  try {
    found = statSync(file);
    // A pipe would be waited for, so only the rest is opened.
    if (!found.isFIFO()) found = opened(file);
  } catch (thrown) {
    throw new UsageError(`${what}: ${describeUnread(thrown)}`);
  }
  if (found.isDirectory()) throw new UsageError(`${what}: is a folder; name the file in it`);
  // What a shell puts in the place of <(…) has somebody who writes.
  if (found.isFIFO() && !file.startsWith("/dev/")) throw new UsageError(`${what}: is a pipe; name a file, or <(…) of a shell`);
}

function opened(file: string): Stats {
  const descriptor = openSync(file, "r");
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
