import { LocalError } from "../../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import {
  checkGetPromptParams,
  checkGetPromptResult,
  checkPrompt,
  type GetPromptResult,
  type Prompt,
  type PromptMessage,
} from "../../wire/gen/mcp.ts";
import type { ServerContext } from "../context.ts";
import { invalidParams } from "../lifecycle.ts";
import { isInterim } from "../results.ts";
import type { Completers } from "./server-completion.ts";
import { pageOf } from "./server-pages.ts";
import { createRegistry, type Registered } from "./server-registry.ts";

/** What a prompt may return: a text becomes one message of the user's; a list is the messages. */
export type PromptOutcome = string | readonly PromptMessage[] | (Partial<GetPromptResult> & JsonObject);

/** `args` has all that the prompt requires, by name. What is thrown becomes an error response: an `RpcError` as it is, anything else as -32603. */
export type PromptHandler = (args: Readonly<Record<string, string>>, context: ServerContext) => PromptOutcome | Promise<PromptOutcome>;

export interface PromptOptions {
  /** Suggests values, by the name of the argument. */
  readonly complete?: Completers;
}

export type RegisteredPrompt = Registered<Prompt, PromptHandler>;

/** A server's prompts. */
export interface Prompts {
  readonly used: boolean;
  readonly completes: boolean;
  add(definition: Prompt, handler: PromptHandler, options?: PromptOptions): RegisteredPrompt;
  /** Answers `prompts/list`. */
  list(params: JsonObject): JsonObject;
  /** Answers `prompts/get`. */
  get(params: JsonObject, context: ServerContext): Promise<JsonObject>;
  /** The prompt and what completes its arguments. */
  find(name: string): { readonly definition: Prompt; readonly complete: Completers } | undefined;
}

interface Handling {
  readonly run: PromptHandler;
  readonly complete: Completers;
}

export function createPrompts(pageSize: number, changed: () => void): Prompts {
  const registry = createRegistry<Prompt, Handling, undefined>({
    kind: "prompt",
    keyOf: ({ name }) => name,
    check: checkPrompt,
    prepare: () => undefined,
    changed,
  });
  let completes = false;

  return {
    get used() {
      return registry.used;
    },
    get completes() {
      return completes;
    },
    add(definition, handler, { complete = {} } = {}) {
      // One that is malformed is left to the registry.
      const known = checkPrompt(definition) === undefined ? new Set(definition.arguments?.map(({ name }) => name)) : undefined;
      const stray = Object.keys(complete).find((name) => known?.has(name) === false);
      if (stray !== undefined) throw new LocalError("invalid_argument", `the prompt ${definition.name} has no argument ${stray} to complete`);
      const entry = registry.add(definition, { run: handler, complete });
      completes ||= Object.keys(complete).length > 0;
      return {
        get definition() {
          return entry.definition;
        },
        update: (changes, run) => entry.update(changes, run === undefined ? undefined : { run, complete }),
        remove: entry.remove,
      };
    },
    list(params) {
      const { items, next } = pageOf("prompts", pageSize, params, registry.entries());
      return { prompts: items, ...next };
    },
    async get(params, context) {
      const problem = checkGetPromptParams(params);
      if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
      // Just checked: a string, and an object of strings where there is one.
      const name = params["name"] as string;
      const args = (ownMember(params, "arguments") ?? {}) as Record<string, string>;
      const entry = registry.get(name);
      if (entry === undefined) throw invalidParams(`there is no prompt ${JSON.stringify(name)}`);
      const missing = entry.definition.arguments?.filter((argument) => argument.required === true && !Object.hasOwn(args, argument.name)) ?? [];
      if (missing.length > 0) throw invalidParams(`the prompt ${name} needs ${missing.map((argument) => argument.name).join(", ")}`);
      return toResult(name, await entry.handler.run(args, context), context);
    },
    find(name) {
      const entry = registry.get(name);
      return entry === undefined ? undefined : { definition: entry.definition, complete: entry.handler.complete };
    },
  };
}

function toResult(name: string, outcome: PromptOutcome, { era }: ServerContext): JsonObject {
  let result: unknown = outcome;
  if (typeof outcome === "string") result = { messages: [{ role: "user", content: { type: "text", text: outcome } }] };
  else if (Array.isArray(outcome)) result = { messages: outcome };
  if (isObject(result) && isInterim(result, era)) return result;
  const problem = checkGetPromptResult(result);
  if (problem !== undefined) throw new LocalError("malformed_result", `the prompt ${name} gave no result: ${describeProblem(problem, "result")}`);
  // Just checked.
  return result as JsonObject;
}
