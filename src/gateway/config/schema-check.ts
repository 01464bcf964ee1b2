import { readFileSync } from "node:fs";
import { isObject, ownMember, parsePointer, type JsonObject } from "../../core/base/json.ts";
import { valueAt } from "../../core/base/json-pointer.ts";
import { nearest } from "../../core/base/nearest.ts";
import { compileSchema, type CompiledSchema, type SchemaProblem } from "../../core/schema/schema.ts";
import type { Problems } from "./problems.ts";

/** Holds a value against one of the schemas in `spec`. What is wrong goes to `problems`; a name that is not known is told with the nearest that is. */
export type SchemaCheck = (value: unknown, problems: Problems) => void;

/** The check of a schema, which is read when it is first needed. Places that fit `except` are not told. */
export function schemaCheck(name: string, except?: RegExp): SchemaCheck {
  let loaded: { readonly schema: JsonObject; readonly compiled: CompiledSchema } | undefined;
  return (value, problems) => {
    if (loaded === undefined) {
      // Three folders up, from the sources as from the build.
      const schema = JSON.parse(readFileSync(new URL(`../../../spec/${name}`, import.meta.url), "utf8")) as JsonObject;
      loaded = { schema, compiled: compileSchema(schema) };
    }
    const { schema, compiled } = loaded;
    const found = compiled.checkAll(value, 100).filter(({ path }) => except?.test(path) !== true);
    // What a reference comes to is not known where it leads nowhere.
    const told = new Set(found.filter(({ path }) => problems.within(path)));
    const meant = new Map<string, Set<string>>();
    for (const { path, schemaPath, reason } of found) {
      const word = isUnknownMember({ path, schemaPath, reason }) ? meantBy(path, ownerOf(schemaPath, schema)) : undefined;
      if (word !== undefined) meant.set(parentOf(path), (meant.get(parentOf(path)) ?? new Set()).add(word));
    }
    for (const problem of found) {
      if (told.has(problem)) continue;
      if (isMisspelt(problem, meant.get(problem.path))) continue;
      problems.add(problem.path, messageOf(problem, schema), isUnknownMember(problem) || problem.schemaPath.includes("/propertyNames/") ? "name" : "value");
    }
  };
}

/** `spec/gateway.schema.json`, conditions apart: they have a reader of their own, whose reasons are better. */
export const checkSchema: SchemaCheck = schemaCheck("gateway.schema.json", /^(?:\/upstreams\/[^/]+\/allow|\/expose\/allow|\/interceptors\/\d+(?:\/overrides\/[^/]+)?\/when)(?:\/|$)/);

function isUnknownMember({ schemaPath, reason }: SchemaProblem): boolean {
  return schemaPath.endsWith("/additionalProperties") && reason === "is not allowed";
}

// What is missing may be what was misspelt, which is told.
function isMisspelt({ schemaPath, reason }: SchemaProblem, meant: ReadonlySet<string> | undefined): boolean {
  if (meant === undefined) return false;
  if (schemaPath.endsWith("/required")) return [...meant].some((word) => reason === `must have the member ${JSON.stringify(word)}`);
  return /\/(?:oneOf|dependentRequired)$/.test(schemaPath);
}

function ownerOf(schemaPath: string, schema: JsonObject): unknown {
  return valueAt(schema, (parsePointer(schemaPath) ?? []).slice(0, -1));
}

function messageOf(problem: SchemaProblem, schema: JsonObject): string {
  const keyword = parsePointer(problem.schemaPath)?.at(-1) ?? "";
  const owner = ownerOf(problem.schemaPath, schema);
  if (!isObject(owner)) return problem.reason;
  if (isUnknownMember(problem)) return describeUnknown(problem.path, owner);
  // As editors that know of it have it; by keyword it is ours.
  const own = owner["errorMessage"];
  const text = isObject(own) ? ownMember(own, keyword) : own;
  return typeof text === "string" ? text : problem.reason.replaceAll('","', '", "');
}

const MAX_LISTED = 12;

function describeUnknown(path: string, owner: JsonObject): string {
  const meant = meantBy(path, owner);
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  const known = knownIn(owner);
  const listed = known.slice(0, MAX_LISTED).join(", ");
  return `is not known; known are ${listed}${known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ""}`;
}

function meantBy(path: string, owner: unknown): string | undefined {
  return nearest(parsePointer(path)?.at(-1) ?? "", knownIn(owner));
}

function knownIn(owner: unknown): readonly string[] {
  const properties = isObject(owner) ? owner["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties).filter((name) => name !== "$schema") : [];
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
