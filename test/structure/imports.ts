// A small import scanner: TypeScript 7 has no compiler API, and style forbids what would need one (no import inside a string or a comment).

/** The module specifiers of a source text: static imports, re-exports, and dynamic imports of a literal. */
export function importsOf(source: string): string[] {
  const text = withoutComments(source);
  const found: string[] = [];
  for (const match of text.matchAll(/\b(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*["']([^"']+)["']/g)) found.push(match[1]!);
  for (const match of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) found.push(match[1]!);
  return found;
}

/** Names in `export { … }` lists of an entry point. */
export function exportedNames(source: string): string[] {
  const names: string[] = [];
  for (const match of source.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g)) {
    for (const item of match[1]!.split(",")) {
      const name = item.replace(/^\s*type\s+/, "").trim().split(/\s+as\s+/).at(-1)!.trim();
      if (name !== "") names.push(name);
    }
  }
  return names;
}

/** The source with its comments blanked; line numbers stay. A `//` right after a quote or a colon is taken for part of a text. */
export function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, "")).replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1");
}
