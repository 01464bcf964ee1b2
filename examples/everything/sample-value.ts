import type { JsonObject } from "mcp-interceptors";

/** A value that fits a simple JSON Schema: its default, its first choice, or the plainest one of its type. */
export function sampleValue(schema: unknown): unknown {
  if (!isObject(schema)) return "text";
  if ("default" in schema) return schema["default"];
  if ("const" in schema) return schema["const"];
  const choices = schema["enum"] ?? schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(choices)) return isObject(choices[0]) ? sampleValue(choices[0]) : choices[0];
  switch (schema["type"]) {
    case "object":
      return sampleObject(schema);
    case "array":
      return [];
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "text";
  }
}

/** An object with what its schema requires, and no more. */
export function sampleObject(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return {};
  return Object.fromEntries(required.map((name: string) => [name, sampleValue(properties[name])]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
