import { LocalError } from "../../src/core/base/errors.ts";
import { isObject } from "../../src/core/base/json.ts";
import type { SchemaCompiler } from "../../src/core/mcp/endpoint.ts";

/** `type`, `required` and `properties` of JSON Schema: enough to see that somebody checks. A schema with `broken` is refused. */
export const tinySchema: SchemaCompiler = (schema) => {
  if ("broken" in schema) throw new LocalError("invalid_argument", "a broken schema");
  return { check: (value) => misfit(schema as Record<string, unknown>, value, "") };
};

function misfit(schema: Record<string, unknown>, value: unknown, path: string): { path: string; reason: string } | undefined {
  const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (schema.type !== undefined && schema.type !== type) return { path, reason: `must be of type ${String(schema.type)}` };
  if (!isObject(value)) return undefined;
  for (const name of (schema.required ?? []) as string[]) if (!Object.hasOwn(value, name)) return { path, reason: `must have ${name}` };
  for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)) {
    const found = Object.hasOwn(value, name) ? misfit(inner, value[name], `${path}/${name}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
