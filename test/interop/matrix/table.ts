// The table in test/README.md, between two marks.
import { join } from "node:path";
import { readMarked, writeMarked } from "../../support/marked-text.ts";
import { HTTP_COLUMNS, type Outcomes, type Row } from "./measure.ts";
import { FEATURES } from "./scenario.ts";

const README = join(import.meta.dirname, "..", "..", "README.md");

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
  return readMarked(README, "matrix");
}

export function writeTable(table: string): void {
  writeMarked(README, "matrix", table);
}
