import type { JsonObject } from "../base/json.ts";
import { compileSchema } from "../schema/schema.ts";

/** Why a `config` does not fit: a JSON pointer into it, and the end of a sentence. It never quotes the value. */
export interface ConfigProblem {
  readonly path: string;
  readonly reason: string;
}

/** All that is wrong with a `config`; an empty list if nothing is. */
export type ConfigCheck = (config: JsonObject) => readonly ConfigProblem[];

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
