// Words about the other words: `help` and `completion`.
import { didYouMean } from "../core/base/nearest.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { formatTable } from "./table.ts";
import { JSON_OPTION } from "./verb.ts";
import { loadVerb, loadVerbs, SUMMARIES } from "./verbs.ts";

export const GENERAL_HELP = `mcp-interceptors: interceptors for the Model Context Protocol (SEP-2624)

Usage: mcp-interceptors VERB

${formatTable([
  ...SUMMARIES,
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

export async function help([word, ...more]: readonly string[]): Promise<Exit> {
  refuseMore(more, "mcp-interceptors help WORD");
  if (word === undefined || GENERAL.has(word)) {
    process.stdout.write(GENERAL_HELP);
    return { code: 0 };
  }
  if (word === "completion") return completion(["--help"]);
  const readyMade = await loadReadyMade();
  const made = readyMade.get(word);
  const verb = await loadVerb(word);
  if (made !== undefined) {
    // A verb may have the name of an interceptor.
    if (verb !== undefined) {
      await verb.run(["--help"]);
      process.stdout.write("\n");
    }
    process.stdout.write(`${word}: ${made.summary}\n\nIts config, as a JSON Schema:\n${JSON.stringify(made.configSchema, null, 2)}\n`);
    return { code: 0 };
  }
  if (verb !== undefined) return verb.run(["--help"]);
  return refuseUnknown(word, readyMade.keys());
}

// Most of the library, which the general text does without.
const loadReadyMade = async () => (await import("../library/catalog.ts")).readyMade;

// Words that the general text explains.
const GENERAL: ReadonlySet<string> = new Set(["help", "version"]);

/** Throws: there is no such verb. */
export function refuseUnknown(word: string, others: Iterable<string> = []): never {
  throw new UsageError(`unknown verb ${JSON.stringify(word)}`, didYouMean(word, [...SUMMARIES.keys(), "completion", "help", "version", ...others], "mcp-interceptors help"));
}

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

export async function completion(words: readonly string[]): Promise<Exit> {
  const [word, more] = words;
  const { NAME_KINDS, namesIn } = await import("./config-names.ts");
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
  const { completionScript, SHELLS } = await import("./completion.ts");
  const shell = SHELLS.find((known) => known === word);
  if (shell === undefined || more !== undefined) {
    throw new UsageError(word === undefined ? "completion needs a shell" : `completion knows no ${JSON.stringify(more ?? word)}`, didYouMean(more === undefined ? (word ?? "") : "", SHELLS, "mcp-interceptors completion bash|zsh|fish"));
  }
  const others = [
    { name: "completion", summary: "what shells need to complete these words", options: [], words: SHELLS },
    { name: "help", summary: "help for a verb or an interceptor", options: [], words: [...SUMMARIES.keys(), ...(await loadReadyMade()).keys()] },
    { name: "version", summary: "the version of this package", options: [JSON_OPTION], words: "none" as const },
  ];
  process.stdout.write(completionScript(shell, [...(await loadVerbs()), ...others]));
  return { code: 0 };
}
