import { constants } from "node:fs";
import { lstat, open, readdir, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LocalError } from "../core/base/errors.ts";
import { MAX_LINE_BYTES } from "./audit-line.ts";

/** What the log does to files: a seam, so that tests have disks that are full. */
export interface AuditFiles {
  /** For reading and appending; made for its owner alone where it does not exist. Refuses what is no regular file. */
  open(path: string): Promise<AuditFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Names in the folder of `path`. */
  beside(path: string): Promise<readonly string[]>;
}

export interface AuditFile {
  size(): Promise<number>;
  read(start: number, length: number): Promise<Uint8Array>;
  /** Appends all of it, or rejects with some of it written. */
  append(bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Whether this is what stands at the path: it may have been moved or removed. */
  standsAt(path: string): Promise<boolean>;
  sync(): Promise<void>;
  /** For its owner alone from now on, once it is known to be ours: one that was there before may be open to others. */
  makePrivate(): Promise<void>;
  close(): Promise<void>;
}

// Like those of other logs: O_NONBLOCK, so that a pipe in the file's place holds nobody up; O_NOFOLLOW, so that a link leads nowhere else.
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

const beside = (path: string) => readdir(dirname(path));

export const nodeFiles: AuditFiles = { open: (path) => openRegular(path, FLAGS), rename, remove: unlink, beside };

/** The same for whoever only looks: what is not there stays so. That it may be written to is part of what is looked at. */
export const standingFiles: Pick<AuditFiles, "open" | "beside"> = { open: (path) => openRegular(path, FLAGS & ~constants.O_CREAT), beside };

async function openRegular(path: string, flags: number): Promise<AuditFile> {
  const file = await open(path, flags, 0o600).catch(async (thrown: unknown) => {
    const there = await lstat(path).catch(() => undefined);
    throw there?.isSymbolicLink() === true ? new LocalError("invalid_argument", `${path} is a symbolic link, and links are not followed; name the file that lines are written to`, { cause: thrown }) : thrown;
  });
  try {
    if (!(await file.stat()).isFile()) throw new LocalError("invalid_argument", `${path} is no regular file`);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return auditFile(file);
}

function auditFile(file: FileHandle): AuditFile {
  return {
    size: async () => (await file.stat()).size,
    async read(start, length) {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await file.read(bytes, 0, length, start);
      return bytes.subarray(0, bytesRead);
    },
    append: (bytes) => file.appendFile(bytes),
    truncate: (size) => file.truncate(size),
    async standsAt(path) {
      const [own, there] = await Promise.all([file.stat(), lstat(path).catch(() => undefined)]);
      return there !== undefined && there.ino === own.ino && there.dev === own.dev;
    },
    sync: () => file.datasync(),
    async makePrivate() {
      // Where modes mean anything.
      if (process.platform !== "win32" && ((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600);
    },
    close: () => file.close(),
  };
}

/** The last whole line of a file, without its end, and where the whole lines end; a text of `undefined` stands for none. */
export async function lastLine(file: AuditFile): Promise<{ readonly text: string | undefined; readonly end: number }> {
  const size = await file.size();
  // A partial line at the end, and the whole one before it.
  const start = Math.max(0, size - 2 * MAX_LINE_BYTES);
  const bytes = await file.read(start, size - start);
  const newline = bytes.lastIndexOf(0x0a);
  if (newline < 0) {
    if (start > 0) throw new LocalError("invalid_message", "the end of the file is no audit log");
    return { text: undefined, end: 0 };
  }
  const before = bytes.lastIndexOf(0x0a, newline - 1);
  return { text: Buffer.from(bytes.subarray(newline === 0 ? 0 : before + 1, newline)).toString("utf8"), end: start + newline + 1 };
}

/** `audit.jsonl` → `audit.jsonl.000007`, the files that it was before, oldest first. */
export async function rotatedFiles(files: Pick<AuditFiles, "beside">, path: string): Promise<readonly string[]> {
  const name = basename(path);
  const names = (await files.beside(path)).filter((other) => other.startsWith(`${name}.`) && /^\d{6}$/.test(other.slice(name.length + 1)));
  return names.sort().map((other) => join(dirname(path), other));
}

/** What comes after the last of `rotated`. */
export function nextRotated(path: string, rotated: readonly string[]): string {
  const last = Number(rotated.at(-1)?.slice(-6) ?? 0);
  if (last >= 999_999) throw new LocalError("limit_exceeded", `${path} has been rotated 999999 times; move the old files away`);
  return `${path}.${String(last + 1).padStart(6, "0")}`;
}
