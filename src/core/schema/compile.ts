import { formatPointer, isObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { isLoneRef, type Dialect } from "./dialect.ts";
import { createStore, malformed, NO_SCHEMA, type Node } from "./document.ts";
import { mergeEvaluated, newEvaluated } from "./evaluated.ts";
import { objectOf, type Keyword, type KeywordCompiler } from "./keyword.ts";
import { ARRAY_KEYWORDS, compileUnevaluatedItems, DRAFT_07_ARRAY_KEYWORDS } from "./keywords-array.ts";
import { DYNAMIC_REF_KEYWORDS, LOGIC_KEYWORDS, REF_KEYWORDS } from "./keywords-logic.ts";
import { compileUnevaluatedProperties, OBJECT_KEYWORDS, OBJECT_KEYWORDS_2020_12 } from "./keywords-object.ts";
import { SCALAR_KEYWORDS } from "./keywords-scalar.ts";
import { all, fail, spend, type Check } from "./run.ts";

const UNEVALUATED_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["unevaluatedItems", compileUnevaluatedItems],
  ["unevaluatedProperties", compileUnevaluatedProperties],
];

const DEFINITIONS: readonly (readonly [string, KeywordCompiler])[] = [
  ["$defs", checkDefinitions],
  ["definitions", checkDefinitions],
];

// In the order of evaluation: cheap first, references before their neighbours, `unevaluated…` last.
const KEYWORDS: Readonly<Record<Dialect["draft"], readonly (readonly [string, KeywordCompiler])[]>> = {
  "2020-12": [
    ...DEFINITIONS, ...SCALAR_KEYWORDS, ...REF_KEYWORDS, ...DYNAMIC_REF_KEYWORDS, ...OBJECT_KEYWORDS, ...OBJECT_KEYWORDS_2020_12,
    ...ARRAY_KEYWORDS, ...LOGIC_KEYWORDS, ...UNEVALUATED_KEYWORDS,
  ],
  "draft-07": [
    ...DEFINITIONS, ...SCALAR_KEYWORDS, ...OBJECT_KEYWORDS, ...DRAFT_07_ARRAY_KEYWORDS, ...LOGIC_KEYWORDS,
  ],
};

// Only looked up by reference, but its values are schemas.
function checkDefinitions(keyword: Keyword): undefined {
  objectOf(keyword);
}

// The vocabulary of a keyword, for meta-schemas that leave one out; what is not listed is an applicator.
const VOCABULARY = new Map<string, string>([
  ...[
    "type", "const", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "required", "minProperties", "maxProperties", "dependentRequired", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
  ].map((keyword) => [keyword, "validation"] as const),
  ...["$ref", "$dynamicRef"].map((keyword) => [keyword, "core"] as const),
  ...UNEVALUATED_KEYWORDS.map(([keyword]) => [keyword, "unevaluated"] as const),
]);

/** What `compileNodes` hands to the checker. */
export interface Compiled {
  readonly root: Node;
  /** Whether the dynamic scope has to be kept. */
  readonly dynamic: boolean;
}

/** Compiles the whole schema, and of the extra documents what it reaches. Throws `malformed`. */
export function compileNodes(schema: unknown, documents: ReadonlyMap<string, unknown>, limits: Limits): Compiled {
  const store = createStore(schema, documents, limits);
  // A queue, not recursion: hostile schemas chain references as long as they like.
  const queue: Node[] = [];
  const done: Node[] = [];
  const dynamicNames = new Set<string>();
  let patternsSize = 0;
  const enqueue = (node: Node): Node => {
    if (!node.queued) {
      node.queued = true;
      queue.push(node);
    }
    return node;
  };

  function compileNode(node: Node): Check {
    const { schema: members, location, resource } = node;
    if (members === true) return () => true;
    if (members === false) return (_value, run) => fail(run, location, "is not allowed");
    if (!isObject(members)) throw malformed(location, NO_SCHEMA);
    const { draft, vocabularies } = resource.dialect;
    const checks: Check[] = [];
    let notes = false;
    for (const [name, compiler] of isLoneRef(members, resource.dialect) ? REF_KEYWORDS : KEYWORDS[draft]) {
      if (!Object.hasOwn(members, name)) continue;
      if (vocabularies !== undefined && !vocabularies.has(VOCABULARY.get(name) ?? "applicator")) continue;
      node.weight++;
      const check = compiler(keywordOf(node, members, name, draft));
      if (check !== undefined) checks.push(check);
      notes ||= name.startsWith("unevaluated");
    }
    const check = checks.length === 0 ? () => true : all(checks);
    return notes ? withNotes(check, location) : check;
  }

  function keywordOf(node: Node, schema: Readonly<Record<string, unknown>>, name: string, draft: Dialect["draft"]): Keyword {
    const at = `${node.location}/${name}`;
    const childAt = (...steps: (string | number)[]) => enqueue(store.child(node, ...steps));
    const inPlaceAt = (...steps: (string | number)[]) => {
      const child = childAt(...steps);
      node.inPlace.push(child);
      return child;
    };
    return {
      value: schema[name], schema, node, at, draft, limits,
      child: (...steps) => childAt(name, ...steps),
      inPlace: (...steps) => inPlaceAt(name, ...steps),
      sibling: (keyword) => inPlaceAt(keyword),
      resolve(reference) {
        const target = store.resolve(reference, node);
        if (typeof target === "string") throw malformed(at, `${target}: ${reference.slice(0, 200)}`);
        return enqueue(target);
      },
      needDynamicAnchor: (anchor) => dynamicNames.add(anchor),
      weigh(steps) {
        node.weight += steps;
      },
      measurePattern: (size) => (patternsSize += size),
      malformed: (reason, ...steps) => malformed(at + formatPointer(steps), reason),
    };
  }

  enqueue(store.root);
  // Unused definitions too: a broken schema is to be refused when it is registered, not when a value first gets there.
  for (const node of store.root.document.nodes) enqueue(node);
  for (;;) {
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      node.check = compileNode(node);
      done.push(node);
    }
    for (const resource of store.resources.values()) {
      for (const [name, node] of resource.dynamicAnchors) if (dynamicNames.has(name)) enqueue(node);
    }
    if (queue.length === 0) break;
  }
  refuseEndlessReferences(done);
  return { root: store.root, dynamic: dynamicNames.size > 0 };
}

/** Gives a schema its own notes of what is evaluated, and hands them up when it fits. */
function withNotes(check: Check, location: string): Check {
  return (value, run) => {
    if (typeof value !== "object" || value === null) return check(value, run);
    const outer = run.evaluated;
    const own = newEvaluated();
    run.evaluated = own;
    const fits = check(value, run);
    run.evaluated = outer;
    if (fits && outer !== undefined) spend(run, mergeEvaluated(outer, own), location);
    return fits;
  };
}

/**
 * A way from a schema to itself on which no member or item is entered never ends, whatever the value. Ways through `$dynamicRef` are
 * not known here; the depth limit ends those.
 */
function refuseEndlessReferences(nodes: readonly Node[]): void {
  const finished = new Set<Node>();
  const open = new Set<Node>();
  for (const start of nodes) {
    if (finished.has(start)) continue;
    const stack = [{ node: start, next: 0 }];
    open.add(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const following = top.node.inPlace[top.next++];
      if (following === undefined) {
        open.delete(top.node);
        finished.add(top.node);
        stack.pop();
      } else if (open.has(following)) {
        throw malformed(following.location, "refers to itself without end");
      } else if (!finished.has(following)) {
        open.add(following);
        stack.push({ node: following, next: 0 });
      }
    }
  }
}
