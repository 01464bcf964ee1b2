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
    const unknown = new Set(found.filter(isUnknownMember).map(({ path }) => parentOf(path)));
    for (const problem of found) {
      if (told.has(problem)) continue;
      // What is missing is what was misspelt.
      if (/\/(?:oneOf|required|dependentRequired)$/.test(problem.schemaPath) && unknown.has(problem.path)) continue;
      problems.add(problem.path, messageOf(problem, schema), isUnknownMember(problem) || problem.schemaPath.includes("/propertyNames/") ? "name" : "value");
    }
  };
}

/** `spec/gateway.schema.json`, conditions apart: they have a reader of their own, whose reasons are better. */
export const checkSchema: SchemaCheck = schemaCheck("gateway.schema.json", /^(?:\/upstreams\/[^/]+\/allow|\/expose\/allow|\/interceptors\/\d+(?:\/overrides\/[^/]+)?\/when)(?:\/|$)/);

function isUnknownMember({ schemaPath, reason }: SchemaProblem): boolean {
  return schemaPath.endsWith("/additionalProperties") && reason === "is not allowed";
}

function messageOf(problem: SchemaProblem, schema: JsonObject): string {
  const steps = parsePointer(problem.schemaPath) ?? [];
  const keyword = steps.at(-1) ?? "";
  const owner = valueAt(schema, steps.slice(0, -1));
  if (!isObject(owner)) return problem.reason;
  if (isUnknownMember(problem)) return describeUnknown(problem.path, owner);
  // As editors that know of it have it; by keyword it is ours.
  const own = owner["errorMessage"];
  const text = isObject(own) ? ownMember(own, keyword) : own;
  return typeof text === "string" ? text : problem.reason.replaceAll('","', '", "');
}

const MAX_LISTED = 12;

function describeUnknown(path: string, owner: JsonObject): string {
  const { properties } = owner;
  const known = isObject(properties) ? Object.keys(properties).filter((name) => name !== "$schema") : [];
  const meant = nearest(parsePointer(path)?.at(-1) ?? "", known);
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  const listed = known.slice(0, MAX_LISTED).join(", ");
  return `is not known; known are ${listed}${known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ""}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
