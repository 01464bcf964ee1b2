import type { WriteStream } from "node:tty";

/** Colours for words on a terminal; the words as they are elsewhere, and where `NO_COLOR` is set (no-color.org). */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

export function paintFor(stream: Pick<WriteStream, "isTTY"> = process.stdout, env: NodeJS.ProcessEnv = process.env): Paint {
  const coloured = stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const style = (code: number, end: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[${end}m` : text);
  return { good: style(32, 39), bad: style(31, 39), warn: style(33, 39), dim: style(2, 22), bold: style(1, 22) };
}

/** JSON on stdout, for programs: one value, indented by two. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Rows as columns of text, two blanks apart; the last column is not padded. Widths are those of the texts without colours. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, width(cell));
  return rows.map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - width(cell)))).join("  ").trimEnd()).join("\n");
}

function width(text: string): number {
  return text.replace(/\u001b\[\d+m/g, "").length;
}
