// Conditions for shapes that are simple enough to be tested where they stand.
import { isPlain } from "./emit-types.ts";
import type { Definition, Literal, Place, Shape, Target } from "./shapes.ts";

/** A test that needs no function of its own: a condition that is true for a wrong value, and what the value must be. */
export interface Inline {
  readonly isWrong: (value: string) => string;
  readonly kind: string;
  /** The JSON types that pass, to tell the options of a union apart. */
  readonly types: readonly string[];
}

/** What the conditions ask of the module that they stand in. */
export interface InlineNames {
  helper(name: "isObject"): string;
  resolve(target: Target, at: Place): Definition;
}

/** The inline test of a shape, if it is simple enough; references to simple definitions count. */
export function inlineOf(shape: Shape, at: Place, names: InlineNames): Inline | undefined {
  switch (shape.kind) {
    case "any":
      return { isWrong: () => "false", kind: "", types: [] };
    case "ref":
      return inlineOf(names.resolve(shape, at).shape, at, names);
    case "literal": {
      const list = shape.values.map((value) => JSON.stringify(value)).join(", ");
      return {
        isWrong: (value) => shape.values.map((literal) => `${value} !== ${JSON.stringify(literal)}`).join(" && "),
        kind: shape.values.length === 1 ? list : `one of ${list}`,
        types: [...new Set(shape.values.map((value: Literal) => (value === null ? "null" : typeof value)))],
      };
    }
    case "otherString":
      return {
        isWrong: (value) =>
          [`typeof ${value} !== "string"`, ...shape.except.map((name) => `${value} === ${JSON.stringify(name)}`)].join(" || "),
        kind: "another string",
        types: ["string"],
      };
    case "scalar":
      return joinInlines(shape.types.map((type) => scalarInline(type, shape)));
    case "object":
      if (!isPlain(shape)) return undefined;
      return { isWrong: (value) => `!${names.helper("isObject")}(${value})`, kind: "an object", types: ["object"] };
    case "union": {
      const inlines = shape.options.map((option) => inlineOf(option, at, names));
      return inlines.every((inline) => inline !== undefined) ? joinInlines(inlines) : undefined;
    }
    default:
      return undefined;
  }
}

function scalarInline(type: string, { minimum, maximum, notEmpty }: Extract<Shape, { kind: "scalar" }>): Inline {
  if (type === "null") return { isWrong: (value) => `${value} !== null`, kind: "null", types: ["null"] };
  if (type === "string") {
    return {
      isWrong: (value) => `typeof ${value} !== "string"${notEmpty ? ` || ${value} === ""` : ""}`,
      kind: notEmpty ? "a string that is not empty" : "a string",
      types: ["string"],
    };
  }
  if (type === "boolean") return { isWrong: (value) => `typeof ${value} !== "boolean"`, kind: "a boolean", types: ["boolean"] };
  const noun = type === "integer" ? "an integer" : "a number";
  const safe = type === "integer" && minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER;
  const whole = safe ? "isSafeInteger" : type === "integer" ? "isInteger" : "isFinite";
  const bounds = (value: string) =>
    (minimum === undefined || safe ? "" : ` || ${value} < ${minimum}`) + (maximum === undefined || safe ? "" : ` || ${value} > ${maximum}`);
  const range =
    safe ? " within ±(2^53 - 1)"
    : minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}`
    : minimum !== undefined ? ` of at least ${minimum}`
    : maximum !== undefined ? ` of at most ${maximum}`
    : "";
  return {
    isWrong: (value) => `typeof ${value} !== "number" || !Number.${whole}(${value})${bounds(value)}`,
    kind: `${noun}${range}`,
    types: ["number"],
  };
}

export function joinInlines(inlines: readonly Inline[]): Inline {
  if (inlines.length === 1) return inlines[0]!;
  return {
    isWrong: (value) => inlines.map((inline) => group(inline.isWrong(value))).join(" && "),
    kind: inlines.map((inline) => inline.kind).join(" or "),
    types: inlines.flatMap((inline) => inline.types),
  };
}

/** A condition that may stand beside `&&`. */
export function group(condition: string): string {
  return condition.includes("||") ? `(${condition})` : condition;
}
