import type { Exit } from "./exit.ts";
import { describeOptions, type OptionSpec, parseOptions, type ParsedOptions } from "./options.ts";

/** What a verb's positional words are, for the completion of shells. */
export type WordKind = "file" | "target" | "none" | readonly string[];

/** A verb of the command line. */
export interface Verb {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly words: WordKind;
  run(words: readonly string[]): Promise<Exit> | Exit;
}

export interface VerbText {
  /** What follows the verb: `TARGET NAME [OPTIONS]`. */
  readonly usage: string;
  /** A paragraph or two of at most 80 columns. */
  readonly about: string;
  /** Commands, one a line. */
  readonly examples: readonly string[];
  /** What exit codes mean. */
  readonly exit: string;
}

/** All verbs but the oldest are made by this: they have `--help`, a text of the same shape, and their words are parsed. */
export interface VerbSpec extends VerbText, Omit<Verb, "run"> {
  action(parsed: ParsedOptions): Promise<Exit> | Exit;
}

export const HELP_OPTION: OptionSpec = { name: "help", short: "h", help: "this text" };
export const JSON_OPTION: OptionSpec = { name: "json", help: "print JSON, for programs" };
export const VERBOSE_OPTION: OptionSpec = { name: "verbose", help: "stderr also says what errors say: that may quote payloads" };

export function defineVerb({ name, summary, words, usage, about, examples, exit, action, options: own }: VerbSpec): Verb {
  const options = [...own, HELP_OPTION];
  return {
    name,
    summary,
    words,
    options,
    run(given) {
      const parsed = parseOptions(given, options, `mcp-interceptors help ${name}`);
      if (!parsed.values.has("help")) return action(parsed);
      const shown = examples.map((line) => `  ${line}`).join("\n");
      process.stdout.write(`Usage: mcp-interceptors ${name} ${usage}\n\n${about}\n\n${describeOptions(options)}\n\nExample:\n${shown}\n\n${exit}\n`);
      return { code: 0 };
    },
  };
}
