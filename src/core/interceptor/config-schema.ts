import type { JsonObject } from "../base/json.ts";
import { compileSchema } from "../schema/schema.ts";
import type { Problem } from "../wire/check.ts";

/** All that is wrong with a `config`; an empty list if nothing is. It never quotes the value. */
export type ConfigCheck = (config: JsonObject) => readonly Problem[];

/** Throws `invalid_argument` for a schema that cannot be used. Nothing is fetched. */
export function compileConfigSchema(schema: JsonObject): ConfigCheck {
  const compiled = compileSchema(schema);
  return (config) => compiled.checkAll(config).map(({ path, reason }) => ({ path, reason }));
}

/** The schema for a part of a configuration: any member may be missing. */
export function withoutRequired(schema: JsonObject): JsonObject {
  const { required: _required, ...rest } = schema;
  return rest;
}
