import { readFileSync } from "node:fs";
import { describeError } from "../core/base/errors.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import { scanJson } from "../core/base/json-text.ts";
import { contextProblem } from "../core/wire/context.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { UsageError } from "./errors.ts";
import type { ParsedOptions } from "./options.ts";

/** Reads JSON from an option: a file, `-` for stdin, or the JSON itself where it begins like an object or a list. Throws a `UsageError` that says what is wrong. */
export function readJson(word: string, option: string): unknown {
  const inline = /^\s*[[{]/.test(word);
  const { value, refusal } = scanJson(inline ? word : textOf(word, option));
  if (refusal === undefined) return value;
  const place = `${refusal.pointer === "" ? "" : ` at ${refusal.pointer}`} (offset ${refusal.offset})`;
  throw new UsageError(`--${option}: ${inline ? "this" : word === "-" ? "stdin" : word} is no JSON that can be taken: ${refusal.message}${place}`);
}

/** The object in an option, or `undefined` where it is not set. */
export function objectOption({ values }: ParsedOptions, name: string): JsonObject | undefined {
  const word = values.get(name)?.[0];
  if (word === undefined) return undefined;
  const value = readJson(word, name);
  if (!isObject(value)) throw new UsageError(`--${name} must be an object`);
  return value;
}

function textOf(word: string, option: string): string {
  try {
    return readFileSync(word === "-" ? 0 : word, "utf8").replace(/^\ufeff/, "");
  } catch (thrown) {
    throw new UsageError(`--${option} ${word}: ${describeError(thrown)}`, `--${option} takes a file, - for stdin, or the JSON itself`);
  }
}

/** Who calls, of `--principal`: as conditions look at it, so a type need not be there. */
export function principalOption(parsed: ParsedOptions): Principal | undefined {
  const given = objectOption(parsed, "principal");
  if (given === undefined) return undefined;
  const principal = { type: "user", ...given };
  const problem = contextProblem({ principal });
  if (problem !== undefined) throw new UsageError(`--principal: ${problem}`, `--principal '{ "id": "ada", "claims": { … } }'`);
  return principal as Principal;
}
