import { isObject, ownMember, type JsonObject } from "../base/json.ts";

/** A parameter of a tool that also travels as a header: `Mcp-Param-` and `name`, with the value at `path` of the call's arguments. */
export interface ParamHeader {
  readonly name: string;
  /** Member names from the arguments down. */
  readonly path: readonly string[];
}

/** Of a tool that repeats none. */
export const NO_PARAMS: readonly ParamHeader[] = [];

/** `refused` says why the tool may not be offered to anyone over HTTP. */
export type ParamHeaders =
  | { readonly headers: readonly ParamHeader[]; readonly refused?: undefined }
  | { readonly headers?: undefined; readonly refused: string };

const ANNOTATION = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
// Keywords whose values are data, in which the name means nothing.
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", ANNOTATION]);
// Keywords whose members are named by the author.
const NAMED: ReadonlySet<string> = new Set(["patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);

/**
 * The parameters that a tool's input schema wants mirrored into headers (2026-07-28, Custom Headers from Tool Parameters). An annotation
 * must be a header token, unique whatever its case, on a parameter of type string, integer or boolean (or null besides) that is reached from the
 * root by `properties` alone; any other, wherever a schema may stand, makes the whole definition invalid.
 */
export function paramHeadersOf(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const refused = isObject(inputSchema) ? readSchema(inputSchema, [], headers, new Set()) : undefined;
  return refused === undefined ? { headers } : { refused };
}

// `path` is undefined where what stands there is not reached by `properties` alone. Depth is bounded by that of the message.
function readSchema(schema: JsonObject, path: readonly string[] | undefined, headers: ParamHeader[], taken: Set<string>): string | undefined {
  if (Object.hasOwn(schema, ANNOTATION)) {
    const refused = readAnnotation(schema, path, headers, taken);
    if (refused !== undefined) return refused;
  }
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (DATA.has(keyword) || typeof value !== "object" || value === null) continue;
    let refused: string | undefined;
    if (keyword === "properties" && isObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        if (isObject(property)) refused ??= readSchema(property, path === undefined ? undefined : [...path, name], headers, taken);
      }
    } else if (NAMED.has(keyword) && isObject(value)) {
      for (const item of Object.values(value)) refused ??= readBelow(item, headers, taken);
    } else {
      refused = readBelow(value, headers, taken);
    }
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function readBelow(value: unknown, headers: ParamHeader[], taken: Set<string>): string | undefined {
  if (isObject(value)) return readSchema(value, undefined, headers, taken);
  if (!Array.isArray(value)) return undefined;
  for (const item of value) {
    const refused = readBelow(item, headers, taken);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function readAnnotation(schema: JsonObject, path: readonly string[] | undefined, headers: ParamHeader[], taken: Set<string>): string | undefined {
  const name = schema[ANNOTATION];
  if (path === undefined || path.length === 0) return `${ANNOTATION} stands where properties alone do not lead`;
  const where = `of ${JSON.stringify(path.join("."))}`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `the ${ANNOTATION} ${where} is no header token`;
  if (!isPrimitive(ownMember(schema, "type"))) return `the parameter with the ${ANNOTATION} ${where} is no string, integer or boolean`;
  const folded = name.toLowerCase();
  if (taken.has(folded)) return `the ${ANNOTATION} ${where} is there twice`;
  taken.add(folded);
  headers.push({ name, path });
  return undefined;
}

function isPrimitive(type: unknown): boolean {
  if (!Array.isArray(type)) return PRIMITIVES.has(type);
  const kinds = type.filter((kind) => kind !== "null");
  return kinds.length === 1 && PRIMITIVES.has(kinds[0]);
}

/** The value of a mirrored parameter; `undefined` where the arguments have none, or null. */
export function paramValue(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const step of path) value = isObject(value) ? ownMember(value, step) : undefined;
  return value === null ? undefined : value;
}
