import { cloneJson, equalJson, type JsonObject } from "../base/json.ts";
import { DEFAULT_LIMITS } from "../base/limits.ts";
import { compileSchema } from "../schema/schema.ts";
import type { Problem } from "../wire/check.ts";

/** All that is wrong with a `config`; an empty list if nothing is. It never quotes the value. */
export type ConfigCheck = (config: JsonObject) => readonly Problem[];

/** Throws `invalid_argument` for a schema that cannot be used. Nothing is fetched. */
export function compileConfigSchema(schema: JsonObject): ConfigCheck {
  const compiled = compileSchema(schema);
  return (config) => compiled.checkAll(config).map(({ path, reason }) => ({ path, reason }));
}

/** A `configSchema` as an interceptor keeps it. */
export interface AdoptedSchema {
  /** A copy, frozen. */
  readonly schema: JsonObject;
  readonly check: ConfigCheck;
}

// By the object that a declaration names, which most often is a constant of its module.
const adopted = new WeakMap<JsonObject, AdoptedSchema>();

/** Copies and compiles a schema, once for all declarations that name the same object, as long as nobody changes that. A check has no state. */
export function adoptConfigSchema(source: JsonObject): AdoptedSchema {
  const before = adopted.get(source);
  if (before !== undefined && equalJson(before.schema, source)) return before;
  const schema = deepFreeze(cloneJson(source, DEFAULT_LIMITS.maxDepth, DEFAULT_LIMITS.maxMessageBytes));
  const made = { schema, check: compileConfigSchema(schema) };
  adopted.set(source, made);
  return made;
}

/** Freezes JSON of our own; what is frozen in it is so down to its leaves. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

/** The schema for a part of a configuration: any member may be missing. */
export function withoutRequired(schema: JsonObject): JsonObject {
  const { required: _required, ...rest } = schema;
  return rest;
}
