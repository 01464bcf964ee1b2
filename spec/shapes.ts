// Reads one schema file into shapes: the small language that the emitters understand. Whatever falls outside it throws, with file and
// pointer, so that a schema can never say more than the validators check.

/** A place in a schema file, for errors and for names. */
export interface Place {
  readonly file: string;
  readonly pointer: string;
}

export interface Target {
  readonly file: string;
  readonly name: string;
}

export type Scalar = "string" | "integer" | "number" | "boolean" | "null";
export type Literal = string | number | boolean | null;

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
  readonly description: string | undefined;
}

export interface ObjectShape {
  readonly kind: "object";
  readonly bases: readonly Target[];
  readonly members: readonly Member[];
  /** `additionalProperties: true` is spelt out: the type shows that other members pass. Without it they pass as well. */
  readonly open: boolean;
  /** Shape of every member that has no shape of its own. */
  readonly values: Shape | undefined;
  /** At least one of these members must be there. */
  readonly someOf: readonly string[];
  /** Where `member` equals `equals`, `required` must be there. */
  readonly when: { readonly member: string; readonly equals: Literal; readonly required: string } | undefined;
}

export interface ScalarShape {
  readonly kind: "scalar";
  readonly types: readonly Scalar[];
  /** Bounds of numbers; strings do not mind them. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly notEmpty: boolean;
}

export type Shape =
  | { readonly kind: "any" }
  | { readonly kind: "absent" }
  | ({ readonly kind: "ref" } & Target)
  | ScalarShape
  | { readonly kind: "literal"; readonly values: readonly Literal[] }
  | { readonly kind: "otherString"; readonly except: readonly string[] }
  | { readonly kind: "list"; readonly items: Shape; readonly minItems: number; readonly maxItems?: number }
  | { readonly kind: "union"; readonly options: readonly Shape[] }
  | ObjectShape;

export interface Definition {
  readonly name: string;
  readonly description: string | undefined;
  readonly shape: Shape;
}

export interface SchemaFile {
  readonly file: string;
  readonly description: string;
  readonly definitions: readonly Definition[];
}

type Json = { readonly [member: string]: unknown };

const ANNOTATIONS = ["description", "$comment", "default"];
const SCALARS: readonly string[] = ["string", "integer", "number", "boolean", "null"] satisfies Scalar[];

/** Parses the text of one `*.schema.json`. */
export function parseSchemaFile(file: string, text: string): SchemaFile {
  const place = { file, pointer: "" };
  const root = asObject(JSON.parse(text), place);
  allow(root, ["$schema", "$id", "description", "$defs"], place);
  if (root.$schema !== "https://json-schema.org/draft/2020-12/schema") fail(under(place, "$schema"), "must name JSON Schema 2020-12");
  if (root.$id !== file) fail(under(place, "$id"), `must be ${JSON.stringify(file)}`);
  const definitions = Object.entries(asObject(root.$defs, under(place, "$defs"))).map(([name, schema]) => {
    const at = under(under(place, "$defs"), name);
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) fail(at, "a definition is named in PascalCase, since it becomes a type");
    return { name, description: describe(schema, at), shape: parseShape(schema, at) };
  });
  return { file, description: describe(root, place) ?? fail(place, "needs a description"), definitions };
}

function parseShape(schema: unknown, at: Place): Shape {
  if (schema === true) return { kind: "any" };
  if (schema === false) return { kind: "absent" };
  const source = asObject(schema, at);
  if (source.$ref !== undefined) return parseRef(source, at);
  if (source.const !== undefined || source.enum !== undefined) return parseLiteral(source, at);
  if (source.oneOf !== undefined || (source.anyOf !== undefined && source.type === undefined)) return parseUnion(source, at);
  if (source.type === "object") return parseObject(source, at);
  if (source.type === "array") return parseList(source, at);
  if (source.type !== undefined) return parseScalar(source, at);
  allow(source, [], at);
  return { kind: "any" };
}

function parseRef(source: Json, at: Place): Shape {
  allow(source, ["$ref"], at);
  return { kind: "ref", ...parseTarget(source.$ref, under(at, "$ref")) };
}

function parseTarget(ref: unknown, at: Place): Target {
  const match = /^([a-z0-9.-]*)#\/\$defs\/([A-Za-z0-9]+)$/.exec(asString(ref, at));
  if (match === null) fail(at, `unknown $ref ${JSON.stringify(ref)}: it must be FILE#/$defs/NAME`);
  return { file: match[1] === "" ? at.file : match[1]!, name: match[2]! };
}

function parseLiteral(source: Json, at: Place): Shape {
  allow(source, ["const", "enum"], at);
  const values = source.enum === undefined ? [source.const] : asList(source.enum, under(at, "enum"));
  if (values.length === 0) fail(under(at, "enum"), "lists nothing");
  return { kind: "literal", values: values.map((value) => asLiteral(value, at)) };
}

function parseUnion(source: Json, at: Place): Shape {
  const keyword = source.oneOf === undefined ? "anyOf" : "oneOf";
  allow(source, [keyword], at);
  const options = asList(source[keyword], under(at, keyword));
  if (options.length < 2) fail(under(at, keyword), "needs at least two options");
  return { kind: "union", options: options.map((option, index) => parseShape(option, under(under(at, keyword), index))) };
}

