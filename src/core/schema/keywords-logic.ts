import { schemaListOf, stringOf, type Keyword, type KeywordCompiler } from "./keyword.ts";
import { all, apply, fail, probe, spend, type Check } from "./run.ts";
import { decodeFragment, splitFragment } from "./uri.ts";

/** References, and keywords that combine schemas on one value. */
export const LOGIC_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["allOf", compileAllOf],
  ["anyOf", compileAnyOf],
  ["oneOf", compileOneOf],
  ["not", compileNot],
  ["if", compileIf],
  ["then", checkBranch],
  ["else", checkBranch],
];

export const REF_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [["$ref", compileRef]];
export const DYNAMIC_REF_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [["$dynamicRef", compileDynamicRef]];

function compileRef(keyword: Keyword): Check {
  const node = keyword.resolve(stringOf(keyword));
  keyword.node.inPlace.push(node);
  return (value, run) => apply(node, value, run);
}

/**
 * 2020-12 core, section 8.2.3.2: where the reference leads statically to a `$dynamicAnchor`, the outermost resource of the dynamic
 * scope that has this dynamic anchor takes its place; else it is an ordinary `$ref`.
 */
function compileDynamicRef(keyword: Keyword): Check {
  const reference = stringOf(keyword);
  const node = keyword.resolve(reference);
  const name = decodeFragment(splitFragment(reference).fragment ?? "") ?? "";
  if (node.resource.dynamicAnchors.get(name) !== node) {
    keyword.node.inPlace.push(node);
    return (value, run) => apply(node, value, run);
  }
  keyword.needDynamicAnchor(name);
  const { at } = keyword;
  return (value, run) => {
    // The scope may be as deep as the run.
    const scope = run.scope ?? [];
    spend(run, scope.length >> 3, at);
    for (const resource of scope) {
      const target = resource.dynamicAnchors.get(name);
      if (target !== undefined) return apply(target, value, run);
    }
    return apply(node, value, run);
  };
}

function compileAllOf(keyword: Keyword): Check {
  return all(schemaListOf(keyword, keyword.inPlace).map((node): Check => (value, run) => apply(node, value, run)));
}

function compileAnyOf(keyword: Keyword): Check {
  const nodes = schemaListOf(keyword, keyword.inPlace);
  const { at } = keyword;
  const reason = `must fit at least one of ${nodes.length} schemas`;
  return (value, run) => {
    let fits = false;
    for (const node of nodes) {
      if (!probe(node, value, run)) continue;
      fits = true;
      // Each schema that fits may evaluate further members.
      if (run.evaluated === undefined) return true;
    }
    return fits || fail(run, at, reason);
  };
}

function compileOneOf(keyword: Keyword): Check {
  const nodes = schemaListOf(keyword, keyword.inPlace);
  const { at } = keyword;
  const none = `must fit exactly one of ${nodes.length} schemas, and fits none`;
  const several = `must fit exactly one of ${nodes.length} schemas, and fits several`;
  return (value, run) => {
    let count = 0;
    for (const node of nodes) {
      if (probe(node, value, run) && ++count > 1) return fail(run, at, several);
    }
    return count === 1 || fail(run, at, none);
  };
}

function compileNot(keyword: Keyword): Check {
  const node = keyword.inPlace();
  const { at } = keyword;
  return (value, run) => {
    // What it evaluates never counts, whether it fits or not: a schema that fits makes this one fail.
    return !probe(node, value, run) || fail(run, at, "must not fit the schema");
  };
}

function compileIf(keyword: Keyword): Check | undefined {
  const condition = keyword.inPlace();
  const { schema } = keyword;
  const consequent = Object.hasOwn(schema, "then") ? keyword.sibling("then") : undefined;
  const alternative = Object.hasOwn(schema, "else") ? keyword.sibling("else") : undefined;
  return (value, run) => {
    if (consequent === undefined && alternative === undefined && run.evaluated === undefined) return true;
    const branch = probe(condition, value, run) ? consequent : alternative;
    return branch === undefined || apply(branch, value, run);
  };
}

// Applied by `if`; without one it says nothing, but must be a schema.
function checkBranch(keyword: Keyword): undefined {
  keyword.child();
}
