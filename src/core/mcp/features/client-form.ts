import { ownMember, setMember, type JsonObject } from "../../base/json.ts";
import { missing, under, type Problem } from "../../wire/check.ts";
import { checkFormValue, type FormField, type FormList, type FormSchema, type FormString } from "../../wire/gen/mcp.ts";

/** The first thing for which content does not fit a form that has been found sound. Fields that nobody asked for must be plain values. */
export function problemOfContent(schema: FormSchema, content: JsonObject): Problem | undefined {
  for (const name of schema.required ?? []) if (ownMember(content, name) === undefined) return missing(name);
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const odd = checkFormValue(value);
    if (odd !== undefined) return under(name, odd);
    const reason = Object.hasOwn(schema.properties, name) ? problemOfValue(schema.properties[name], value) : undefined;
    if (reason !== undefined) return under(name, { path: "", reason });
  }
  return undefined;
}

function problemOfValue(field: FormField | undefined, value: unknown): string | undefined {
  switch (field?.type) {
    case undefined:
      return undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be a boolean";
    case "number":
    case "integer":
      if (typeof value !== "number") return "must be a number";
      if (field.type === "integer" && !Number.isInteger(value)) return "must be an integer";
      return problemOfSize(field.minimum, field.maximum, value, "must have a value");
    case "string":
      return typeof value === "string" ? problemOfText(field, value) : "must be a string";
    case "array":
      return Array.isArray(value) ? problemOfList(field, value) : "must be a list";
  }
}

function problemOfText(field: FormString, value: string): string | undefined {
  const choices = field.enum ?? field.oneOf?.map((choice) => choice.const);
  if (choices !== undefined && !choices.includes(value)) return "must be one of the choices";
  if (field.format !== undefined && !FORMATS[field.format](value)) return `must have the format ${field.format}`;
  if (field.minLength === undefined && field.maxLength === undefined) return undefined;
  // JSON Schema counts code points, not units of UTF-16.
  return problemOfSize(field.minLength, field.maxLength, [...value].length, "must have a length");
}

function problemOfList(field: FormList, value: readonly unknown[]): string | undefined {
  const choices: readonly unknown[] = field.items.enum ?? field.items.anyOf?.map((choice) => choice.const) ?? [];
  if (!value.every((item) => choices.includes(item))) return "must hold choices that were offered";
  return problemOfSize(field.minItems, field.maxItems, value.length, "must have a number of choices");
}

function problemOfSize(least: number | undefined, most: number | undefined, size: number, what: string): string | undefined {
  if (least !== undefined && size < least) return `${what} of at least ${least}`;
  return most !== undefined && size > most ? `${what} of at most ${most}` : undefined;
}

const DATE = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  // Day 0 of the month after is the last day of this one.
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

const FORMATS: Readonly<Record<NonNullable<FormString["format"]>, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: isUri,
  date: isDate,
  "date-time": (text) => isDate(text.slice(0, 10)) && /^[Tt ]$/.test(text.slice(10, 11)) && TIME.test(text.slice(11)),
};

/** Whether a text starts with a scheme and holds no blanks: enough to tell a slip from a URI, and no promise about where it leads. */
export function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text);
}

/** The defaults of a form's fields, for showing it to a user, and over them what is filled in already. */
export function withDefaults(schema: FormSchema, content: JsonObject = {}): JsonObject {
  const filled: JsonObject = {};
  for (const [name, field] of Object.entries(schema.properties)) if (field.default !== undefined) setMember(filled, name, field.default);
  for (const [name, value] of Object.entries(content)) if (value !== undefined) setMember(filled, name, value);
  return filled;
}
