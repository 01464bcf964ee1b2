import { utf8DecodeExact } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { createHasher, FIRST, MAX_LINE_BYTES, readLine, type Hasher, type Link } from "./audit-line.ts";
import { linesOf } from "./file-lines.ts";

/** A line of an audit log that does not hold. */
export interface AuditProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

/** The lines of one writer: a process, from its start to its end. */
export interface WriterSpan {
  readonly writer: string;
  readonly firstSeq: number;
  /** Its last line. */
  readonly head: Link;
}

/** What verifying audit logs has shown. */
export interface AuditReport {
  readonly lines: number;
  readonly writers: readonly WriterSpan[];
  /** The first line that breaks a chain; absent where all hold. */
  readonly problem?: AuditProblem;
  /** Bytes behind the last whole line, by file: what a kill leaves, and what the next start cuts off. */
  readonly partial: readonly { readonly file: string; readonly bytes: number }[];
  /** Anchors whose line was not there, or says something else. */
  readonly missing: readonly Link[];
}

/** What audit logs are held against; `key` where they are chained by one. */
export interface VerifyOptions {
  readonly key?: string;
  /**
   * Lines that are known to have been there, from `audit head`, kept elsewhere. A file proves by itself that nothing within it was changed; that its end was not
   * cut off, only an anchor proves.
   */
  readonly anchors?: readonly Link[];
}

const OPTIONS: OptionTable<VerifyOptions> = { key: "a string", anchors: "a list" };

/**
 * Verifies audit logs, renamed ones included, oldest first. Stops at the first broken line. A chain may begin in the middle, as old files may be gone; then
 * `firstSeq` says so.
 */
export async function verifyAudit(paths: readonly string[], options: VerifyOptions = {}): Promise<AuditReport> {
  checkOptions(options, "the options of verifyAudit", OPTIONS);
  const { key, anchors = [] } = options;
  const hasher = createHasher(key);
  const writers = new Map<string, WriterSpan>();
  const partial: { file: string; bytes: number }[] = [];
  const unseen = new Set(anchors);
  let lines = 0;
  const report = (problem?: AuditProblem): AuditReport => ({ lines, writers: [...writers.values()], partial, missing: [...unseen], ...(problem !== undefined && { problem }) });
  for (const file of paths) {
    let line = 0;
    for await (const { bytes, whole } of linesOf(file, MAX_LINE_BYTES)) {
      if (!whole) {
        partial.push({ file, bytes: bytes.length });
        continue;
      }
      line++;
      const read = checkLine(hasher, bytes, writers);
      if (typeof read === "string") return report({ file, line, why: read });
      lines++;
      const before = writers.get(read.writer);
      writers.set(read.writer, { writer: read.writer, firstSeq: before?.firstSeq ?? read.seq, head: read });
      for (const anchor of unseen) {
        if (anchor.writer === read.writer && anchor.seq === read.seq && anchor.hash === read.hash) unseen.delete(anchor);
      }
    }
  }
  return report();
}

function checkLine(hasher: Hasher, bytes: Uint8Array, writers: ReadonlyMap<string, WriterSpan>): Link | string {
  const text = utf8DecodeExact(bytes);
  if (text === undefined) return "it is no UTF-8";
  const read = readLine(hasher, text);
  if (typeof read === "string") return read;
  const { link, prev } = read;
  const before = writers.get(link.writer)?.head;
  if (before === undefined) return link.seq === 1 && prev !== FIRST ? "it says that it is the first, and names one before it" : link;
  if (link.seq !== before.seq + 1) return `it is number ${link.seq} of its writer, after number ${before.seq}`;
  return prev === before.hash ? link : "it does not go on from the line before it";
}

/** Where a log stands: its last whole line, whose own hash holds. For keeping elsewhere, as an anchor. `invalid_message` where there is none. */
export async function auditHead(path: string, key?: string): Promise<Link> {
  let last: Uint8Array | undefined;
  for await (const { bytes, whole } of linesOf(path, MAX_LINE_BYTES)) if (whole) last = bytes;
  if (last === undefined) throw new LocalError("invalid_message", `${path} has no whole line`);
  const read = readLine(createHasher(key), utf8DecodeExact(last) ?? "");
  if (typeof read === "string") throw new LocalError("invalid_message", `the last line of ${path} does not hold: ${read}`);
  return read.link;
}

/** An anchor as text: `WRITER:SEQ:HASH`. */
export function formatAnchor({ writer, seq, hash }: Link): string {
  return `${writer}:${seq}:${hash}`;
}

/** An anchor as `formatAnchor` writes it; `undefined` for anything else. */
export function parseAnchor(text: string): Link | undefined {
  const [, writer, seq, hash] = /^([^:]+):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return writer === undefined || seq === undefined || hash === undefined ? undefined : { writer, seq: Number(seq), hash };
}
