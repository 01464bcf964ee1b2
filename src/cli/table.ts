// The width that help texts keep to.
const COLUMNS = 80;

/** Rows of a word and what it means, in two columns; long meanings go on in lines of their own. No line is wider than 80 columns. */
export function formatTable(rows: readonly (readonly [head: string, text: string])[]): string {
  const width = Math.max(...rows.map(([head]) => head.length)) + 4;
  return rows
    .flatMap(([head, text]) => breakLines(text, COLUMNS - width).map((line, index) => (index === 0 ? `  ${head}` : "").padEnd(width) + line))
    .join("\n");
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
