import assert from "node:assert/strict";
import { test } from "node:test";
import { reportOf, type VectorOutcome } from "../../src/conformance/kit.ts";
import { formatReport, REPORTERS } from "../../src/conformance/reporters.ts";
import type { Requirement } from "../../src/conformance/vector.ts";

const requirement = (id: string, level: Requirement["level"]): Requirement => ({ id, level, source: "reading", section: "1 | a", text: `${id} <holds> & "so".`, proofs: [] });
const outcome = (id: string, status: VectorOutcome["status"], proves: string, more: Partial<VectorOutcome> = {}): VectorOutcome => ({ id, title: `<${id}>`, requirements: [proves], status, ...more });

const REPORT = reportOf(
  [
    outcome("a", "passed", "held"),
    outcome("b", "failed", "broken", { expected: '{"a":"<&>"}', actual: 'a "\u0000\u001b\ud800\ufffe\u{1F600} ]]> \u009b2J', differs: ["/a", ""] }),
    outcome("c", "failed", "should", { expected: "1", actual: "2" }),
    outcome("d", "known", "broken", { actual: "x" }),
    outcome("e", "fixed", "held"),
    outcome("f", "skipped", "held", { reason: 'no "means" ]]> for \u0007it' }),
    outcome("g", "skipped", "none", { reason: "too slow" }),
    outcome("h", "skipped", "none", { reason: "too slow" }),
  ],
  [requirement("held", "MUST"), requirement("broken", "MUST"), requirement("should", "SHOULD"), requirement("none", "MAY")],
);

test("the text names each broken requirement with its vectors, and sums up by level", () => {
  const text = formatReport(REPORT, "text");
  assert.match(text, /^MUST broken: /m);
  assert.match(text, /^ {2}b: <b>\n {4}expected \{"a":"<&>"\}\n {4}actual {3}a "/m);
  assert.match(text, /^ {2}d \(known\): /m);
  assert.match(text, /^e is on the list of known failures, and passes: take it off$/m);
  assert.match(text, /^MUST +1 of 2 hold \(50 %\)\nSHOULD +0 of 1 hold \(0 %\)\nMAY +0 of 0 hold$/m);
  assert.match(text, /^2 vectors passed, 3 failed, 3 were skipped\n {2}2: too slow\n {2}1: no "means" \]\]> for \\u0007it\n$/m);
  assert.match(text, /^ {4}differs {2}\/a, as a whole$/m);
});

test("the text has a reason once where many vectors have no other, and every other report each of them", () => {
  const dead = (count: number) => Array.from({ length: count }, (_, at) => outcome(`v${at}`, "failed", "broken", { expected: "1", actual: "it does not start" }));
  const other = outcome("c", "failed", "should", { actual: "another" });
  const many = reportOf([...dead(10), other], [requirement("broken", "MUST"), requirement("should", "SHOULD")]);
  const text = formatReport(many, "text");
  assert.match(text, /^SHOULD should: .*\n {2}c: <c>\n {4}actual {3}another\n10 vectors failed for one reason \(the other reports name each\): it does not start\n/);
  assert.match(text, /^0 vectors passed, 11 failed, /m);
  assert.equal(formatReport(many, "junit").split("it does not start").length, 11);
  const few = formatReport(reportOf(dead(9), [requirement("broken", "MUST")]), "text");
  assert.equal(few.split("it does not start").length, 10);
});

test("a text steers no terminal", () => {
  assert.doesNotMatch(formatReport(REPORT, "text"), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("the JSON is the report", () => {
  assert.deepEqual(JSON.parse(formatReport(REPORT, "json")), JSON.parse(JSON.stringify(REPORT)));
});

test("the XML is well formed, whatever a target answers, and counts as JUnit does", () => {
  const xml = formatReport(REPORT, "junit");
  assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  assert.match(xml, /<testsuite name="SEP-2624" tests="8" failures="2" errors="0" skipped="4">/);
  assert.doesNotMatch(xml, /\]\]>/);
  const open: string[] = [];
  let rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  while (rest !== "") {
    const text = /^[^<>&]+|^&(?:amp|lt|gt|quot);/.exec(rest);
    const tag = /^<(\/?)([a-z-]+)((?: [a-z]+="(?:[^<>&"]|&(?:amp|lt|gt|quot);)*")*)(\/?)>/.exec(rest);
    const found: string = text?.[0] ?? tag?.[0] ?? assert.fail(`not well formed at ${JSON.stringify(rest.slice(0, 60))}`);
    if (tag?.[1] === "/") assert.equal(open.pop(), tag[2]);
    else if (tag && tag[4] === "") open.push(tag[2] ?? "");
    rest = rest.slice(found.length);
  }
  assert.deepEqual(open, []);
});

test("the Markdown is a table whose cells hold, and a summary", () => {
  const lines = formatReport(REPORT, "markdown").split("\n");
  const rows = lines.filter((line) => line.startsWith("|"));
  assert.deepEqual(rows.map((row) => row.replaceAll("\\|", "").split("|").length), [7, 7, 7, 7, 7]);
  assert.ok(lines.includes("- MUST 1 of 2 hold (50 %)"));
});

test("every reporter ends in a line break", () => {
  for (const reporter of REPORTERS) assert.ok(formatReport(REPORT, reporter).endsWith("\n"), reporter);
});

test("the Markdown says why vectors were skipped", () => {
  assert.match(formatReport(REPORT, "markdown"), /^- 2: too slow$/m);
});
