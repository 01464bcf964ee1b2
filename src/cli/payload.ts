import { closeSync, openSync, readSync } from "node:fs";
import { utf8DecodeExact } from "../core/base/bytes.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Refusal } from "../core/base/json-refusal.ts";
import { scanJson } from "../core/base/json-text.ts";
import { contextProblem } from "../core/wire/context.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { describeUnread, UsageError } from "./errors.ts";
import type { ParsedOptions } from "./options.ts";

/** Whether a word is meant as the JSON itself rather than as a file. */
export function looksLikeJson(word: string): boolean {
  return /^\s*(?:[[{]|(?:null|true|false|-?\d[\d.]*(?:e[-+]?\d+)?|"[^]*")\s*$)/i.test(word);
}

/** Reads JSON from an option: a file, `-` for stdin, or the JSON itself where it begins like an object or a list, or is a text in quotes, a number, `null`, `true` or `false`. Throws a `UsageError` that says what is wrong. */
export function readJson(word: string, option: string): unknown {
  return readJsonOf(word, `--${option}`);
}

/** The same for what is no option: `what` is what it is called. */
export function readJsonOf(word: string, what: string): unknown {
  const inline = looksLikeJson(word);
  const text = inline ? word : textOf(word, what);
  if (!inline && text.trim() === "") throw new UsageError(`${what}: ${word === "-" ? "stdin" : word} is empty, and JSON is needed`);
  const { value, refusal } = scanJson(text);
  if (refusal === undefined) return value;
  const place = `${refusal.pointer === "" ? "" : ` at ${refusal.pointer}`} (offset ${refusal.offset})`;
  const hint = inline && refusal.code === "syntax" ? `for the shell, all of it goes in single quotes, and texts in double quotes: '{ "name": "value" }'` : undefined;
  throw new UsageError(`${what}: ${inline ? "this" : word === "-" ? "stdin" : word} is no JSON that can be taken: ${whatIsWrong(text, refusal)}${place}`, hint);
}

// Shells take the double quotes out of what is not in single ones, and programs write names without.
function whatIsWrong(text: string, { code, offset, message }: Refusal): string {
  if (code !== "syntax") return message;
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (/^['A-Za-z_$]/.test(text.slice(offset)) && before !== undefined && "{,".includes(before) && inObject(text, offset)) return "names need double quotes";
  return message.replace(` at offset ${offset}`, "");
}

// What is before the offset has been read as JSON.
function inObject(text: string, offset: number): boolean {
  const brackets = text.slice(0, offset).replace(/"(?:[^"\\]|\\.)*"/g, "");
  let depth = 0;
  for (let at = brackets.length - 1; at >= 0; at--) {
    const char = brackets[at];
    if (char === "]" || char === "}") depth++;
    if ((char === "[" || char === "{") && depth-- === 0) return char === "{";
  }
  return false;
}

/** The object in an option, or `undefined` where it is not set. */
export function objectOption({ values }: ParsedOptions, name: string): JsonObject | undefined {
  const word = values.get(name)?.[0];
  if (word === undefined) return undefined;
  const value = readJson(word, name);
  if (!isObject(value)) throw new UsageError(`--${name} must be an object`);
  return value;
}

// Far above what any message may have; below what a text can be.
const MAX_BYTES = 64 * 1024 ** 2;
const CHUNK_BYTES = 64 * 1024;

function textOf(word: string, what: string): string {
  const hint = `${what} takes a file, - for stdin, or the JSON itself`;
  if (word === "") throw new UsageError(`${what} is empty`, hint);
  const bytes = bytesOf(word, what, hint);
  if (bytes.length > MAX_BYTES) throw new UsageError(`${what} ${word}: it has more than ${MAX_BYTES} bytes`, "a message is smaller than that");
  const text = utf8DecodeExact(bytes);
  if (text === undefined) throw new UsageError(`${what} ${word}: it is no text in UTF-8`, hint);
  return text.replace(/^\ufeff/, "");
}

// Reads no more than tells that it is too much: a device has no end.
function bytesOf(word: string, what: string, hint: string): Buffer {
  let file: number | undefined;
  try {
    file = word === "-" ? 0 : openSync(word, "r");
    const chunks: Buffer[] = [];
    for (let length = 0; length <= MAX_BYTES; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readChunk(file, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
    return Buffer.concat(chunks);
  } catch (thrown) {
    throw new UsageError(`${what} ${word}: ${describeUnread(thrown)}`, hint);
  } finally {
    if (file !== undefined && file !== 0) closeSync(file);
  }
}

// Windows ends a pipe by an error.
function readChunk(file: number, chunk: Buffer): number {
  try {
    return readSync(file, chunk);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EOF") return 0;
    throw thrown;
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
