// Straight-line validators from shapes. They allocate nothing unless they find a problem, and read own members alone.
import { group, inlineOf, joinInlines, type Inline, type InlineNames } from "./emit-inline.ts";
import { isOpenOption } from "./emit-types.ts";
import { fail, type Definition, type Member, type ObjectShape, type Place, type Shape, type Target } from "./shapes.ts";

const WIDTH = 140;

/** What the emitter asks of the module that it writes into. */
export interface CheckNames extends InlineNames {
  /** A helper of check.ts. */
  helper(name: "isObject" | "mustBe" | "wrong" | "missing" | "unwanted" | "under"): string;
  /** The validator of a definition, here or in another module. */
  check(target: Target): string;
}

/** The exported validator of one definition, after the local functions that it needs. */
export function emitCheck(definition: Definition, at: Place, names: CheckNames): string {
  const functions: string[] = [];

  function emitFunction(name: string, shape: Shape, exported: boolean): void {
    const body = bodyOf(name, shape);
    functions.push(`${exported ? "export " : ""}function ${name}(value: unknown): Problem | undefined {\n${body}}\n`);
  }

  function bodyOf(name: string, shape: Shape): string {
    const inline = inlineOf(shape, at, names);
    if (inline !== undefined) {
      return `${inline.kind === "" ? "" : ifReturn("  ", inline.isWrong("value"), mustBe(inline))}  return undefined;\n`;
    }
    switch (shape.kind) {
      case "object":
        return objectBody(name, shape);
      case "list":
        return listBody(name, shape);
      case "union":
        return unionBody(name, shape.options);
      case "ref":
        return `  return ${names.check(shape)}(value);\n`;
      default:
        return fail(at, `no validator for ${shape.kind}`);
    }
  }

  function objectBody(name: string, shape: ObjectShape): string {
    const checked = shape.members.filter((member) => member.shape.kind !== "any" || member.required);
    const nested = [...checked.map((member) => member.shape), ...(shape.values === undefined ? [] : [shape.values])];
    const calls = shape.bases.length > 0 || nested.some(needsCall);
    const present = checked.filter((member) => member.shape.kind !== "absent");
    let body = `  if (!${names.helper("isObject")}(value)) return ${names.helper("mustBe")}("an object");\n`;
    if (calls) body += "  let found: Problem | undefined;\n";
    for (const base of shape.bases) body += `  if ((found = ${names.check(base)}(value)) !== undefined) return found;\n`;
    if (present.length > 0) body += "  let member: unknown;\n";
    for (const member of checked) body += memberLines(name, member);
    if (shape.someOf.length > 0) {
      const list = shape.someOf.map((option) => JSON.stringify(option)).join(" or ");
      const none = shape.someOf.map((option) => `(${isAbsent(option)})`).join(" && ");
      body += ifReturn("  ", none, `{ path: "", reason: ${quote(`must have the member ${list}`)} }`);
    }
    if (shape.when !== undefined) {
      const { member, equals, required } = shape.when;
      const equal = `Object.hasOwn(value, ${JSON.stringify(member)}) && ${access(member)} === ${JSON.stringify(equals)}`;
      const condition = `${equal} && (${isAbsent(required)})`;
      body += ifReturn("  ", condition, `${names.helper("missing")}(${JSON.stringify(required)})`);
    }
    if (shape.values !== undefined) body += valuesLines(name, shape, shape.values);
    return `${body}  return undefined;\n`;
  }

  function memberLines(name: string, member: Member): string {
    const key = JSON.stringify(member.name);
    const own = readOwn(member.name);
    if (member.shape.kind === "absent") return ifReturn("  ", isPresent(member.name), `${names.helper("unwanted")}(${key})`);
    if (member.shape.kind === "any") return ifReturn("  ", isAbsent(member.name), `${names.helper("missing")}(${key})`);
    const read = `  member = ${own};\n`;
    const inline = inlineOf(member.shape, at, names);
    if (inline !== undefined) {
      const wrong = member.required ? inline.isWrong("member") : `member !== undefined && ${group(inline.isWrong("member"))}`;
      return read + ifReturn("  ", wrong, `${names.helper("wrong")}(member, ${key}, ${quote(`must be ${inline.kind}`)})`);
    }
    const call = `(found = ${checkFor(`${name}${pascal(member.name)}`, member.shape)}(member)) !== undefined`;
    const back = `return ${names.helper("under")}(${key}, found);\n`;
    if (!member.required) return `${read}  if (member !== undefined && ${call}) ${back}`;
    return `${read}  if (member === undefined) return ${names.helper("missing")}(${key});\n  if (${call}) ${back}`;
  }

  function valuesLines(name: string, shape: ObjectShape, values: Shape): string {
    const skip = shape.members.map((member) => `key === ${JSON.stringify(member.name)}`).join(" || ");
    let body = "  for (const key of Object.keys(value)) {\n";
    if (skip !== "") body += `    if (${skip}) continue;\n`;
    body += "    const item = value[key];\n";
    return `${body}${itemLines(`${name}Value`, values, "key", "item !== undefined && ")}  }\n`;
  }

  function listBody(name: string, shape: Extract<Shape, { kind: "list" }>): string {
    let body = `  if (!Array.isArray(value)) return ${names.helper("mustBe")}("a list");\n`;
    const least = shape.minItems;
    if (least > 0) body += ifReturn("  ", `value.length < ${least}`, `${names.helper("mustBe")}("a list of at least ${least}")`);
    const most = shape.maxItems;
    if (most !== undefined) body += ifReturn("  ", `value.length > ${most}`, `${names.helper("mustBe")}("a list of at most ${most}")`);
    if (shape.items.kind === "any") return `${body}  return undefined;\n`;
    if (needsCall(shape.items)) body += "  let found: Problem | undefined;\n";
    body += "  for (let index = 0; index < value.length; index++) {\n    const item: unknown = value[index];\n";
    return `${body}${itemLines(`${name}Item`, shape.items, "index", "")}  }\n  return undefined;\n`;
  }

  function itemLines(name: string, shape: Shape, step: string, guard: string): string {
    const inline = inlineOf(shape, at, names);
    if (inline !== undefined) {
      const wrong = inline.isWrong("item");
      return ifReturn("    ", `${guard}${guard === "" ? wrong : group(wrong)}`, `${names.helper("under")}(${step}, ${mustBe(inline)})`);
    }
    return ifReturn("    ", `${guard}(found = ${checkFor(name, shape)}(item)) !== undefined`, `${names.helper("under")}(${step}, found)`);
  }

  function unionBody(name: string, options: readonly Shape[]): string {
    const key = discriminatorOf(options);
    if (key !== undefined) return switchBody(options, key);
    // Options of different JSON types: an object and a list have functions of their own, the rest is one condition.
    const inlines = options.map((option) => inlineOf(option, at, names)).filter((inline) => inline !== undefined);
    const complex = options.filter((option) => inlineOf(option, at, names) === undefined);
    const lists = complex.filter((option) => resolveShape(option).kind === "list");
    const objects = complex.filter((option) => isObjectLike(resolveShape(option)));
    const objectCount = objects.length + inlines.filter((inline) => inline.types.includes("object")).length;
    if (complex.length === 0 || objects.length + lists.length < complex.length || objectCount > 1 || lists.length > 1) {
      return fail(at, "the options of a union must differ by a constant member, or be one object and one list beside scalars");
    }
    let body = "";
    const [object] = objects;
    if (object !== undefined) body += `  if (${names.helper("isObject")}(value)) return ${checkFor(`${name}Object`, object)}(value);\n`;
    const [list] = lists;
    if (list !== undefined) body += `  if (Array.isArray(value)) return ${checkFor(`${name}List`, list)}(value);\n`;
    const composed = [...(object === undefined ? [] : ["an object"]), ...(list === undefined ? [] : ["a list"])];
    if (inlines.length === 0) return `${body}  return ${names.helper("mustBe")}(${quote(composed.join(" or "))});\n`;
    const rest = joinInlines(inlines);
    const kind = [rest.kind, ...composed].join(" or ");
    return `${body}${ifReturn("  ", rest.isWrong("value"), `${names.helper("mustBe")}(${quote(kind)})`)}  return undefined;\n`;
  }

  function isObjectLike(shape: Shape): boolean {
    return shape.kind === "object" || (shape.kind === "union" && discriminatorOf(shape.options) !== undefined);
  }

  function switchBody(options: readonly Shape[], key: string): string {
    const known: string[] = [];
    let open: readonly string[] | undefined;
    let cases = "";
    for (const option of options) {
      const shape = memberOf(option, key)?.shape;
      if (shape?.kind === "otherString") {
        open = shape.except;
        continue;
      }
      if (shape?.kind !== "literal" || option.kind !== "ref") return fail(at, "an option of a union must be a $ref");
      for (const value of shape.values) {
        known.push(JSON.stringify(value));
        cases += `    case ${JSON.stringify(value)}:\n`;
      }
      // The one option that may leave the discriminator out.
      if (memberOf(option, key)?.required === false) cases += "    case undefined:\n";
      cases += `      return ${names.check(option)}(value);\n`;
    }
    if (open !== undefined && [...open].sort().join() !== known.map((value) => String(JSON.parse(value))).sort().join()) {
      fail(at, "the option for other types must exclude exactly the types of the options before it");
    }
    const quoted = JSON.stringify(key);
    const reason = open === undefined ? `must be one of ${known.join(", ")}` : "must be a string";
    const wrong = `${names.helper("wrong")}(kind, ${quoted}, ${quote(reason)})`;
    return (
      `  if (!${names.helper("isObject")}(value)) return ${names.helper("mustBe")}("an object");\n` +
      `  const kind = ${readOwn(key)};\n  switch (kind) {\n${cases}` +
      `    default:\n      return ${open === undefined ? wrong : `typeof kind === "string" ? undefined : ${wrong}`};\n  }\n`
    );
  }

  function discriminatorOf(options: readonly Shape[]): string | undefined {
    const first = options[0] === undefined ? undefined : resolveShape(options[0]);
    if (first?.kind !== "object") return undefined;
    return first.members.find(({ name }) => {
      const members = options.map((option) => memberOf(option, name));
      const tell = members.every((member, index) => {
        if (member?.shape.kind === "literal") return true;
        return member?.shape.kind === "otherString" && member.required && isOpenOption(options[index]!);
      });
      return tell && members.filter((member) => member?.required !== true).length <= 1;
    })?.name;
  }

  function memberOf(option: Shape, name: string): Member | undefined {
    const shape = resolveShape(option);
    return shape.kind === "object" ? shape.members.find((member) => member.name === name) : undefined;
  }

  function resolveShape(shape: Shape): Shape {
    return shape.kind === "ref" ? resolveShape(names.resolve(shape, at).shape) : shape;
  }

  function checkFor(name: string, shape: Shape): string {
    if (shape.kind === "ref") return names.check(shape);
    emitFunction(name, shape, false);
    return name;
  }

  function needsCall(shape: Shape): boolean {
    return shape.kind !== "absent" && inlineOf(shape, at, names) === undefined;
  }

  function mustBe(inline: Inline): string {
    return `${names.helper("mustBe")}(${quote(inline.kind)})`;
  }

  emitFunction(`check${definition.name}`, definition.shape, true);
  return functions.join("\n");
}

