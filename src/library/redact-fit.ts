import { diffJson } from "../core/base/json-diff.ts";
import { valueAt } from "../core/base/json-pointer.ts";
import { formatPointer, isObject, type JsonObject, ownMember, parsePointer } from "../core/base/json.ts";
import { compileSchema, type CompiledSchema } from "../core/schema/schema.ts";

/** What tools have said about the data that they give, and masks that still are such data. */
export interface FittingMasks {
  /** Takes note of the output schemas in a result of `tools/list`. */
  learn(result: unknown): void;
  /**
   * `after`, structured content of the tool in which values of `before` are masked, with masks that its output schema takes. What no mask fits, or no
   * schema is known for, is `after` as it was.
   */
  fit(tool: string, before: unknown, after: unknown): unknown;
}

const MAX_TOOLS = 1_000;
const MAX_SCHEMA_CHARS = 100_000;

const BY_FORMAT: Readonly<Record<string, string>> = {
  email: "redacted@redacted.invalid",
  "idn-email": "redacted@redacted.invalid",
  hostname: "redacted.invalid",
  uri: "urn:redacted",
  url: "urn:redacted",
  ipv4: "0.0.0.0",
  ipv6: "::",
  uuid: "00000000-0000-0000-0000-000000000000",
  date: "1970-01-01",
  "date-time": "1970-01-01T00:00:00Z",
};

/** Numbers as they are written, for patterns: digits alone, E.164, North America, social security. */
const NUMBERS = ["0000000000000000", "+10000000000", "000-000-0000", "000-00-0000", "0.0.0.0", "::", "redacted@redacted.invalid"];

let fittingMasks: readonly string[] | undefined;

/** What a fitting mask may be that reads like sensitive text, those with numbers too: it is not masked again. */
export function everyFittingMask(): readonly string[] {
  return (fittingMasks ??= [...NUMBERS, ...Object.values(BY_FORMAT), ...NUMBERS.flatMap(withNumbers)]);
}

// All of them begin as such a number does, and stand for nothing else. Not `0.0.0.0`, dates and the empty UUID, which arguments are in their own right.
const ZEROS = /^(?:\+1000000\d{4}|000-000-\d{4}|000-00-\d{4}|0{16})$/;
const REDACTED = /\bredacted(?:-\d{1,4})?(?:@redacted)?\.invalid\b|\burn:redacted\b/;

/** Whether a text in small letters has a fitting mask in it that nobody would write for anything else, or is one of zeros as a whole. */
export function holdsFittingMask(text: string): boolean {
  return REDACTED.test(text) || ZEROS.test(text.trim());
}

function withNumbers(mask: string): readonly string[] {
  return Array.from({ length: MOST_NUMBERED - 1 }, (_, index) => String(numbered(mask, index + 2, Infinity)));
}

export function createFittingMasks(): FittingMasks {
  // By name, in the order in which they were last listed. As text until one is needed.
  const schemas = new Map<string, string>();
  return {
    learn(result) {
      const tools = isObject(result) ? ownMember(result, "tools") : undefined;
      if (!Array.isArray(tools)) return;
      for (const tool of tools) {
        const name: unknown = isObject(tool) ? ownMember(tool, "name") : undefined;
        const schema: unknown = isObject(tool) ? ownMember(tool, "outputSchema") : undefined;
        if (typeof name !== "string") continue;
        schemas.delete(name);
        const text = isObject(schema) ? JSON.stringify(schema) : "";
        if (text !== "" && text.length <= MAX_SCHEMA_CHARS) schemas.set(name, text);
        if (schemas.size > MAX_TOOLS) for (const oldest of schemas.keys()) if (schemas.delete(oldest)) break;
      }
    },
    fit(tool, before, after) {
      const text = schemas.get(tool);
      const schema: unknown = text === undefined ? undefined : JSON.parse(text);
      return isObject(schema) ? fitTo(schema, before, after) : after;
    },
  };
}

function fitTo(schema: JsonObject, before: unknown, after: unknown): unknown {
  const fitted: unknown = structuredCopy(after);
  // By the path of a list whose items must differ.
  const lists = new Map<string, UniqueMasks>();
  for (const { pointer, kind } of diffJson(before, after)) {
    const path = parsePointer(pointer);
    const last = path?.pop();
    // A masked member name has no value that was there before.
    if (kind !== "replaced" || path === undefined || last === undefined) continue;
    const part = schemaAt(schema, [...path, last]);
    const holder = valueAt(fitted, path);
    if (part === undefined || typeof holder !== "object" || holder === null) continue;
    // A list's places are members by their names, too.
    const members = holder as JsonObject;
    const listPath = uniqueListAt(schema, path);
    const key = listPath && formatPointer(listPath);
    let list = key === undefined ? undefined : lists.get(key);
    if (listPath !== undefined && key !== undefined && list === undefined) lists.set(key, (list = uniqueMasks(valueAt(before, listPath))));
    const mask = maskFor(part, schema, members[last], list);
    if (mask !== undefined) members[last] = mask;
  }
  return fitted;
}

