import { newEvaluated } from "./evaluated.ts";
import { countOf, schemaListOf, type Keyword, type KeywordCompiler } from "./keyword.ts";
import { compileCount } from "./keywords-count.ts";
import type { Node } from "./document.ts";
import { applyChild, fail, isSettled, spend, stop, type Check, type Run } from "./run.ts";

const LENGTH_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["minItems", (keyword) => compileCount(keyword, "at least", "item", "items", lengthOf)],
  ["maxItems", (keyword) => compileCount(keyword, "at most", "item", "items", lengthOf)],
  ["uniqueItems", compileUniqueItems],
];

/** Keywords that look at lists. */
export const ARRAY_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ...LENGTH_KEYWORDS,
  ["prefixItems", compilePrefixItems],
  ["items", compileItems],
  ["contains", compileContains],
  ["minContains", checkCount],
  ["maxContains", checkCount],
];

/** Draft-07 has `items` in two forms, and `additionalItems` for what follows the list. */
export const DRAFT_07_ARRAY_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ...LENGTH_KEYWORDS,
  ["items", (keyword) => (Array.isArray(keyword.value) ? compilePrefixItems(keyword) : compileItems(keyword))],
  ["additionalItems", compileAdditionalItems],
  ["contains", compileContains],
];

function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

// Their meaning lies in `contains` beside them.
function checkCount(keyword: Keyword): undefined {
  countOf(keyword);
}

function compileUniqueItems({ value: wanted, at, malformed }: Keyword): Check | undefined {
  if (typeof wanted !== "boolean") throw malformed("must be a boolean");
  if (!wanted) return undefined;
  return (value, run) => {
    if (!Array.isArray(value) || value.length < 2) return true;
    spend(run, value.length, at);
    // Scalars by SameValueZero, lists and objects by canonical text: linear in the size of the value, where pairs are quadratic.
    const scalars = new Set<unknown>();
    const texts = new Set<string>();
    for (const item of value) {
      if (typeof item !== "object" || item === null) scalars.add(payFor(item, run, at));
      else texts.add(canonicalText(item, run, at, 0));
    }
    return scalars.size + texts.size === value.length || fail(run, at, "must not have an item twice");
  };
}

// Texts are compared and written to their last character.
function payFor(scalar: unknown, run: Run, at: string): unknown {
  if (typeof scalar === "string" && scalar.length > 8) spend(run, scalar.length >> 3, at);
  return scalar;
}

function canonicalText(value: unknown, run: Run, at: string, depth: number): string {
  spend(run, 1, at);
  if (depth > run.maxDepth) throw stop(run, at, "is nested too deeply for this schema");
  if (typeof value !== "object" || value === null) return JSON.stringify(payFor(value, run, at)) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, run, at, depth + 1)).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [name] of members) payFor(name, run, at);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member, run, at, depth + 1)}`).join()}}`;
}

function compilePrefixItems(keyword: Keyword): Check {
  const nodes = schemaListOf(keyword, keyword.child);
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    const length = Math.min(nodes.length, value.length);
    let fits = true;
    for (let index = 0; index < length; index++) {
      // Below nodes.length, so there is one.
      if (applyChild(nodes[index] as Node, value[index], index, run)) continue;
      fits = false;
      if (isSettled(run)) break;
    }
    if (run.evaluated !== undefined) run.evaluated.prefix = Math.max(run.evaluated.prefix, length);
    return fits;
  };
}

function compileItems(keyword: Keyword): Check {
  if (Array.isArray(keyword.value)) {
    throw keyword.malformed('must be a schema; a list of schemas is "prefixItems" here, and "items" in draft-07 alone');
  }
  const { prefixItems } = keyword.schema;
  const start = keyword.draft === "2020-12" && Array.isArray(prefixItems) ? prefixItems.length : 0;
  return itemsFrom(start, keyword.child());
}

function compileAdditionalItems(keyword: Keyword): Check | undefined {
  const node = keyword.child();
  const { items } = keyword.schema;
  return Array.isArray(items) ? itemsFrom(items.length, node) : undefined;
}

function itemsFrom(start: number, node: Node): Check {
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    let fits = true;
    for (let index = start; index < value.length; index++) {
      if (applyChild(node, value[index], index, run)) continue;
      fits = false;
      if (isSettled(run)) break;
    }
    if (run.evaluated !== undefined) run.evaluated.allItems = true;
    return fits;
  };
}

function compileContains(keyword: Keyword): Check {
  const node = keyword.child();
  const { at, draft, schema } = keyword;
  // Wrong ones are refused by their own compilers.
  const countIn = (name: string, otherwise: number) => {
    const count = draft === "2020-12" && Object.hasOwn(schema, name) ? schema[name] : undefined;
    return typeof count === "number" ? count : otherwise;
  };
  const least = countIn("minContains", 1);
  const most = countIn("maxContains", Infinity);
  const tooFew = `must have at least ${least} ${least === 1 ? "item that fits" : "items that fit"} the schema`;
  const tooMany = `must have at most ${most} ${most === 1 ? "item that fits" : "items that fit"} the schema`;
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    const { evaluated } = run;
    let found = 0;
    run.muted++;
    for (let index = 0; index < value.length; index++) {
      if (!applyChild(node, value[index], index, run)) continue;
      found++;
      if (draft === "2020-12") evaluated?.items.add(index);
      if (found > most || (found >= least && most === Infinity && evaluated === undefined)) break;
    }
    run.muted--;
    if (found < least) return fail(run, at, tooFew);
    return found <= most || fail(run, at, tooMany);
  };
}

/** `unevaluatedItems` comes last in its schema, when its neighbours have left their notes. */
export function compileUnevaluatedItems(keyword: Keyword): Check {
  const node = keyword.child();
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    const evaluated = run.evaluated ?? newEvaluated();
    if (evaluated.allItems) return true;
    let fits = true;
    for (let index = evaluated.prefix; index < value.length; index++) {
      if (evaluated.items.has(index) || applyChild(node, value[index], index, run)) continue;
      fits = false;
      if (isSettled(run)) break;
    }
    evaluated.allItems = true;
    return fits;
  };
}
