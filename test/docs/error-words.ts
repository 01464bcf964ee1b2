// Reads off the sources which codes and reasons there are, as rules over texts, and off src/ERRORS.md which ones it explains.
import { codeOf } from "../structure/imports.ts";

/** A type of `src` that lists words, and the heading of the page under which each of them is explained. */
export interface WordList {
  readonly type: string;
  readonly file: string;
  readonly heading: string;
}

export const WORD_LISTS: readonly WordList[] = [
  { type: "Delivery", file: "core/base/delivery.ts", heading: "Delivery" },
  { type: "FailureReason", file: "core/interceptor/failure.ts", heading: "Failures of interceptors" },
  { type: "RefusalCode", file: "core/base/json-refusal.ts", heading: "Messages that are refused as they come" },
  { type: "BlockReason", file: "core/guard/decision.ts", heading: "Decisions of a guard" },
  { type: "ChainStatus", file: "core/chain/result.ts", heading: "Status of an execution" },
  { type: "Reason", file: "gateway/own-errors.ts", heading: "The gateway, to those who call" },
  { type: "NoAnswer", file: "gateway/call.ts", heading: "The gateway, to servers that ask" },
  { type: "LocalErrorCode", file: "core/base/errors.ts", heading: "Local codes" },
];

type Sources = ReadonlyMap<string, string>;

/** The texts of a union type. */
export function wordsOf(source: string, type: string): string[] {
  const code = codeOf(source);
  const start = code.search(new RegExp(`\\btype ${type} =`));
  if (start < 0) return [];
  const end = code.indexOf(";", start);
  return [...code.slice(start, end).matchAll(/"_*"/g)].map(({ index, 0: text }) => source.slice(start + index + 1, start + index + text.length - 1));
}

/** Union types whose names say that they are why something failed, and that are not in {@link WORD_LISTS}. */
export function unlistedTypes(sources: Sources, lists: readonly WordList[] = WORD_LISTS): string[] {
  return [...sources].flatMap(([file, source]) =>
    [...codeOf(source).matchAll(/\btype (\w*(?:Reason|ErrorCode|RefusalCode|NoAnswer|Delivery)) =\s*\|?\s*"/g)]
      .filter(([, type]) => !lists.some((list) => list.type === type && list.file === file))
      .map(([, type]) => `${file} ${type}`),
  );
}

/** Words that sources give as a reason by themselves, sentences apart: `reason: "word"`. */
export function literalReasons(sources: Sources): Map<string, string> {
  const found = new Map<string, string>();
  for (const [file, source] of sources) {
    for (const { index, 0: text } of codeOf(source).matchAll(/\breason: "_*"/g)) {
      const word = source.slice(index + 'reason: "'.length, index + text.length - 1);
      if (/^[a-z_]+$/.test(word)) found.set(word, file);
    }
  }
  return found;
}

/** Numbers that are error codes of JSON-RPC and MCP (from -32000 down to -32768), wherever code has them. */
export function rpcCodes(sources: Sources): Map<number, string> {
  const found = new Map<number, string>();
  for (const [file, source] of sources) {
    for (const [text] of codeOf(source).matchAll(/-32_?[0-7]\d\d\b/g)) found.set(Number(text.replace("_", "")), file);
  }
  return found;
}

/** The part of a page below a heading, up to the next one; headings that are a word (`### not_found`) belong to it. */
export function sectionOf(page: string, heading: string): string {
  const [, ...sections] = page.split(/^#{2,3} (?![a-z_]+$)/m);
  return sections.find((section) => section.startsWith(`${heading}\n`)) ?? "";
}

/** What a section explains: the first cells of its table, or its headings. */
export function explainedIn(section: string): string[] {
  return [...section.matchAll(/^(?:\| `([^`]+)` \|.*\|$|### ([a-z_]+)$)/gm)].map(([, cell, heading]) => cell ?? heading ?? "");
}