/** The masks of one list whose items must differ: all of them differ, in whatever member of an item they are. */
interface UniqueMasks {
  /** As JSON text; what the list holds besides, too. */
  readonly used: Set<string>;
  /** The number that was given last. */
  count: number;
}

// Enough for lists that people read; beyond that the last mask is given again.
const MOST_NUMBERED = 1_000;

function uniqueMasks(list: unknown): UniqueMasks {
  return { used: new Set(Array.isArray(list) ? list.filter((item) => typeof item !== "object").map((item) => JSON.stringify(item)) : []), count: 0 };
}

/** The path of the outermost list around a place whose items must differ. */
function uniqueListAt(schema: JsonObject, path: readonly string[]): readonly string[] | undefined {
  for (let length = 0; length <= path.length; length++) {
    const part = path.slice(0, length);
    if (schemaAt(schema, part)?.["uniqueItems"] === true) return part;
  }
  return undefined;
}

function structuredCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const MOST_REFERENCES = 10;

/** The subschema for a place, by the plain keywords; nothing where others decide. */
function schemaAt(root: JsonObject, path: readonly string[]): JsonObject | undefined {
  let schema = resolve(root, root);
  for (const step of path) {
    if (schema === undefined) return undefined;
    const { properties, additionalProperties, prefixItems, items }: JsonObject = schema;
    const listed = Array.isArray(prefixItems) ? (prefixItems as unknown[])[Number(step)] : undefined;
    const named = isObject(properties) ? ownMember(properties, step) : undefined;
    schema = resolve(named ?? listed ?? (schema["type"] === "array" || items !== undefined ? items : additionalProperties), root);
  }
  return schema;
}

function resolve(schema: unknown, root: JsonObject): JsonObject | undefined {
  let found = schema;
  for (let count = 0; count < MOST_REFERENCES && isObject(found); count++) {
    const reference = found["$ref"];
    if (typeof reference !== "string") return found;
    const path = reference.startsWith("#") ? parsePointer(reference.slice(1)) : undefined;
    found = path?.reduce<unknown>((value, step) => (isObject(value) ? ownMember(value, step) : undefined), root);
  }
  return undefined;
}

/** The first of the masks that the subschema takes: the one there, one of its format, one in a usual shape, one of the right length, a number. */
function maskFor(part: JsonObject, root: JsonObject, mask: unknown, list?: UniqueMasks): unknown {
  const compiled = compile(part, root);
  if (compiled === undefined) return undefined;
  const { format, minLength, maxLength, minimum, maximum } = part;
  const byFormat = typeof format === "string" && Object.hasOwn(BY_FORMAT, format) ? [BY_FORMAT[format]] : [];
  const least = typeof minLength === "number" ? Math.min(minLength, 1_000) : 0;
  const most = typeof maxLength === "number" ? maxLength : 1_000;
  const sized = typeof mask === "string" ? [mask.slice(0, most), mask.padEnd(least, "x"), "x".repeat(Math.min(most, Math.max(least, 1))), "0".repeat(Math.min(most, Math.max(least, 1)))] : [];
  const candidates: unknown[] = [...byFormat, mask, ...NUMBERS, ...sized, 0, minimum, maximum];
  const fits = (candidate: unknown) => candidate !== undefined && compiled.check(candidate) === undefined;
  if (list === undefined) return candidates.find(fits);
  for (let number = list.count + 1; number <= MOST_NUMBERED; number++) {
    list.count = number;
    const found = candidates.map((candidate) => numbered(candidate, number, most)).find(fits);
    if (found === undefined) break;
    const text = JSON.stringify(found);
    if (list.used.has(text)) continue;
    list.used.add(text);
    return found;
  }
  return candidates.find(fits);
}

/** The mask of a number in a list; the first is the mask itself. */
function numbered(mask: unknown, number: number, maxLength: number): unknown {
  if (number === 1) return mask;
  if (typeof mask === "number") return mask + number - 1;
  if (typeof mask !== "string") return mask;
  if (mask === BY_FORMAT["date"]) return new Date((number - 1) * 86_400_000).toISOString().slice(0, 10);
  if (mask === BY_FORMAT["date-time"]) return new Date((number - 1) * 1_000).toISOString().replace(".000", "");
  if (mask === BY_FORMAT["uri"]) return `${mask}:${number}`;
  if (mask === BY_FORMAT["ipv4"]) return `0.0.${number >> 8}.${number & 0xff}`;
  if (mask === BY_FORMAT["ipv6"]) return `::${number.toString(16)}`;
  if (mask.endsWith("redacted.invalid")) return mask.replace("redacted", `redacted-${number}`);
  const zeros = /0+$/.exec(mask)?.[0].length ?? 0;
  const digits = String(number);
  if (zeros >= digits.length) return mask.slice(0, mask.length - digits.length) + digits;
  return `${mask.slice(0, Math.max(0, maxLength - digits.length - 1))}#${digits}`;
}

/** With what the root defines, for references. Nothing for a schema that cannot be used. */
function compile(part: JsonObject, root: JsonObject): CompiledSchema | undefined {
  try {
    const { $defs, definitions }: JsonObject = root;
    return compileSchema({ ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }), ...part });
  } catch {
    return undefined;
  }
}
