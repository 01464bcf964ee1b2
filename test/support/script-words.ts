// The words that a script of package.json was called with. `--help` prints how to call it and ends with 0, a wrong word with 2, before anything is installed or measured.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { describeError } from "../../src/core/base/errors.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>["values"];

interface ScriptSpec<O extends Options> {
  /** What follows `Usage: `, and what it means. */
  readonly usage: string;
  readonly options?: O;
  /** The words that it takes beside options; any unless given. */
  readonly known?: readonly string[];
}

const HELP = { help: { type: "boolean", short: "h" } } as const;

export function scriptWords<const O extends Options = Record<never, never>>({ usage, options, known }: ScriptSpec<O>): { readonly values: Values<O>; readonly words: readonly string[] } {
  const read = () => {
    try {
      return parseArgs({ options: { ...options, ...HELP }, allowPositionals: true });
    } catch (thrown) {
      return refuse(describeError(thrown), usage);
    }
  };
  const parsed = read();
  if (parsed.values["help"] === true) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  const unknown = known === undefined ? undefined : parsed.positionals.find((word) => !known.includes(word));
  if (unknown !== undefined) refuse(`there is no ${unknown}; known are ${known?.join(", ")}`, usage);
  // As the options say, of which these were made.
  return { values: parsed.values as Values<O>, words: parsed.positionals };
}

/** Says what is wrong, and how it goes; ends with 2. */
export function refuse(what: string, usage: string): never {
  console.error(`${what}\nUsage: ${usage}`);
  process.exit(2);
}
