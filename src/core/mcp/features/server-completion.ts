import { LocalError } from "../../base/errors.ts";
import { ownMember, type JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkCompleteParams, checkCompletion, type CompleteParams, type Completion } from "../../wire/gen/mcp.ts";
import type { ServerContext } from "../context.ts";
import { invalidParams } from "../lifecycle.ts";
import type { Prompts } from "./server-prompts.ts";
import type { Resources } from "./server-resources.ts";

/** Values that fit what was typed so far, the best first. `filled` has the other arguments that the client knows already. */
export type Completer = (
  value: string,
  filled: Readonly<Record<string, string>>,
  context: ServerContext,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

/** By the name of the argument, or of the variable. */
export type Completers = Readonly<Record<string, Completer>>;

// The most that one answer may carry (server/utilities/completion).
const MAX_VALUES = 100;

/** Answers `completion/complete`. */
export async function complete(
  params: JsonObject,
  context: ServerContext,
  prompts: Pick<Prompts, "find">,
  resources: Pick<Resources, "findTemplate">,
): Promise<JsonObject> {
  const problem = checkCompleteParams(params);
  if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
  const { ref, argument, context: known } = params as unknown as CompleteParams; // just checked
  const completer = ref.type === "ref/prompt" ? ofPrompt(prompts, ref.name, argument.name) : ofTemplate(resources, ref.uri, argument.name);
  const found = completer === undefined ? [] : await completer(argument.value, known?.arguments ?? {}, context);
  return { completion: limited(found) };
}

function ofPrompt(prompts: Pick<Prompts, "find">, name: string, argument: string): Completer | undefined {
  const prompt = prompts.find(name);
  if (prompt === undefined) throw invalidParams(`there is no prompt ${JSON.stringify(name)}`);
  if (!prompt.definition.arguments?.some((known) => known.name === argument)) {
    throw invalidParams(`the prompt ${name} has no argument ${JSON.stringify(argument)}`);
  }
  return ownCompleter(prompt.complete, argument);
}

function ofTemplate(resources: Pick<Resources, "findTemplate">, uri: string, variable: string): Completer | undefined {
  const found = resources.findTemplate(uri);
  // A plain resource has nothing to fill in.
  if (found === "plain") return undefined;
  if (found === undefined) throw invalidParams(`there is no resource or template ${JSON.stringify(uri)}`);
  if (!found.variables.includes(variable)) throw invalidParams(`the template ${uri} has no variable ${JSON.stringify(variable)}`);
  return ownCompleter(found.complete, variable);
}

function ownCompleter(completers: Completers, name: string): Completer | undefined {
  return Object.hasOwn(completers, name) ? completers[name] : undefined;
}

function limited(found: readonly string[] | Completion): Completion {
  const given: Completion = Array.isArray(found) ? { values: [...found] } : { ...(found as Completion) };
  const problem = checkCompletion({ ...given, values: Array.isArray(given.values) ? given.values.slice(0, MAX_VALUES) : given.values });
  if (problem !== undefined) throw new LocalError("malformed_result", `a completer gave ${describeProblem(problem, "a completion that")}`);
  const { values } = given;
  const total = ownMember(given, "total") ?? (given.hasMore === true ? undefined : values.length);
  const hasMore = given.hasMore === true || values.length > MAX_VALUES || (typeof total === "number" && total > values.length);
  return { ...given, values: values.slice(0, MAX_VALUES), ...(typeof total === "number" ? { total } : {}), hasMore };
}
