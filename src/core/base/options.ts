import { LocalError } from "./errors.ts";
import { didYouMean } from "./nearest.ts";

// Each is how the message says it; `fits` reads its last word.
type Kind = "any" | "a list" | "a boolean" | "a function" | "a number" | "a positive number" | "an object" | "a string" | readonly string[];

// A union of several kinds is "any": whoever reads it looks at it.
type KindOf<Value> =
  | "any"
  | ([Value] extends [string]
      ? string extends Value ? "a string" : readonly Value[]
      : [Value] extends [boolean]
        ? "a boolean"
        : [Value] extends [number]
          ? "a number" | "a positive number"
          : [Value] extends [readonly unknown[]]
            ? "a list"
            : [Value] extends [(...args: never[]) => unknown] ? "a function" : "an object");

/** What each member of an options object may be, or the words that it takes. The compiler holds a table to its type: it leaves nothing out. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: KindOf<Exclude<Options[Name], undefined>> };

/**
 * Throws `invalid_argument` for what JavaScript lets through in the place of options: a misspelt `authenticate` would silently let everybody in. Asked
 * once for whatever is made of the options, never for each message. `whose` begins the sentence: "the options of a guard".
 */
export function checkOptions(given: unknown, whose: string, table: Readonly<Record<string, Kind>>): void {
  const wrong = (what: string) => new LocalError("invalid_argument", what);
  if (!fits(given, "an object")) throw wrong(`${whose} must be an object${given === null ? ": got null; leave them out for none" : ""}`);
  // An object, as has just been seen.
  for (const [name, value] of Object.entries(given as object)) {
    if (!Object.hasOwn(table, name)) {
      const known = Object.keys(table);
      throw wrong(`${whose} have no ${JSON.stringify(name)}: ${didYouMean(name, known, `known are ${known.join(", ")}`)}`);
    }
    const kind = table[name]!;
    if (value === undefined || fits(value, kind)) continue;
    throw wrong(`${name} in ${whose} must be ${typeof kind === "object" ? kind.map((word) => JSON.stringify(word)).join(" or ") : kind}`);
  }
}

function fits(value: unknown, kind: Kind): boolean {
  if (kind === "any") return true;
  if (typeof kind === "object") return (kind as readonly unknown[]).includes(value);
  if (Array.isArray(value)) return kind === "a list";
  if (typeof value === "number" && !(value > 0)) return value === 0 && kind === "a number";
  return value !== null && kind.endsWith(` ${typeof value}`);
}

/** Those that a table has: for whoever passes a part of its options on to what refuses the others. */
export function pickOptions<Options extends object>(options: Options, table: object): Options {
  // A part of its own members; that those which must be there are in the table is for the caller to see to.
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(table, name))) as Options;
}
