#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { describeError, LocalError } from "../core/base/errors.ts";
import { nearest, UsageError } from "./errors.ts";
import { failureCode, wrap } from "./wrap.ts";

const HELP = `mcp-interceptors: interceptors for the Model Context Protocol (SEP-2624)

  mcp-interceptors wrap [OPTIONS] -- COMMAND [ARGS…]   put interceptors in front of an MCP server on stdio
  mcp-interceptors help [VERB]                         this text, or that of a verb
  mcp-interceptors version                             the version of this package
`;

type Verb = (words: readonly string[]) => Promise<number> | number;

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["wrap", wrap],
  ["help", help],
  ["version", version],
]);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-v", "version"],
]);

function help(words: readonly string[]): Promise<number> | number {
  const [word] = words;
  if (word !== undefined && word !== "help" && word !== "version") return verbNamed(word)(["--help"]);
  process.stdout.write(HELP);
  return 0;
}

function version(): number {
  // The manifest is two folders up, from the sources as from the build.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const text = typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
  process.stdout.write(`${text}\n`);
  return 0;
}

function verbNamed(word: string): Verb {
  const verb = VERBS.get(ALIASES.get(word) ?? word);
  if (verb !== undefined) return verb;
  const meant = nearest(word, VERBS.keys());
  throw new UsageError(`unknown verb ${JSON.stringify(word)}`, meant === undefined ? "mcp-interceptors help" : `did you mean ${meant}?`);
}

async function main(words: readonly string[]): Promise<number> {
  const [word, ...rest] = words;
  if (word === undefined) {
    process.stderr.write(HELP);
    return 2;
  }
  return verbNamed(word)(rest);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  if (thrown instanceof UsageError) {
    process.stderr.write(`mcp-interceptors: ${thrown.message}\n${thrown.hint === undefined ? "" : `  ${thrown.hint}\n`}`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`mcp-interceptors: ${thrown instanceof LocalError ? thrown.message : `unexpected: ${describeError(thrown)}`}\n`);
    process.exitCode = failureCode(thrown);
  }
}