function parseScalar(source: Json, at: Place): Shape {
  const types = (Array.isArray(source.type) ? source.type : [source.type]).map((type) => {
    if (typeof type !== "string" || !SCALARS.includes(type)) fail(under(at, "type"), `unknown type ${JSON.stringify(type)} in this place`);
    return type as Scalar; // the line above has looked it up
  });
  const numeric = types.includes("integer") || types.includes("number");
  if (types.length === 1 && types[0] === "string" && source.not !== undefined) {
    allow(source, ["type", "not"], at);
    const inside = under(at, "not");
    const not = asObject(source.not, inside);
    allow(not, ["enum"], inside);
    return { kind: "otherString", except: asList(not.enum, under(inside, "enum")).map((value) => asString(value, inside)) };
  }
  allow(source, ["type", ...(numeric ? ["minimum", "maximum"] : []), ...(types.includes("string") ? ["minLength"] : [])], at);
  if (source.minLength !== undefined && (source.minLength !== 1 || types.length > 1)) {
    fail(under(at, "minLength"), "can only be 1, and on strings alone");
  }
  return {
    kind: "scalar",
    types,
    ...(source.minimum === undefined ? {} : { minimum: asNumber(source.minimum, under(at, "minimum")) }),
    ...(source.maximum === undefined ? {} : { maximum: asNumber(source.maximum, under(at, "maximum")) }),
    notEmpty: source.minLength === 1,
  };
}

function parseList(source: Json, at: Place): Shape {
  allow(source, ["type", "items", "minItems", "maxItems"], at);
  return {
    kind: "list",
    items: parseShape(source.items ?? fail(at, "a list needs items"), under(at, "items")),
    minItems: source.minItems === undefined ? 0 : asNumber(source.minItems, under(at, "minItems")),
    ...(source.maxItems === undefined ? {} : { maxItems: asNumber(source.maxItems, under(at, "maxItems")) }),
  };
}

function parseObject(source: Json, at: Place): Shape {
  allow(source, ["type", "allOf", "properties", "required", "additionalProperties", "anyOf", "if", "then"], at);
  const properties = asObject(source.properties ?? {}, under(at, "properties"));
  const required = asList(source.required ?? [], under(at, "required")).map((name) => asString(name, under(at, "required")));
  const bases = asList(source.allOf ?? [], under(at, "allOf")).map((base, index) => {
    const place = under(under(at, "allOf"), index);
    const reference = asObject(base, place);
    allow(reference, ["$ref"], place);
    return parseTarget(reference.$ref, under(place, "$ref"));
  });
  const shapeless = required.find((name) => !Object.hasOwn(properties, name));
  if (shapeless !== undefined) fail(under(at, "required"), `names ${shapeless}, which has no shape here`);
  const extra = source.additionalProperties;
  if (extra === false) fail(under(at, "additionalProperties"), "unknown members always pass: false is not possible");
  return {
    kind: "object",
    bases,
    members: Object.entries(properties).map(([name, schema]) => {
      const place = under(under(at, "properties"), name);
      return { name, required: required.includes(name), shape: parseShape(schema, place), description: describe(schema, place) };
    }),
    open: extra === true,
    values: extra === undefined || extra === true ? undefined : parseShape(extra, under(at, "additionalProperties")),
    someOf: source.anyOf === undefined ? [] : asList(source.anyOf, under(at, "anyOf")).map((item) => onlyRequired(item, under(at, "anyOf"))),
    when: source.if === undefined && source.then === undefined ? undefined : parseWhen(source, at),
  };
}

/** The one conditional that is known: where a member has a value, another one is required. */
function parseWhen(source: Json, at: Place): NonNullable<ObjectShape["when"]> {
  const condition = asObject(source.if, under(at, "if"));
  allow(condition, ["properties", "required"], under(at, "if"));
  const [entry, ...rest] = Object.entries(asObject(condition.properties, under(at, "if")));
  if (entry === undefined || rest.length > 0) fail(under(at, "if"), "must look at exactly one member");
  const tested = asObject(entry[1], under(at, "if"));
  allow(tested, ["const"], under(at, "if"));
  if (onlyRequired({ required: condition.required }, under(at, "if")) !== entry[0]) {
    fail(under(at, "if"), "must require the member that it looks at");
  }
  return { member: entry[0], equals: asLiteral(tested.const, under(at, "if")), required: onlyRequired(source.then, under(at, "then")) };
}

function onlyRequired(schema: unknown, at: Place): string {
  const source = asObject(schema, at);
  allow(source, ["required"], at);
  const names = asList(source.required, under(at, "required"));
  if (names.length !== 1) fail(under(at, "required"), "must name exactly one member");
  return asString(names[0], at);
}

function allow(source: Json, keywords: readonly string[], at: Place): void {
  for (const keyword of Object.keys(source)) {
    if (keywords.includes(keyword) || ANNOTATIONS.includes(keyword)) continue;
    fail(under(at, keyword), `the keyword ${JSON.stringify(keyword)} is not known here`);
  }
}

function describe(schema: unknown, at: Place): string | undefined {
  if (typeof schema !== "object" || schema === null || !("description" in schema)) return undefined;
  return asString(schema.description, under(at, "description"));
}

export function under(at: Place, step: string | number): Place {
  return { file: at.file, pointer: `${at.pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}` };
}

/** Stops the generator, and says where. */
export function fail(at: Place, reason: string): never {
  throw new Error(`${at.file}#${at.pointer}: ${reason}`);
}

function asObject(value: unknown, at: Place): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(at, "must be an object");
  return value as Json; // parsed JSON that is neither null nor a list
}

function asList(value: unknown, at: Place): readonly unknown[] {
  return Array.isArray(value) ? value : fail(at, "must be a list");
}

function asString(value: unknown, at: Place): string {
  return typeof value === "string" ? value : fail(at, "must be a string");
}

function asNumber(value: unknown, at: Place): number {
  return typeof value === "number" ? value : fail(at, "must be a number");
}

function asLiteral(value: unknown, at: Place): Literal {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return fail(at, "must be a string, number, boolean or null");
}
