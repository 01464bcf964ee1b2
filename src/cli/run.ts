import { VERSION } from "../core/base/version.ts";
import { failureOf, UsageError } from "./errors.ts";
import { printToPrograms, type Exit } from "./exit.ts";
import { completion, GENERAL_HELP, help, refuseUnknown } from "./help.ts";
import { printJson } from "./terminal.ts";
import type { Verb } from "./verb.ts";
import { loadVerb } from "./verbs.ts";

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-v", "version"],
]);

/** Runs the verb that the words begin with, and says what is wrong with them or came of it. The process is not ended. */
export async function run([word, ...rest]: readonly string[]): Promise<Exit> {
  let verb: Verb | undefined;
  try {
    verb = word === undefined ? undefined : await loadVerb(word);
    return await (verb === undefined ? runOther(word, rest) : verb.run(rest));
  } catch (thrown) {
    const { code, text, error } = failureOf(thrown, verb);
    process.stderr.write(text);
    // Whatever is wrong, even with the words: who asked for JSON reads JSON.
    if (verb?.options.some(({ name }) => name === "json") !== false && wantsJson(rest)) printToPrograms({ error });
    return { code };
  }
}

/** Words that are no verbs of their own. */
async function runOther(word: string | undefined, rest: readonly string[]): Promise<Exit> {
  const plain = ALIASES.get(word ?? "") ?? word;
  if (plain === undefined) {
    process.stderr.write(GENERAL_HELP);
    return { code: 2 };
  }
  if (plain === "version") return rest[0] === "--help" || rest[0] === "-h" ? help([]) : version(rest);
  if (plain === "help") return help(rest.map((one) => ALIASES.get(one) ?? one));
  if (plain === "completion") return completion(rest);
  return refuseUnknown(plain);
}

function version(words: readonly string[]): Exit {
  const json = words[0] === "--json";
  const more = words[json ? 1 : 0];
  if (more !== undefined) throw new UsageError(`unexpected ${JSON.stringify(more)}`, "mcp-interceptors version [--json]");
  if (json) printJson({ name: "mcp-interceptors", version: VERSION });
  else process.stdout.write(`${VERSION}\n`);
  return { code: 0 };
}

function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).some((word, at, all) => word === "--json" || word === "--reporter=json" || (word === "json" && all[at - 1] === "--reporter"));
}
