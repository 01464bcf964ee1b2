#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { describeError, LocalError } from "../core/base/errors.ts";
import { nearest } from "../core/base/nearest.ts";
import { readyMade } from "../library/catalog.ts";
import { audit } from "./audit.ts";
import { chain } from "./chain.ts";
import { check } from "./check.ts";
import { conformance } from "./conformance.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { explain } from "./explain.ts";
import { endProcess, ignoreBrokenPipes, reportForeignExit, type Exit } from "./exit.ts";
import { serveOwnAdapter } from "./fixture-adapter.ts";
import { serveFixtures } from "./fixture-server.ts";
import { gateway } from "./gateway.ts";
import { invoke } from "./invoke.ts";
import { list } from "./list.ts";
import { formatTable } from "./table.ts";
import type { Verb } from "./verb.ts";
import { wrap } from "./wrap.ts";

// In characters. It may quote what a server says.
const LONGEST_ERROR = 4000;

type Run = (words: readonly string[]) => Promise<Exit> | Exit;

// Those that have come later say themselves what they are.
const DEFINED: readonly Verb[] = [list, invoke, chain, explain];

const HELP = `mcp-interceptors: interceptors for the Model Context Protocol (SEP-2624)

Usage: mcp-interceptors VERB

${formatTable([
  ["wrap", "put interceptors in front of an MCP server on stdio"],
  ["gateway", "serve MCP servers through interceptors, as a file says"],
  ["check", "check such a file, and print what is guarded by what"],
  ...DEFINED.map(({ name, summary }): [string, string] => [name, summary]),
  ["audit", "check the audit logs of a gateway"],
  ["conformance", "measure an implementation against the vectors of SEP-2624"],
  ["fixture-server", "a server that hosts the interceptors of those vectors"],
  ["fixture-adapter", "a program that answers vectors about chains with our engine"],
  ["help [WORD]", "this text, or that of a verb or of a ready-made interceptor"],
  ["version", "the version of this package"],
])}

Try: mcp-interceptors help wrap
`;

const VERBS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ...DEFINED.map((verb): [string, Run] => [verb.name, verb.run]),
  ["wrap", wrap],
  ["gateway", gateway],
  ["check", check],
  ["audit", audit],
  ["conformance", conformance],
  ["fixture-server", serveFixtures],
  ["fixture-adapter", serveOwnAdapter],
  ["help", help],
  ["version", version],
]);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-v", "version"],
]);

function help(words: readonly string[]): Promise<Exit> | Exit {
  const [word] = words;
  const made = word === undefined ? undefined : readyMade.get(word);
  if (made !== undefined) {
    process.stdout.write(`${word}: ${made.summary}\n\nIts config, as a JSON Schema:\n${JSON.stringify(made.configSchema, null, 2)}\n`);
    return { code: 0 };
  }
  if (word !== undefined && word !== "help" && word !== "version") return verbNamed(word)(["--help"]);
  process.stdout.write(HELP);
  return { code: 0 };
}

function version(): Exit {
  // The manifest is two folders up, from the sources as from the build.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const text = typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
  process.stdout.write(`${text}\n`);
  return { code: 0 };
}

function verbNamed(word: string): Run {
  const verb = VERBS.get(ALIASES.get(word) ?? word);
  if (verb !== undefined) return verb;
  const meant = nearest(word, VERBS.keys());
  throw new UsageError(`unknown verb ${JSON.stringify(word)}`, meant === undefined ? "mcp-interceptors help" : `did you mean ${meant}?`);
}

async function run([word, ...rest]: readonly string[]): Promise<Exit> {
  try {
    if (word !== undefined) return await verbNamed(word)(rest);
    process.stderr.write(HELP);
    return { code: 2 };
  } catch (thrown) {
    const usage = thrown instanceof UsageError;
    const text = usage || thrown instanceof LocalError ? thrown.message : `unexpected: ${describeError(thrown)}`;
    process.stderr.write(`mcp-interceptors: ${printable(text, LONGEST_ERROR)}\n${usage && thrown.hint !== undefined ? `  ${thrown.hint}\n` : ""}`);
    if (usage) return { code: 2 };
    return { code: thrown instanceof LocalError && thrown.code === "spawn_failed" ? 127 : 1 };
  }
}

ignoreBrokenPipes();
reportForeignExit();
await endProcess(await run(process.argv.slice(2)));
