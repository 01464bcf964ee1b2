import { statSync } from "node:fs";
import type { Host } from "../../core/base/host.ts";

/** A look, now and then, at whether files are what they were. */
export interface FileWatch {
  /** Looks at these from now on: at those that it knows as it has seen them last, so that no change in between is lost. */
  watch(files: readonly string[]): void;
  close(): void;
}

export interface FileWatchOptions {
  readonly host: Host;
  /** Called once what has changed stays the same from one look to the next: a file that is being written is not read in the middle. */
  changed(): void;
  /** Between two looks. Default 1,000 ms. */
  readonly pollMs?: number;
  /** What a file is like; two that are equal are the same file, unchanged. */
  readonly look?: (file: string) => string;
}

/**
 * Watches files by looking at them. The system's own notices are lost where an editor puts another file in place, where a folder is mounted, and where a
 * link is turned, which is how files of configuration are changed.
 */
export function watchFiles({ host, changed, pollMs = 1_000, look = signature }: FileWatchOptions): FileWatch {
  let seen: ReadonlyMap<string, string> = new Map();
  let settling = false;
  let cancel = () => {};

  const poll = () => {
    const now = new Map([...seen.keys()].map((file) => [file, look(file)]));
    const same = [...now].every(([file, found]) => seen.get(file) === found);
    seen = now;
    const due = settling && same;
    settling = !same;
    cancel = host.setTimer(poll, pollMs);
    if (due) changed();
  };
  cancel = host.setTimer(poll, pollMs);

  return {
    watch(files) {
      seen = new Map(files.map((file) => [file, seen.get(file) ?? look(file)]));
    },
    close: () => cancel(),
  };
}

function signature(file: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino, dev } = statSync(file);
    return [mtimeMs, ctimeMs, size, ino, dev].join(":");
  } catch {
    return "";
  }
}
