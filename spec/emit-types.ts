// TypeScript declarations from shapes.
import type { Definition, Member, ObjectShape, Shape } from "./shapes.ts";

/** What an emitter asks of the module that it writes into: each name that is used becomes an import, or is local. */
export interface Names {
  type(file: string, name: string): string;
}

const WIDTH = 140;

/** The exported declaration of one definition, with its doc comment. */
export function emitType({ name, description, shape }: Definition, names: Names): string {
  const comment = docComment(description, "");
  if (shape.kind !== "object" || shape.values !== undefined || isPlain(shape)) {
    return `${comment}export type ${name} = ${typeOf(shape, names)};\n`;
  }
  const bases = shape.bases.map((base) => names.type(base.file, base.name));
  const heritage = bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
  const lines = shape.members
    .filter((member) => member.shape.kind !== "absent")
    .map((member) => `${docComment(member.description, "  ")}  ${declare(member, names)};\n`);
  const rest = shape.open ? "  [member: string]: unknown;\n" : "";
  return `${comment}export interface ${name}${heritage} {\n${lines.join("")}${rest}}\n`;
}

function declare(member: Member, names: Names): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(member.name) ? member.name : JSON.stringify(member.name);
  return `${key}${member.required ? "" : "?"}: ${typeOf(member.shape, names)}`;
}

/** An object of which nothing is said. */
export function isPlain(shape: ObjectShape): boolean {
  return shape.members.length + shape.bases.length + shape.someOf.length === 0 && shape.values === undefined && shape.when === undefined;
}

function typeOf(shape: Shape, names: Names): string {
  switch (shape.kind) {
    case "any":
      return "unknown";
    case "absent":
      return "undefined";
    case "ref":
      return names.type(shape.file, shape.name);
    case "scalar":
      return [...new Set(shape.types.map((type) => (type === "integer" ? "number" : type)))].join(" | ");
    case "literal":
      return shape.values.map((value) => JSON.stringify(value)).join(" | ");
    case "otherString":
      return "string";
    case "list": {
      const items = typeOf(shape.items, names);
      return items.includes("|") || items.includes("{") ? `(${items})[]` : `${items}[]`;
    }
    case "union":
      // The option for types to come would swallow the others when a program narrows by the discriminator.
      return shape.options.filter((option) => !isOpenOption(option)).map((option) => typeOf(option, names)).join(" | ");
    case "object": {
      if (isPlain(shape)) return names.type("", "JsonObject");
      if (shape.values !== undefined) return `{ [member: string]: ${typeOf(shape.values, names)} }`;
      const members = shape.members.filter((member) => member.shape.kind !== "absent").map((member) => declare(member, names));
      return `{ ${[...members, ...(shape.open ? ["[member: string]: unknown"] : [])].join("; ")} }`;
    }
  }
}

/** The last option of an open union: an object whose discriminator is any other string. */
export function isOpenOption(shape: Shape): boolean {
  return shape.kind === "object" && shape.members.some((member) => member.shape.kind === "otherString");
}

function docComment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const safe = text.replaceAll("*/", "*\\/");
  if (indent.length + safe.length + 7 <= WIDTH) return `${indent}/** ${safe} */\n`;
  const lines: string[] = [];
  let line = "";
  for (const word of safe.split(" ")) {
    if (line !== "" && indent.length + line.length + word.length + 4 > WIDTH) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return `${indent}/**\n${[...lines, line].map((part) => `${indent} * ${part}\n`).join("")}${indent} */\n`;
}
