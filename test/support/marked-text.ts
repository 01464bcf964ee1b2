import { readFileSync, writeFileSync } from "node:fs";

/** The text of `file` between `<!-- NAME: … -->` and `<!-- /NAME -->`, without the lines of the marks. */
export function readMarked(file: string, name: string): string {
  return split(file, name).inside.trim();
}

/** Puts `text` there. */
export function writeMarked(file: string, name: string, text: string): void {
  const { before, after } = split(file, name);
  writeFileSync(file, `${before}\n${text}\n${after}`);
}

function split(file: string, name: string): { readonly before: string; readonly inside: string; readonly after: string } {
  const text = readFileSync(file, "utf8");
  const [found, ...more] = text.matchAll(new RegExp(`(<!-- ${name}: [^\\n]*? -->)([^]*?)(<!-- /${name} -->)`, "g"));
  if (found === undefined || more.length > 0) throw new Error(`${file} has not one place between <!-- ${name}: … --> and <!-- /${name} -->`);
  const [whole, start = "", inside = "", end = ""] = found;
  return { before: text.slice(0, found.index) + start, inside, after: end + text.slice(found.index + whole.length) };
}
