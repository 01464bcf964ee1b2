// The table in test/README.md, between two marks.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HTTP_COLUMNS, type Outcomes, type Row } from "./measure.ts";
import { FEATURES } from "./scenario.ts";

const README = join(import.meta.dirname, "..", "..", "README.md");
const START = "<!-- matrix: written by test/interop/matrix/write-table.ts -->";
const END = "<!-- /matrix -->";

export async function renderTable(rows: readonly Row[]): Promise<string> {
  const cells = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  const columns = [...FEATURES.map(({ name }) => name), ...HTTP_COLUMNS];
  const lines = [cells(["client", "server", "revision", ...columns]), cells(["---", "---", "---", ...columns.map(() => ":-:")])];
  for (const { pair, outcomes } of rows) {
    const measured = await outcomes;
    lines.push(cells([pair.client.label, pair.server.label, pair.version, ...columns.map((name) => mark(measured.get(name)))]));
  }
  return lines.join("\n");
}

function mark(outcome: ReturnType<Outcomes["get"]>): string {
  return outcome === "passed" ? "✓" : outcome === "absent" ? "–" : "✗";
}

export function committedTable(): string {
  const [, table] = split();
  return table.trim();
}

export function writeTable(table: string): void {
  const [before, , after] = split();
  writeFileSync(README, `${before}${START}\n${table}\n${END}${after}`);
}

function split(): readonly [before: string, table: string, after: string] {
  const text = readFileSync(README, "utf8");
  const [before, rest, ...more] = text.split(START);
  const [table, after, ...others] = (rest ?? "").split(END);
  if (before === undefined || table === undefined || after === undefined || more.length + others.length > 0) throw new Error(`${README} has not one table between ${START} and ${END}`);
  return [before, table, after];
}
