import type { Exit } from "./exit.ts";
import { describeOptions, type OptionSpec, parseOptions, type ParsedOptions } from "./options.ts";

/** What a verb's positional words are, for the completion of shells. */
export type WordKind = "file" | "target" | "none" | readonly string[];

/** A verb of the command line. */
export interface Verb {
  readonly name: string;
  readonly options: readonly OptionSpec[];
  readonly words: WordKind;
  /** What `--help` prints. */
  readonly help: string;
  /** What follows `--` is the command of a server, whose place it takes. Of other verbs these are words like those before it. */
  readonly startsCommand?: true;
  /** A faulty configuration is what it looks for, and so no wrong word. */
  readonly judgesConfig?: true;
  /** Rejects with a `UsageError` for a word that is wrong. */
  run(words: readonly string[]): Promise<Exit>;
}

export interface VerbText {
  /** What follows the verb: `TARGET NAME [OPTIONS]`. */
  readonly usage: string;
  /** A paragraph or two of at most 80 columns. */
  readonly about: string;
  /** Commands, one a line. */
  readonly examples: readonly string[];
  /** What follows the options, where that takes more. */
  readonly more?: string;
  /** What exit codes mean; begins with `Exit code: `. */
  readonly exit: string;
}

/** What a verb is made of: with it come `--help`, a text of the same shape for all, and parsed words. */
export interface VerbSpec extends VerbText, Omit<Verb, "run" | "help"> {
  action(parsed: ParsedOptions): Promise<Exit> | Exit;
}

export const HELP_OPTION: OptionSpec = { name: "help", short: "h", help: "this text" };
export const JSON_OPTION: OptionSpec = { name: "json", help: "print JSON, for programs" };
export const VERBOSE_OPTION: OptionSpec = { name: "verbose", help: "stderr also says what errors say: that may quote payloads" };

export function defineVerb({ name, words, usage, about, examples, more, exit, action, startsCommand, judgesConfig, options: own }: VerbSpec): Verb {
  const options = [...own, HELP_OPTION];
  const shown = `Example:\n${examples.map((line) => `  ${line}`).join("\n")}`;
  const parts = [`Usage: mcp-interceptors ${name}${usage === "" ? "" : ` ${usage}`}`, about, describeOptions(options), ...(more === undefined ? [] : [more]), shown, exit];
  const help = `${parts.join("\n\n")}\n`;
  return {
    name,
    words,
    options,
    help,
    ...(startsCommand === undefined ? {} : { startsCommand }),
    ...(judgesConfig === undefined ? {} : { judgesConfig }),
    async run(given) {
      const parsed = parseOptions(given, options, `mcp-interceptors help ${name}`);
      if (!parsed.values.has("help")) return action(startsCommand === true ? parsed : { ...parsed, positionals: [...parsed.positionals, ...(parsed.rest ?? [])], rest: undefined });
      process.stdout.write(help);
      return { code: 0 };
    },
  };
}
