import { readFileSync } from "node:fs";
import { describeError, LocalError } from "../core/base/errors.ts";
import { auditHead, formatAnchor, parseAnchor, verifyAudit, type AuditReport } from "../gateway/audit-verify.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { describeOptions, parseOptions, type OptionSpec } from "./options.ts";

export const AUDIT_OPTIONS: readonly OptionSpec[] = [
  { name: "key-file", value: "FILE", help: "the key that the log was written with; white space at its ends does not count" },
  { name: "anchor", value: "WRITER:SEQ:HASH", many: true, help: "a line that must be there, as `audit head` has printed it" },
  { name: "help", help: "this text" },
];

const HELP = `mcp-interceptors audit: checks the audit logs of a gateway

Usage: mcp-interceptors audit verify [OPTION]… FILE…
       mcp-interceptors audit head [--key-file FILE] FILE

verify  names the first line that was changed, moved, put in or taken out, and ends with code 1 then. Give the renamed
        files of a log as well, oldest first: audit.jsonl.000001 audit.jsonl.000002 audit.jsonl
head    prints where a log stands. Kept elsewhere, it is the anchor which proves that the end was not cut off later:
        a log cannot prove that by itself.

${describeOptions(AUDIT_OPTIONS)}
`;

/** The verb `audit`. */
export async function audit(words: readonly string[]): Promise<Exit> {
  const { values, positionals, rest = [] } = parseOptions(words, AUDIT_OPTIONS, "mcp-interceptors help audit");
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  const [action, ...files] = [...positionals, ...rest];
  if (action !== "verify" && action !== "head") throw new UsageError("audit needs to know what to do: verify or head", "mcp-interceptors help audit");
  if (files.length === 0 || (action === "head" && files.length > 1)) {
    throw new UsageError(`audit ${action} needs ${action === "head" ? "one file" : "the files to verify"}`, `mcp-interceptors audit ${action} audit.jsonl`);
  }
  const key = keyFrom(values.get("key-file")?.[0]);
  try {
    if (action === "head") {
      process.stdout.write(`${formatAnchor(await auditHead(files[0] ?? "", key))}\n`);
      return { code: 0 };
    }
    const anchors = (values.get("anchor") ?? []).map((text) => {
      const anchor = parseAnchor(text);
      if (anchor === undefined) throw new UsageError(`--anchor ${printable(text)} is no anchor`, "an anchor is what `audit head` prints: WRITER:SEQ:HASH");
      return anchor;
    });
    const report = await verifyAudit(files, { ...(key !== undefined && { key }), anchors });
    process.stdout.write(describeReport(report, anchors.length, key !== undefined));
    return { code: report.problem === undefined && report.missing.length === 0 ? 0 : 1 };
  } catch (thrown) {
    // Such as a file that is not there.
    if (thrown instanceof LocalError || thrown instanceof UsageError) throw thrown;
    throw new UsageError(describeError(thrown), "name files that you may read");
  }
}

function keyFrom(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const key = readFileSync(path, "utf8").trim();
    if (key !== "") return key;
  } catch (thrown) {
    throw new UsageError(`--key-file ${path} cannot be read: ${describeError(thrown)}`);
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
