import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { describesSecret, namesSecret } from "./secret-words.ts";

/** A field of a form, or a schema within one, which goes by the same name. */
export interface FormField {
  readonly name: string;
  readonly schema: unknown;
  readonly path: readonly string[];
}

const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);
const WITHIN = ["items", "prefixItems", "additionalProperties", "contains", "allOf", "anyOf", "oneOf", "if", "then", "else", "$defs", "definitions"];

/** All fields of a form at any depth, and the schemas that make them up; what lies within a choice is none. `leaveOut` takes names with all that is within. */
export function* fieldsOf(schema: unknown, at: readonly string[], leaveOut: (name: string) => boolean, within = ""): Generator<FormField> {
  if (Array.isArray(schema)) {
    for (const [index, item] of schema.entries()) yield* schemaIn(item, [...at, String(index)], leaveOut, within);
  } else if (isObject(schema)) {
    for (const group of NAMED) {
      const members = ownMember(schema, group);
      for (const [name, member] of isObject(members) ? Object.entries(members) : []) if (!leaveOut(name)) yield* schemaIn(member, [...at, group, name], leaveOut, name);
    }
    const properties = ownMember(schema, "properties");
    const required = ownMember(schema, "required");
    // A client may show a field for a name that is required and nothing more.
    for (const [index, name] of Array.isArray(required) ? required.entries() : []) {
      if (typeof name !== "string" || (isObject(properties) && Object.hasOwn(properties, name)) || leaveOut(name)) continue;
      yield { name, schema: true, path: [...at, "required", String(index)] };
    }
    for (const group of WITHIN) {
      const inner = ownMember(schema, group);
      const isMap = group === "$defs" || group === "definitions";
      if (isMap && isObject(inner)) for (const [name, member] of Object.entries(inner)) yield* schemaIn(member, [...at, group, name], leaveOut, "");
      else if (Array.isArray(inner)) yield* fieldsOf(inner, [...at, group], leaveOut, within);
      else if (isObject(inner)) yield* schemaIn(inner, [...at, group], leaveOut, within);
    }
  }
}

function* schemaIn(schema: unknown, path: readonly string[], leaveOut: (name: string) => boolean, name: string): Generator<FormField> {
  yield { name, schema, path };
  if (!isChoice(schema)) yield* fieldsOf(schema, path, leaveOut, name);
}

/** How many fields a person has to fill in: properties, at any depth. */
export function isProperty({ path }: FormField): boolean {
  return NAMED.has(path.at(-2) ?? "");
}

/** Whether a field asks for a secret. What can be typed in is meant: of a yes or no, and of a choice, the server knows the answers. */
export function isSecretField({ name, schema }: FormField): boolean {
  if (!isObject(schema)) return schema !== false && namesSecret(name);
  if (isChoice(schema)) return false;
  const type = ownMember(schema, "type");
  // A number of tokens is no token.
  const says = (text: unknown, isSecret: (text: string) => boolean) => typeof text === "string" && isSecret(text) && !isCount(text, type);
  return ownMember(schema, "format") === "password" || ownMember(schema, "writeOnly") === true || says(name, namesSecret) || says(ownMember(schema, "title"), describesSecret) || says(ownMember(schema, "description"), describesSecret);
}

function isChoice(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (ownMember(schema, "type") === "boolean" || isList(schema, "enum")) return true;
  if (ownMember(schema, "type") === "array") return isChoice(ownMember(schema, "items"));
  return ["oneOf", "anyOf"].some((group) => isList(schema, group, (item) => isObject(item) && (Object.hasOwn(item, "const") || isList(item, "enum"))));
}

function isList(schema: JsonObject, member: string, holds: (item: unknown) => boolean = () => true): boolean {
  const list = ownMember(schema, member);
  return Array.isArray(list) && list.length > 0 && list.every(holds);
}

function isCount(text: string, type: unknown): boolean {
  return (type === "number" || type === "integer") && /(?:token|credential|secret|password)s\W*$/i.test(text.slice(-40));
}
