// The width that help texts keep to.
const COLUMNS = 80;

/** Rows of a word and what it means, in two columns; long meanings go on in lines of their own. No line is wider than 80 columns. */
export function formatTable(rows: readonly (readonly [head: string, text: string])[]): string {
  const width = Math.max(...rows.map(([head]) => head.length)) + 4;
  return rows
    .flatMap(([head, text]) => breakLines(text, COLUMNS - width).map((line, index) => (index === 0 ? `  ${head}` : "").padEnd(width) + line))
    .join("\n");
}

// A last column with less room than this goes on further left, and one that has less in it is no list.
const ROOM = 48;
const SHORT = 24;

/**
 * Breaks the lines of a report that are wider than `columns`, at blanks: what goes on does so below the last column, which two blanks tell from the one before, or,
 * where it has little room, four blanks further in than the line. A word that is wider, and a last column with little in it, stay as they are.
 */
export function wrapReport(text: string, columns: number): string {
  return text.split("\n").flatMap((line) => (line.length > columns ? wrapLine(line, columns) : [line])).join("\n");
}

function wrapLine(line: string, columns: number): string[] {
  const start = line.search(/\S/);
  const last = Math.max(line.lastIndexOf("  ") + 2, start);
  if (line.length - last < SHORT) return [line];
  const indent = last > start && columns - last >= ROOM ? last : start + 4;
  const [first = "", ...words] = line.slice(last).split(" ");
  const lines = [line.slice(0, last) + first];
  for (const word of words) {
    const joined = `${lines.at(-1) ?? ""} ${word}`;
    if (joined.length > columns) lines.push(" ".repeat(indent) + word);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

function breakLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
