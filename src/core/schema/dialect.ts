import { isObject, ownMember, type JsonObject } from "../base/json.ts";

/** How a schema resource is read: its draft, and which of the draft's vocabularies count. */
export interface Dialect {
  readonly draft: "2020-12" | "draft-07";
  /** Last segments of vocabulary URIs ("applicator"); undefined: all of the draft. */
  readonly vocabularies: ReadonlySet<string> | undefined;
}

/** The MCP specification's default, for schemas that do not name a dialect. */
export const DRAFT_2020_12: Dialect = Object.freeze({ draft: "2020-12", vocabularies: undefined });

/** Not the specification's, but what servers send whose schemas zod-to-json-schema wrote. */
export const DRAFT_07: Dialect = Object.freeze({ draft: "draft-07", vocabularies: undefined });

const KNOWN = new Map<string, Dialect>([
  ["https://json-schema.org/draft/2020-12/schema", DRAFT_2020_12],
  ["http://json-schema.org/draft-07/schema", DRAFT_07],
  ["https://json-schema.org/draft-07/schema", DRAFT_07],
]);

const VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/";
const VOCABULARIES = new Set(["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"]);

/**
 * The dialect that a `$schema` names: a known one, or a meta-schema among the extra documents that declares its vocabularies.
 * A text instead of a dialect says why there is none.
 */
export function findDialect(uri: string, documents: ReadonlyMap<string, unknown>): Dialect | string {
  const name = uri.endsWith("#") ? uri.slice(0, -1) : uri;
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const metaSchema = documents.get(name);
  if (!isObject(metaSchema) || !KNOWN.get(String(ownMember(metaSchema, "$schema")))) {
    return `names a dialect that is not supported (2020-12 and draft-07 are): ${name.slice(0, 200)}`;
  }
  const declared = ownMember(metaSchema, "$vocabulary");
  if (!isObject(declared)) return DRAFT_2020_12;
  const vocabularies = new Set<string>();
  for (const [vocabulary, required] of Object.entries(declared)) {
    const short = vocabulary.startsWith(VOCABULARY) ? vocabulary.slice(VOCABULARY.length) : "";
    if (VOCABULARIES.has(short)) vocabularies.add(short);
    else if (required === true) return `requires a vocabulary that is not supported: ${vocabulary.slice(0, 200)}`;
  }
  return { draft: "2020-12", vocabularies };
}

/** How a keyword holds its subschemas; `any` is decided by the value's own shape. */
type Shape = "one" | "list" | "map" | "any";

const SHARED: readonly (readonly [string, Shape])[] = [
  ["$defs", "map"],
  ["definitions", "map"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["additionalProperties", "one"],
  ["propertyNames", "one"],
  ["contains", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
];

const HOLDERS: Readonly<Record<Dialect["draft"], ReadonlyMap<string, Shape>>> = {
  "2020-12": new Map<string, Shape>([
    ...SHARED,
    ["items", "one"],
    ["prefixItems", "list"],
    ["dependentSchemas", "map"],
    ["dependencies", "map"],
    ["unevaluatedItems", "one"],
    ["unevaluatedProperties", "one"],
    ["contentSchema", "one"],
  ]),
  "draft-07": new Map<string, Shape>([...SHARED, ["items", "any"], ["additionalItems", "one"], ["dependencies", "map"]]),
};

/**
 * Calls back for each direct subschema, with its path from the parent. Only keywords that hold schemas are entered: what looks
 * like a schema inside `const`, `enum` or an unknown keyword is data.
 */
export function eachSubschema(
  schema: JsonObject,
  dialect: Dialect,
  visit: (subschema: unknown, keyword: string, step?: string | number) => void,
): void {
  const holders = HOLDERS[dialect.draft];
  for (const keyword of Object.keys(schema)) {
    const shape = holders.get(keyword);
    const held = schema[keyword];
    if (shape === undefined) continue;
    if (Array.isArray(held)) {
      if (shape === "list" || shape === "any") held.forEach((item, index) => visit(item, keyword, index));
    } else if (shape === "map") {
      if (!isObject(held)) continue;
      for (const [name, item] of Object.entries(held)) {
        // `dependencies` mixes lists of names with schemas.
        if (!(keyword === "dependencies" && Array.isArray(item))) visit(item, keyword, name);
      }
    } else if (shape !== "list") {
      visit(held, keyword);
    }
  }
}

/** Draft-07 lets `$ref` stand alone: every keyword beside it, `$id` included, is ignored. */
export function isLoneRef(schema: JsonObject, dialect: Dialect): boolean {
  return dialect.draft === "draft-07" && Object.hasOwn(schema, "$ref");
}
