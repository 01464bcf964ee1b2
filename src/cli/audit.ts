import { readFileSync, statSync } from "node:fs";
import { describeError, LocalError } from "../core/base/errors.ts";
import { didYouMean } from "../core/base/nearest.ts";
import { auditStats } from "../gateway/audit-stats.ts";
import { auditHead, formatAnchor, parseAnchor, verifyAudit, type AuditReport } from "../gateway/audit-verify.ts";
import { describeStats } from "./audit-stats-text.ts";
import { printable } from "./describe.ts";
import { describeUnread, UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { type ParsedOptions, timeOption } from "./options.ts";
import { checkReadable } from "./readable.ts";
import { printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

const ACTIONS = { verify, head, stats };
const NAMES = Object.keys(ACTIONS);

/** The verb `audit`. */
export const audit = defineVerb({
  name: "audit",
  words: NAMES,
  usage: "verify|head|stats [OPTIONS] FILE…",
  about: `verify  names the first line that was changed, moved, put in or taken out, and
        ends with code 1 then. Give the renamed files of a log as well, oldest
        first: audit.jsonl.000001 audit.jsonl.000002 audit.jsonl
head    prints where a log stands. Kept elsewhere, it is the anchor which proves
        that the end was not cut off later: a log cannot prove that by itself.
stats   counts decisions by upstream, method, tool, verdict and interceptor
        (ITEM/NAME), with failures and times. Verifies nothing.`,
  options: [
    { name: "key-file", value: "FILE", help: "the key that the log was written with; white space at its ends does not count" },
    { name: "anchor", value: "WRITER:SEQ:HASH", many: true, help: "verify: a line that must be there, as audit head has printed it" },
    { name: "since", value: "TIME", help: "stats: decisions from this time on, such as 2026-07-28 or 2026-07-28T12:00Z" },
    { name: "until", value: "TIME", help: "stats: decisions before this time" },
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors audit verify --key-file key audit.jsonl", "mcp-interceptors audit stats --since 2026-07-28 audit.jsonl"],
  exit: "Exit code: 0 where all is well, 1 where a log does not hold, 2 for a wrong word\nor a file that cannot be read.",
  async action(parsed) {
    const [word, ...files] = parsed.positionals;
    const name = NAMES.find((one): one is keyof typeof ACTIONS => one === word);
    if (name === undefined) {
      throw new UsageError("audit needs to know what to do: verify, head or stats", didYouMean(word ?? "", NAMES, "mcp-interceptors help audit"));
    }
    if (files.length === 0 || (name === "head" && files.length > 1)) {
      throw new UsageError(`audit ${name} needs ${name === "head" ? "one file" : `the files to ${name === "stats" ? "count" : name}`}`, `mcp-interceptors audit ${name} audit.jsonl`);
    }
    for (const file of files) checkReadable(file);
    // Nothing was written, or all of it is gone: no log holds, and an anchor says what is missing.
    if (files.every(isEmpty) && !parsed.values.has("anchor")) throw new UsageError(`${files.join(", ")}: there is nothing in it, and the first line of an audit log is written when its gateway starts`);
    try {
      return await ACTIONS[name](files, parsed);
    } catch (thrown) {
      if (thrown instanceof LocalError || thrown instanceof UsageError) throw thrown;
      throw new UsageError(describeError(thrown), "name files that you may read");
    }
  },
});

function isEmpty(file: string): boolean {
  const found = statSync(file);
  return found.isFile() && found.size === 0;
}

async function verify(files: readonly string[], { values }: ParsedOptions): Promise<Exit> {
  const anchors = (values.get("anchor") ?? []).map((text) => {
    const anchor = parseAnchor(text);
    if (anchor === undefined) throw new UsageError(`--anchor ${printable(text)} is no anchor`, "an anchor is what `audit head` prints: WRITER:SEQ:HASH");
    return anchor;
  });
  const key = keyFrom(values.get("key-file")?.[0]);
  const report = await verifyAudit(files, { ...(key !== undefined && { key }), anchors });
  const holds = report.problem === undefined && report.missing.length === 0;
  if (values.has("json")) printJson({ holds, ...report });
  else process.stdout.write(describeReport(report, anchors.length, key !== undefined));
  return { code: holds ? 0 : 1 };
}

async function head([file = ""]: readonly string[], { values }: ParsedOptions): Promise<Exit> {
  const link = await auditHead(file, keyFrom(values.get("key-file")?.[0]));
  const anchor = formatAnchor(link);
  if (values.has("json")) printJson({ ...link, anchor });
  else process.stdout.write(`${anchor}\n`);
  return { code: 0 };
}

async function stats(files: readonly string[], { values }: ParsedOptions): Promise<Exit> {
  const [since, until] = [timeOption(values, "since"), timeOption(values, "until")];
  const counted = await auditStats(files, { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) });
  if (values.has("json")) printJson(counted);
  else process.stdout.write(describeStats(counted));
  return { code: 0 };
}

function keyFrom(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const key = readFileSync(path, "utf8").trim();
    if (key !== "") return key;
  } catch (thrown) {
    throw new UsageError(`--key-file ${path}: ${describeUnread(thrown)}`);
  }
  throw new UsageError(`--key-file ${path} is empty`);
}

function describeReport({ lines, writers, problem, partial, missing }: AuditReport, anchors: number, keyed: boolean): string {
  const said: string[] = [];
  if (problem !== undefined) {
    said.push(`BROKEN: ${printable(problem.file, 1000)}, line ${problem.line}: ${printable(problem.why, 1000)}`);
    if (!keyed) said.push("(if the log was written with a key, verifying needs --key-file)");
  }
  for (const { file, bytes } of partial) said.push(`${printable(file, 1000)} ends in ${bytes} bytes of an unfinished line, as after a kill; the next start cuts them off`);
  for (const anchor of missing) said.push(`MISSING: number ${anchor.seq} of writer ${printable(anchor.writer)}, which the anchor names, is not there as it was`);
  for (const { writer, firstSeq, head } of writers) {
    said.push(`writer ${printable(writer)}: numbers ${firstSeq} to ${head.seq}${firstSeq === 1 ? "" : ", the ones before are not in these files"}`);
  }
  if (problem === undefined && missing.length === 0) {
    said.push(`${lines} lines hold`);
    if (anchors === 0) said.push("Whether the end was cut off, a log cannot tell: keep what `audit head` prints elsewhere, and give it as --anchor.");
  }
  return `${said.join("\n")}\n`;
}
