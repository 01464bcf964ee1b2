import { didYouMean } from "../core/base/nearest.ts";
import { UsageError } from "./errors.ts";
import { formatTable } from "./table.ts";

/** One option of a verb. */
export interface OptionSpec {
  readonly name: string;
  /** One letter that does the same: `-c`. */
  readonly short?: string;
  /** What stands for its value in the help; absent for a flag. */
  readonly value?: string;
  readonly many?: boolean;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Its value is the name of an upstream of the configuration: for the completion of shells. */
  readonly names?: "upstreams";
}

export interface ParsedOptions {
  /** The values of each option, in order. A flag that is set has one empty value. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  /** What follows `--`, if that was there. */
  readonly rest: readonly string[] | undefined;
}

// An empty path would be the current folder.
const EMPTY = "a variable in it may not be set";

/** Reads `--name value`, `--name=value`, `-n value` and flags, up to `--`. Throws a `UsageError` that names the word that is wrong; `help` is where to read on. */
export function parseOptions(words: readonly string[], specs: readonly OptionSpec[], help?: string): ParsedOptions {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "") throw new UsageError(`word ${index + 1} is empty`, EMPTY);
    if (word === "--") return { values, positionals, rest: words.slice(index + 1) };
    const short = /^-[A-Za-z]$/.test(word) ? specs.find((candidate) => candidate.short === word[1]) : undefined;
    // A dash alone is stdin, wherever a word may be a file.
    if ((!word.startsWith("-") || word === "-") && short === undefined) {
      positionals.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const name = short?.name ?? word.slice(0, equals === -1 ? undefined : equals).replace(/^--?/, "");
    const spec = word.startsWith("--") || short !== undefined ? specs.find((candidate) => candidate.name === name) : undefined;
    if (spec === undefined) {
      throw new UsageError(`unknown option ${word.startsWith("--") ? "--" : "-"}${name}`, didYouMean(`--${name}`, specs.map((candidate) => `--${candidate.name}`), help));
    }
    const value = readValue(spec, equals === -1 ? undefined : word.slice(equals + 1), words[index + 1]);
    if (spec.value !== undefined && equals === -1) index++;
    const before = values.get(name);
    if (before !== undefined && spec.many !== true) throw new UsageError(`--${name} is given twice`);
    values.set(name, [...(before ?? []), value]);
  }
  return { values, positionals, rest: undefined };
}

function readValue(spec: OptionSpec, attached: string | undefined, next: string | undefined): string {
  if (spec.value === undefined) {
    if (attached !== undefined) throw new UsageError(`--${spec.name} takes no value`);
    return "";
  }
  const value = attached ?? next;
  if (value === undefined || value === "--") throw new UsageError(`--${spec.name} needs a value`, `--${spec.name} ${spec.value}`);
  if (value === "") throw new UsageError(`--${spec.name} is empty`, EMPTY);
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    throw new UsageError(`--${spec.name} must be one of ${spec.choices.join(", ")}, not ${JSON.stringify(value)}`, didYouMean(value, spec.choices, undefined));
  }
  return value;
}

/** The option table of a help text. */
export function describeOptions(specs: readonly OptionSpec[]): string {
  return formatTable(specs.map(({ name, short, value, help }) => [`${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`, help]));
}

/** A whole number from an option, or `undefined` where it is not set. */
export function wholeOption(values: ReadonlyMap<string, readonly string[]>, name: string, most: number, unit = ""): number | undefined {
  const text = values.get(name)?.[0];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most) throw new UsageError(`--${name} must be a whole number${unit} from 1 to ${most}, not ${JSON.stringify(text)}`);
  return value;
}

/** A whole number of milliseconds from an option, or `undefined` where it is not set. */
export function millisecondsOption(values: ReadonlyMap<string, readonly string[]>, name: string): number | undefined {
  return wholeOption(values, name, 2_147_483_647, " of milliseconds");
}

/** A point in time from an option, in milliseconds since the epoch, or `undefined` where it is not set. */
export function timeOption(values: ReadonlyMap<string, readonly string[]>, name: string): number | undefined {
  const text = values.get(name)?.[0];
  if (text === undefined) return undefined;
  const when = Date.parse(text);
  if (Number.isNaN(when)) throw new UsageError(`--${name} must be a time, not ${JSON.stringify(text)}`, `--${name} 2026-07-28T12:00Z`);
  return when;
}
