import { formatPointer } from "../../core/base/json.ts";

/** What the end of a text leaves open. */
export interface LeftOpen {
  /** To where the innermost of it is. */
  readonly pointer: string;
  /** What closes all of it. */
  readonly closing: string;
  /** Whether no bracket before stands otherwise than its opening one, as they do where it is one in the middle that is missing. */
  readonly aligned: boolean;
}

interface Container {
  readonly closer: string;
  readonly indent: number;
  /** The member or item that is being read. */
  step: string | number;
}

/** Looks through JSON that ends too early, with spaces in place of comments. Undefined where it ends within a text, or closes what is not open. */
export function leftOpen(text: string): LeftOpen | undefined {
  const open: Container[] = [];
  let indent = 0;
  let first = true;
  let aligned = true;
  let name = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    const inner = open.at(-1);
    if (char === "\n") {
      indent = 0;
      first = true;
      continue;
    }
    if (/\s/.test(char)) {
      if (first) indent++;
      continue;
    }
    if (char === '"') {
      const string = /^"((?:[^"\\\n]|\\.)*)"/.exec(text.slice(at))?.[1];
      if (string === undefined) return undefined;
      name = string;
      at += string.length + 1;
    } else if (char === "{" || char === "[") open.push({ closer: char === "{" ? "}" : "]", indent, step: char === "{" ? "" : 0 });
    else if (char === "}" || char === "]") {
      const closed = open.pop();
      if (closed?.closer !== char) return undefined;
      aligned &&= !first || closed.indent === indent;
    } else if (char === ":" && inner !== undefined) inner.step = name;
    else if (char === "," && typeof inner?.step === "number") inner.step++;
    first = false;
  }
  const closing = open.map(({ closer }) => closer).reverse().join("");
  return { pointer: formatPointer(open.slice(0, -1).map(({ step }) => step)), closing, aligned };
}