function ifReturn(indent: string, condition: string, value: string): string {
  const line = `${indent}if (${condition}) return ${value};\n`;
  if (line.length <= WIDTH + 1) return line;
  const lines = condition.length > WIDTH - 10 ? condition.replaceAll(" && ", ` &&\n${indent}  `) : condition;
  return `${indent}if (${lines}) {\n${indent}  return ${value};\n${indent}}\n`;
}

/** A literal that is easy to read where the text itself holds quotes. */
function quote(text: string): string {
  return text.includes('"') && !/[`\\$]/.test(text) ? `\`${text}\`` : JSON.stringify(text);
}

function readOwn(member: string): string {
  return `Object.hasOwn(value, ${JSON.stringify(member)}) ? ${access(member)} : undefined`;
}

function isPresent(member: string): string {
  return `Object.hasOwn(value, ${JSON.stringify(member)}) && ${access(member)} !== undefined`;
}

function isAbsent(member: string): string {
  return `!Object.hasOwn(value, ${JSON.stringify(member)}) || ${access(member)} === undefined`;
}

function access(member: string): string {
  // In brackets for compilers that want it so of members that a type does not name.
  return `value[${JSON.stringify(member)}]`;
}

function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9])+([a-z0-9])/gi, (_match, first: string) => first.toUpperCase()).replace(/[^A-Za-z0-9]/g, "");
}
