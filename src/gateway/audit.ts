import { describeError, LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { createRandomHex } from "../core/base/random-hex.ts";
import type { Decision } from "../core/guard/decision.ts";
import { lastLine, nextRotated, nodeFiles, rotatedFiles, standingFiles, type AuditFile, type AuditFiles } from "./audit-file.ts";
import { createHasher, FIRST, LINE_START, nextLine, readLine, type Hasher, type Link } from "./audit-line.ts";
import { auditRecord } from "./audit-record.ts";

/** Where and how decisions are written. Times are in milliseconds. */
export interface AuditOptions {
  /** One file for one writer: workers have one each. */
  readonly path: string;
  /** Chains lines by HMAC-SHA256 in place of SHA-256: then nobody without the key can write the log anew, and verifying needs it. */
  readonly key?: string;
  /** A file that has grown to this is renamed to `PATH.000001` and so on, and its chain goes on in a new one. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** Renamed files that are kept; older ones are removed. Default: all. */
  readonly keepFiles?: number;
  /**
   * When lines are forced to the disk. `each`: before `record` settles, those that came together at once; a number: so many milliseconds later, for all since;
   * `never`: when the system does it, which outlives the end of this process, not of the machine. Default 1,000.
   */
  readonly sync?: "each" | "never" | number;
  /** Records that wait to be written. Above: `record` rejects with `limit_exceeded`. Default 10,000. */
  readonly maxQueued?: number;
  readonly host?: Host;
  /** Told of what went wrong that no `record` tells. */
  log?(message: string): void;
  readonly files?: AuditFiles;
}

const OPTIONS: OptionTable<AuditOptions> = {
  path: "a string",
  key: "a string",
  maxFileBytes: "any",
  keepFiles: "any",
  sync: "any",
  maxQueued: "any",
  host: "an object",
  log: "a function",
  files: "an object",
};

/** Counts since the log was opened, but for `queued`, which is those of now. */
export interface AuditStats {
  readonly written: number;
  readonly failed: number;
  readonly queued: number;
  /** Why nothing can be written at present; it is tried again each second, until a line is in the file. */
  readonly failing?: string;
  /** Where the chain stands: an anchor, to be kept elsewhere. */
  readonly head: Link;
}

/** A file of decisions, each line chained to the one before by a hash. */
export interface AuditLog {
  /**
   * For `record` of guards and gateways. Settles once the line is in the file, in the order of the calls; rejects where it is not (a full disk, say), and
   * then nothing of it is: `onRecordFailure` says what becomes of the message. The next one tries again.
   */
  record(decision: Decision, upstream?: string): Promise<void>;
  /** For `canRecord` of guards and gateways: false while nothing can be written. */
  canRecord(): boolean;
  stats(): AuditStats;
  /** Writes what waits, forces it to the disk, and ends. */
  close(): Promise<void>;
}

interface Waiting {
  readonly record: Readonly<Record<string, unknown>>;
  readonly settle: () => void;
  readonly fail: (error: LocalError) => void;
  /** A line of the log's own, which is nobody's decision. */
  readonly own?: true;
}

const BATCH = 500;
// While nothing can be written: whoever sends traffic to those alone that are ready sends none here, and no record would show that there is room again.
const RETRY_MS = 1_000;
// A disk that does not answer either: longer than a guard waits for a record.
const STUCK_MS = 15_000;

/**
 * Opens an audit log: JSON lines, each with the hash of the one before. A file that is there is gone on with, from its last whole line; what a kill has
 * left of a line behind it is cut off, and the first new line says so. Rejects with `invalid_message` where the file is no audit log, or its last line does not
 * hold (another key, a line that was changed).
 */
export async function openAudit(options: AuditOptions): Promise<AuditLog> {
  checkOptions(options, "the options of openAudit", OPTIONS);
  const { path, key, maxFileBytes = 64 * 1024 * 1024, keepFiles = Infinity, sync = 1_000, maxQueued = 10_000, host = detectHost(), log, files = nodeFiles } = options;
  for (const [name, value] of Object.entries({ maxFileBytes, maxQueued, ...(keepFiles !== Infinity && { keepFiles }), ...(typeof sync === "number" && { sync }) })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new LocalError("invalid_argument", `${name} must be a positive integer`);
  }
  const hasher = createHasher(key);
  let file = await files.open(path);
  let link: Link;
  /** Bytes of whole lines. */
  let size: number;
  try {
    const { end, cut, ...before } = await standing(files, file, path, hasher);
    if (cut > 0) await file.truncate(end);
    await file.makePrivate();
    link = before.link ?? { writer: createRandomHex(host)(8), seq: 0, hash: FIRST };
    size = end;
    const opened = nextLine(hasher, link, { kind: "opened", at: new Date(host.wallTime()).toISOString(), cutBytes: cut === 0 ? undefined : cut });
    await file.append(Buffer.from(opened.text));
    link = opened.link;
    size += Buffer.byteLength(opened.text);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }

  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let closed = false;
  let written = 0;
  let failed = 0;
  // Something may be in the file behind `size` that is no whole line of ours.
  let torn = false;
  // The file has its new name, and the new one could not be opened yet.
  let renamed = false;
  let stopSync: (() => void) | undefined;
  let failing: string | undefined;
  let missed = 0;
  let stopRetry: (() => void) | undefined;
  let begunAt: number | undefined;

  const syncLater = () => {
    if (typeof sync !== "number") return;
    stopSync ??= host.setTimer(() => {
      stopSync = undefined;
      file.sync().catch((thrown: unknown) => log?.(`the audit log could not be forced to the disk: ${describeError(thrown)}`));
    }, sync, true);
  };
  const rotate = async () => {
    if (!renamed) {
      if (sync !== "never") await file.sync();
      await files.rename(path, nextRotated(path, await rotatedFiles(files, path)));
      renamed = true;
    }
    const next = await files.open(path);
    const old = file;
    file = next;
    size = 0;
    renamed = false;
    await old.close();
    if (keepFiles === Infinity) return;
    try {
      const rotated = await rotatedFiles(files, path);
      for (const gone of rotated.slice(0, Math.max(0, rotated.length - keepFiles))) await files.remove(gone);
    } catch (thrown) {
      log?.(`an old audit log could not be removed: ${describeError(thrown)}`);
    }
  };
  // What others have moved or removed is theirs; the chain goes on where the log should be.
  const begin = async () => {
    const next = await files.open(path);
    if ((await next.size()) > 0) {
      await next.close();
      throw new LocalError("conflict", `another file has been put at ${path}`);
    }
    const old = file;
    file = next;
    size = 0;
    torn = false;
    log?.(`the audit log at ${path} has been moved or removed while it was written; it goes on in a new file`);
    await old.close();
  };
  const append = async (batch: readonly Waiting[]) => {
    if (!renamed && !(await file.standsAt(path))) await begin();
    if (torn) {
      await file.truncate(size);
      torn = false;
    }
    if (size >= maxFileBytes) await rotate();
    if ((await file.size()) !== size) throw new LocalError("conflict", `${path} was changed by somebody else`);
    let text = "";
    let next = link;
    for (const { record } of batch) {
      const line = nextLine(hasher, next, record);
      text += line.text;
      next = line.link;
    }
    const bytes = Buffer.from(text);
    torn = true;
    await file.append(bytes);
    if (sync === "each") await file.sync();
    torn = false;
    link = next;
    size += bytes.length;
  };
  const enqueue = (waiting: Waiting) => {
    queue.push(waiting);
    writing ??= Promise.resolve().then(drain);
  };
  const retryLater = () => {
    stopRetry ??= host.setTimer(() => {
      stopRetry = undefined;
      // What waits tries by itself.
      if (writing !== undefined) return retryLater();
      enqueue({ record: { kind: "resumed", at: new Date(host.wallTime()).toISOString(), missed }, settle() {}, fail() {}, own: true });
    }, RETRY_MS, true);
  };
  const drain = async () => {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH);
      queue = queue.slice(BATCH);
      const decisions = batch.filter(({ own }) => own !== true).length;
      begunAt = host.now();
      try {
        await append(batch);
        written += decisions;
        failing = undefined;
        missed = 0;
        stopRetry?.();
        stopRetry = undefined;
        syncLater();
        for (const { settle } of batch) settle();
      } catch (cause) {
        failed += decisions;
        missed += decisions;
        failing = describeError(cause);
        if (!closed) retryLater();
        const error = new LocalError("closed", `the audit log could not be written: ${failing}`, { cause });
        for (const { fail } of batch) fail(error);
      }
    }
    begunAt = undefined;
    writing = undefined;
  };
  const problem = () => failing ?? (begunAt !== undefined && host.now() - begunAt > STUCK_MS ? `a write takes more than ${STUCK_MS} ms` : undefined);

  return {
    record(decision, upstream) {
      if (closed) return Promise.reject(new LocalError("closed", "the audit log is closed"));
      if (queue.length >= maxQueued) {
        failed++;
        return Promise.reject(new LocalError("limit_exceeded", `${maxQueued} records wait for the audit log`));
      }
      // Made now: later the decision may have been changed by whoever else was told of it.
      const record = auditRecord(decision, upstream);
      return new Promise((settle, fail) => enqueue({ record, settle, fail }));
    },
    canRecord: () => problem() === undefined,
    stats() {
      const why = problem();
      return { written, failed, queued: queue.length, ...(why === undefined ? {} : { failing: why }), head: link };
    },
    async close() {
      closed = true;
      stopRetry?.();
      await writing;
      stopSync?.();
      try {
        if (torn) await file.truncate(size);
        if (sync !== "never") await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

/** Rejects as `openAudit` would for the file that is at a path, or for the last one that was renamed. Opens no log, and changes nothing: somebody may be writing to it. */
export async function checkAudit({ path, key }: Pick<AuditOptions, "path" | "key">): Promise<void> {
  const hasher = createHasher(key);
  const file = await standingFiles.open(path).catch((thrown: unknown) => {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw thrown;
  });
  try {
    await standing(standingFiles, file, path, hasher);
  } finally {
    await file?.close();
  }
}

/** Where a log stands that may have been written before, and how much of a partial line is behind it. A new file goes on from the last one that was renamed. */
async function standing(files: Pick<AuditFiles, "open" | "beside">, file: AuditFile | undefined, path: string, hasher: Hasher): Promise<{ readonly link: Link | undefined; readonly end: number; readonly cut: number }> {
  const size = (await file?.size()) ?? 0;
  const { text, end } = file === undefined ? { text: undefined, end: 0 } : await lastLine(file);
  const cut = size - end;
  if (text !== undefined) return { link: linkOf(hasher, text, path), end, cut };
  const before = (await rotatedFiles(files, path)).at(-1);
  let link: Link | undefined;
  if (before !== undefined) {
    const older = await files.open(before);
    try {
      const last = await lastLine(older);
      if (last.text !== undefined) link = linkOf(hasher, last.text, before);
    } finally {
      await older.close();
    }
  }
  if (file !== undefined && cut > 0) {
    // A file of something else, which happens to have no line end, is not ours to empty.
    const start = Buffer.from(await file.read(0, Math.min(cut, LINE_START.length))).toString("latin1");
    if (!LINE_START.startsWith(start)) throw new LocalError("invalid_message", `${path} is no audit log`);
  }
  return { link, end: 0, cut };
}

function linkOf(hasher: Hasher, text: string, path: string): Link {
  const line = readLine(hasher, text);
  if (typeof line !== "string") return line.link;
  throw new LocalError("invalid_message", `the last line of ${path} cannot be gone on from: ${line}; verify it, and move it away to begin anew`);
}
