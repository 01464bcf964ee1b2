// A small import scanner: TypeScript 7 has no compiler API. It tells code from comments and texts, and reads imports off the code.

export interface ImportedModule {
  /** As written; `undefined` for a dynamic import of anything but a plain text. */
  readonly specifier: string | undefined;
  /** `import type … from` or `export type … from`: nothing of it is left when the types are stripped. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** Every module that a source names: static imports, re-exports, dynamic imports, and imports within types. */
export function importsOf(source: string): ImportedModule[] {
  const code = codeOf(source);
  const lineAt = (index: number) => code.slice(0, index).split("\n").length;
  const found: ImportedModule[] = [];
  const statement = /(?<![.\w$#])(?:import|export)\b(?<type>\s+type\b(?!\s+from\b))?(?:[\w$*\s{},]*?\bfrom\b)?\s*(?<text>"_*"|'_*')/gd;
  for (const match of code.matchAll(statement)) {
    const [start, end] = match.indices!.groups!["text"]!;
    found.push({ specifier: source.slice(start + 1, end - 1), typeOnly: match.groups!["type"] !== undefined, line: lineAt(match.index) });
  }
  for (const match of code.matchAll(/(?<![.\w$#])import\s*\(\s*(?<text>"_*"(?=\s*[,)])|'_*'(?=\s*[,)])|`_*`(?=\s*[,)]))?/gd)) {
    const at = match.indices!.groups!["text"];
    found.push({ specifier: at && source.slice(at[0] + 1, at[1] - 1), typeOnly: false, line: lineAt(match.index) });
  }
  return found.sort((a, b) => a.line - b.line);
}

export interface ExportedName {
  readonly name: string;
  readonly kind: "value" | "type";
}

/** Names in the `export { … }` lists of an entry point. `isolatedModules` holds each type to be marked as one. */
export function exportedNames(source: string): ExportedName[] {
  const names: ExportedName[] = [];
  for (const [, list, items] of codeOf(source).matchAll(/\bexport\s+(type\s*)?\{([^}]*)\}/g)) {
    for (const item of items!.split(",")) {
      const words = item.trim().split(/\s+/);
      if (words[0] === "") continue;
      const marked = words[0] === "type" && words.length > 1 && words[1] !== "as";
      names.push({ name: words.at(-1)!, kind: list !== undefined || marked ? "type" : "value" });
    }
  }
  return names;
}

// After one of these a slash starts a regular expression, after anything else it divides.
const BEFORE_REGEXP = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield))\s*$/;

/**
 * The source with its comments blanked and its texts (strings, templates, regular expressions) filled with `_`, quotes kept. Every
 * character keeps its place, so what is found here can be read there. What a template embeds is code.
 */
export function codeOf(source: string): string {
  let code = "";
  let at = 0;
  // For each template that is open, how many braces are open within its current `${`.
  const templates: number[] = [];

  const copy = (length: number) => {
    code += source.slice(at, at + length);
    at += length;
  };
  const cover = (end: number, filling: string) => {
    code += source.slice(at, end).replace(/[^\n]/g, filling);
    at = end;
  };
  const text = (...stops: readonly string[]) => {
    copy(1);
    cover(endOfText(source, at, stops), "_");
  };
  const template = () => {
    text("`", "${");
    if (source[at] === "`") return copy(1);
    templates.push(0);
    copy(2);
  };

  while (at < source.length) {
    const char = source[at]!;
    if (source.startsWith("//", at)) cover(indexOr(source, "\n", at), " ");
    else if (source.startsWith("/*", at)) cover(indexOr(source, "*/", at + 2) + 2, " ");
    else if (char === '"' || char === "'") {
      text(char, "\n");
      copy(1);
    } else if (char === "`") template();
    else if (char === "}" && templates.at(-1) === 0) {
      templates.pop();
      template();
    } else if (char === "/" && BEFORE_REGEXP.test(code.slice(-40))) {
      copy(1);
      cover(endOfRegExp(source, at), "_");
      copy(1);
    } else {
      const open = templates.length - 1;
      if (open >= 0 && char === "{") templates[open]!++;
      if (open >= 0 && char === "}") templates[open]!--;
      copy(1);
    }
  }
  return code;
}

function indexOr(source: string, wanted: string, from: number): number {
  const index = source.indexOf(wanted, from);
  return index < 0 ? source.length : index;
}

function endOfText(source: string, start: number, stops: readonly string[]): number {
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (stops.some((stop) => source.startsWith(stop, at))) return at;
  }
  return source.length;
}

function endOfRegExp(source: string, start: number): number {
  let inClass = false;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "\n" || (char === "/" && !inClass)) return at;
  }
  return source.length;
}
