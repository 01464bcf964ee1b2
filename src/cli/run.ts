import { readFileSync } from "node:fs";
import { didYouMean } from "../core/base/nearest.ts";
import { readyMade } from "../library/catalog.ts";
import { completionScript, SHELLS } from "./completion.ts";
import { NAME_KINDS, namesIn } from "./config-names.ts";
import { failureOf, UsageError } from "./errors.ts";
import { printToPrograms, type Exit } from "./exit.ts";
import { formatTable } from "./table.ts";
import { VERBS } from "./verbs.ts";

type Run = (words: readonly string[]) => Promise<Exit> | Exit;

const RUNS: ReadonlyMap<string, Run> = new Map<string, Run>([...VERBS.map(({ name, run }): [string, Run] => [name, run]), ["completion", completion], ["help", help], ["version", version]]);

const HELP = `mcp-interceptors: interceptors for the Model Context Protocol (SEP-2624)

Usage: mcp-interceptors VERB

${formatTable([
  ...VERBS.map(({ name, summary }): [string, string] => [name, summary]),
  ["completion SHELL", "what bash, zsh or fish need to complete these words"],
  ["help [WORD]", "this text, or that of a verb or of a ready-made interceptor"],
  ["version", "the version of this package"],
])}

Exit codes: 0 all is well; 1 what was asked for failed, or what was looked for
was found; 2 a wrong word, file or configuration; 3 a policy refuses the message
that was tried. With --json stdout has one value in any case: where the verb
comes to nothing, { "error": { "exitCode", "message", … } }.

Try: mcp-interceptors help wrap
`;

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-v", "version"],
]);

async function help([word, ...more]: readonly string[]): Promise<Exit> {
  refuseMore(more, "mcp-interceptors help WORD");
  const made = word === undefined ? undefined : readyMade.get(word);
  if (word !== undefined && made !== undefined) {
    // A verb may have the name of an interceptor.
    if (RUNS.has(word)) {
      await verbNamed(word)(["--help"]);
      process.stdout.write("\n");
    }
    process.stdout.write(`${word}: ${made.summary}\n\nIts config, as a JSON Schema:\n${JSON.stringify(made.configSchema, null, 2)}\n`);
    return { code: 0 };
  }
  if (word !== undefined && !GENERAL.has(ALIASES.get(word) ?? word)) return verbNamed(word, readyMade.keys())(["--help"]);
  process.stdout.write(HELP);
  return { code: 0 };
}

// Words that the general text explains.
const GENERAL: ReadonlySet<string> = new Set(["help", "version"]);

function refuseMore([more]: readonly string[], hint: string): void {
  if (more !== undefined) throw new UsageError(`unexpected ${JSON.stringify(more)}`, hint);
}

const COMPLETION_HELP = `Usage: mcp-interceptors completion bash|zsh|fish

Prints what a shell needs to complete verbs, options and their values, and the
names of a configuration in JSON or YAML.

Example:
  bash  source <(mcp-interceptors completion bash)        in ~/.bashrc
  zsh   source <(mcp-interceptors completion zsh)         in ~/.zshrc
  fish  mcp-interceptors completion fish | source         in config.fish

Exit code: 0; 2 for a wrong word.
`;

async function completion(words: readonly string[]): Promise<Exit> {
  const [word, more] = words;
  // What the scripts themselves ask.
  const kind = NAME_KINDS.find((known) => known === word);
  if (kind !== undefined && words.length === 2) {
    process.stdout.write((await namesIn(more ?? "", kind)).map((name) => `${name}\n`).join(""));
    return { code: 0 };
  }
  if (word === "--help" || word === "-h") {
    process.stdout.write(COMPLETION_HELP);
    return { code: 0 };
  }
  const shell = SHELLS.find((known) => known === word);
  if (shell === undefined || more !== undefined) {
    throw new UsageError(word === undefined ? "completion needs a shell" : `completion knows no ${JSON.stringify(more ?? word)}`, didYouMean(more === undefined ? (word ?? "") : "", SHELLS, "mcp-interceptors completion bash|zsh|fish"));
  }
  process.stdout.write(completionScript(shell, [...VERBS, ...OTHER_WORDS]));
  return { code: 0 };
}

const OTHER_WORDS = [
  { name: "completion", summary: "what shells need to complete these words", options: [], words: SHELLS },
  { name: "help", summary: "help for a verb or an interceptor", options: [], words: [...VERBS.map(({ name }) => name), ...readyMade.keys()] },
  { name: "version", summary: "the version of this package", options: [], words: "none" as const },
];

function version(words: readonly string[]): Promise<Exit> | Exit {
  if (words[0] === "--help" || words[0] === "-h") return help([]);
  refuseMore(words, "mcp-interceptors version");
  // The manifest is two folders up, from the sources as from the build.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const text = typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
  process.stdout.write(`${text}\n`);
  return { code: 0 };
}

function verbNamed(word: string, others: Iterable<string> = []): Run {
  const verb = RUNS.get(ALIASES.get(word) ?? word);
  if (verb !== undefined) return verb;
  throw new UsageError(`unknown verb ${JSON.stringify(word)}`, didYouMean(word, [...RUNS.keys(), ...others], "mcp-interceptors help"));
}

/** Runs the verb that the words begin with, and says what is wrong with them or came of it. The process is not ended. */
export async function run([word, ...rest]: readonly string[]): Promise<Exit> {
  try {
    if (word !== undefined) return await verbNamed(word)(rest);
    process.stderr.write(HELP);
    return { code: 2 };
  } catch (thrown) {
    const verb = VERBS.find(({ name }) => name === word);
    const { code, text, error } = failureOf(thrown, verb);
    process.stderr.write(text);
    // Whatever is wrong, even with the words: who asked for JSON reads JSON.
    if (verb?.options.some(({ name }) => name === "json") === true && wantsJson(rest)) printToPrograms({ error });
    return { code };
  }
}

function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).some((word, at, all) => word === "--json" || word === "--reporter=json" || (word === "json" && all[at - 1] === "--reporter"));
}
