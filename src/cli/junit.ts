import type { TestOutcome } from "../gateway/config/policy-tests.ts";

/** The outcomes as the XML that CI systems read: a suite for each file. */
export function junitXml(outcomes: readonly TestOutcome[]): string {
  const files = [...new Set(outcomes.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = outcomes.filter((outcome) => outcome.file === file);
    const cases = own.map(({ name, elapsedMs, failure }) => {
      const head = `    <testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds(elapsedMs)}"`;
      return failure === undefined ? `${head}/>` : `${head}>\n      <failure message="${escaped(failure)}"/>\n    </testcase>`;
    });
    const failures = own.filter(({ failure }) => failure !== undefined).length;
    const timeMs = own.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
    return `  <testsuite name="${escaped(file)}" tests="${own.length}" failures="${failures}" time="${seconds(timeMs)}">\n${cases.join("\n")}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const NAMED: ReadonlyMap<string, string> = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"]]);

// What XML 1.0 has no way to write is left out.
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => NAMED.get(mark) ?? "").replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "").replace(/[\t\n\r]/g, (blank) => `&#${blank.charCodeAt(0)};`);
}
