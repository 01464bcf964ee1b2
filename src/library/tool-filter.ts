import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { deny, unchanged } from "../core/interceptor/verdict.ts";
import { readConfig, readPatterns } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";

export interface ToolFilterConfig {
  /** Names of tools, or `prefix*`. Absent: every tool that is not denied. An empty list: none. */
  readonly allow?: readonly string[];
  /** Names of tools, or `prefix*`. Wins over `allow`. */
  readonly deny?: readonly string[];
}

const OWNER = "tool-filter";
export const toolFilterConfigSchema: JsonObject = {
  type: "object",
  properties: { allow: patternsSchema, deny: patternsSchema },
  additionalProperties: false,
};

/**
 * Two interceptors: the validator `tool-filter` refuses calls of tools that the config does not let through, as if there were no such tool,
 * and the mutator `tool-filter-list` leaves them out of `tools/list`. The list is filtered late, by the names that the caller will see and
 * use. Names compare by exact code points. Throws `invalid_argument` for a wrong config.
 */
export function toolFilter(config: ToolFilterConfig = {}): readonly [call: Interceptor, list: Interceptor] {
  const own = compileToolFilter(config);
  const filterFor = (called: JsonObject) => (Object.keys(called).length === 0 ? own : compileToolFilter({ ...config, ...called }));
  return [
    validator(
      {
        name: "tool-filter",
        version: "1.0.0",
        description: "Refuses calls of tools that are not allowed.",
        hooks: [{ events: ["tools/call"], phase: "request" }],
        configSchema: toolFilterConfigSchema,
      },
      ({ payload, config: called }) => {
        const name: unknown = isObject(payload) ? ownMember(payload, "name") : undefined;
        if (typeof name !== "string") return deny("The name of a tool must be a string", { path: "/name" });
        return filterFor(called)(name) || deny(`Unknown tool: ${name}`, { path: "/name" });
      },
    ),
    mutator(
      {
        name: "tool-filter-list",
        version: "1.0.0",
        description: "Leaves tools that are not allowed out of the list of tools.",
        hooks: [{ events: ["tools/list"], phase: "response" }],
        priorityHint: 1000,
        configSchema: toolFilterConfigSchema,
      },
      ({ payload, config: called }) => {
        const tools = filterTools(payload, filterFor(called));
        return tools.length === payload.tools.length ? unchanged() : { ...payload, tools };
      },
    ),
  ];
}

/** Whether a tool of this name passes. Throws `invalid_argument` with the member that is wrong. */
export function compileToolFilter(value: unknown): (name: string) => boolean {
  const config = readConfig(value, ["allow", "deny"], OWNER);
  const allow = readPatterns(config, "allow", OWNER);
  const denied = compilePatterns(readPatterns(config, "deny", OWNER) ?? []);
  const allowed = allow === undefined ? () => true : compilePatterns(allow);
  return (name) => !denied(name) && allowed(name);
}

/** The entries that pass. One without a name cannot be judged, and does not; a result that has no list fails. */
export function filterTools<T>(result: { readonly tools: readonly T[] }, passes: (name: string) => boolean): T[] {
  const tools: unknown = isObject(result) ? ownMember(result, "tools") : undefined;
  if (!Array.isArray(tools)) throw new LocalError("invalid_message", "the result of tools/list has no list of tools");
  return result.tools.filter((tool) => {
    const name = isObject(tool) ? ownMember(tool, "name") : undefined;
    return typeof name === "string" && passes(name);
  });
}
