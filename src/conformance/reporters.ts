import { brokenBy, type Report, type RequirementOutcome, type VectorOutcome } from "./kit.ts";

/** The forms that {@link formatReport} knows; `junit` is XML. */
export const REPORTERS = ["text", "json", "junit", "markdown"] as const;

/** A report as text for people, as JSON, as JUnit's XML, or as a page of Markdown. Ends in a line break. */
export function formatReport(report: Report, reporter: (typeof REPORTERS)[number]): string {
  switch (reporter) {
    case "text":
      return text(report);
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`;
    case "junit":
      return junit(report);
    case "markdown":
      return markdown(report);
  }
}

function text(report: Report): string {
  const lines: string[] = [];
  const alike = failedAlike(report.vectors);
  const told = new Set([...alike.values()].flat());
  for (const requirement of report.requirements.filter(({ status }) => status === "broken")) {
    const failed = requirement.failed.filter((id) => !told.has(id));
    if (failed.length === 0) continue;
    lines.push(`${requirement.level} ${requirement.id}: ${requirement.text}`);
    for (const id of failed) lines.push(...explain(report.vectors.find((vector) => vector.id === id)));
  }
  for (const [reason, ids] of alike) lines.push(visible(`${ids.length} vectors failed for one reason (the other reports name each): ${reason}`));
  for (const { id } of fixed(report)) lines.push(`${id} is on the list of known failures, and passes: take it off`);
  return `${[...lines, ...totals(report)].join("\n")}\n`;
}

function explain(vector: VectorOutcome | undefined): string[] {
  if (vector === undefined) return [];
  const known = vector.status === "known" ? " (known)" : "";
  const expected = vector.expected === undefined ? [] : [`    expected ${vector.expected}`];
  const differs = vector.differs === undefined ? [] : [`    differs  ${vector.differs.map((pointer) => pointer || "as a whole").join(", ")}`];
  return [`  ${vector.id}${known}: ${vector.title}`, ...expected, `    actual   ${vector.actual ?? ""}`, ...differs].map(visible);
}

// Most likely a target that did not start: that is to be read once.
const MANY_ALIKE = 10;

/** Vectors of which nothing came for the same reason, where these are many, by that reason. */
function failedAlike(vectors: readonly VectorOutcome[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, status, actual, differs } of vectors) {
    if (status !== "failed" || actual === undefined || differs !== undefined) continue;
    ids.set(actual, [...(ids.get(actual) ?? []), id]);
  }
  return new Map([...ids].filter(([, alike]) => alike.length >= MANY_ALIKE));
}

// A target's words must not steer a terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
const visible = (line: string) => line.replaceAll(CONTROL, (char) => (char === "\n" ? "\n             " : jsonEscape(char)));

/** A line for each level: how many requirements hold, of those that were tested. */
function totals({ requirements, vectors, passed, failed, skipped }: Report): string[] {
  const levels = (["MUST", "SHOULD", "MAY"] as const).map((level) => {
    const tested = requirements.filter((requirement) => requirement.level === level && requirement.status !== "untested");
    const held = tested.filter(({ status }) => status === "held").length;
    return `${level.padEnd(6)} ${held} of ${tested.length} hold${tested.length === 0 ? "" : ` (${Math.floor((100 * held) / tested.length)} %)`}`;
  });
  const untested = requirements.filter(({ status }) => status === "untested").length;
  return [
    ...levels,
    `${untested} of ${requirements.length} requirements cannot be shown this way`,
    `${passed} vectors passed, ${failed} failed, ${skipped} were skipped`,
    ...skippedFor(vectors).map(([reason, count]) => visible(`  ${count}: ${reason}`)),
  ];
}

/** Why vectors were skipped, and how many, the commonest reason first. */
function skippedFor(vectors: readonly VectorOutcome[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { status, reason = "" } of vectors) if (status === "skipped") counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

const fixed = ({ vectors }: Report) => vectors.filter(({ status }) => status === "fixed");

function markdown(report: Report): string {
  const tested = report.requirements.filter(({ status }) => status !== "untested");
  const rows = tested.map(({ id, level, section, text: sentence, status, failed }) => {
    const cells = [id, level, section, sentence, status === "held" ? "holds" : `broken: ${failed.join(", ")}`];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  });
  const head = ["| requirement | level | section | what | outcome |", "|---|---|---|---|---|"];
  return `${[...head, ...rows, "", ...totals(report).map((line) => `- ${line.trim().replaceAll(/ +/g, " ")}`)].join("\n")}\n`;
}

function junit({ vectors, requirements }: Report): string {
  const levelOf = new Map(requirements.map(({ id, level }) => [id, level] as const));
  const failed = vectors.filter((vector) => isFailure(vector, levelOf)).length;
  const skipped = vectors.filter(({ status }) => status === "skipped" || status === "known").length;
  const cases = vectors.map((vector) => testCase(vector, isFailure(vector, levelOf)));
  const counts = `tests="${vectors.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  const suite = [`  <testsuite name="SEP-2624" ${counts}>`, ...cases, "  </testsuite>"];
  return `${['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites ${counts}>`, ...suite, "</testsuites>"].join("\n")}\n`;
}

function isFailure(outcome: VectorOutcome, levelOf: ReadonlyMap<string, RequirementOutcome["level"]>): boolean {
  return outcome.status === "fixed" || (outcome.status === "failed" && brokenBy(outcome).some((id) => levelOf.get(id) === "MUST"));
}

function testCase(vector: VectorOutcome, failed: boolean): string {
  const { id, title, requirements, status } = vector;
  const head = `    <testcase classname="${escape(requirements.join(" "))}" name="${escape(`${id}: ${title}`)}"`;
  const why = escape(explain(vector).slice(1).join("\n"));
  if (failed) return `${head}><failure message="${escape(status === "fixed" ? "a known failure that passes" : brokenBy(vector).join(", "))}">${why}</failure></testcase>`;
  if (status === "skipped" || status === "known") return `${head}><skipped message="${escape(vector.reason ?? status)}"/></testcase>`;
  return status === "failed" ? `${head}><system-out>${why}</system-out></testcase>` : `${head}/>`;
}

// What XML 1.0 has no way to write is shown as an escape of JSON's.
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const jsonEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

function escape(value: string): string {
  return value
    .replaceAll(UNWRITABLE, jsonEscape)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
