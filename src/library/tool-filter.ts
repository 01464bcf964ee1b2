import { ErrorCode, LocalError, RpcError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, unchanged, type Verdict } from "../core/interceptor/verdict.ts";
import { compileFilter, type Filter, type FilterConfig, filterConfigSchema, type FilterKind, kindsOf } from "./filter-rules.ts";
import { perCall } from "./per-call.ts";

/** Which tools, prompts and resources may be used: `allow` and `deny`, by name or `prefix*`; `deny` wins. */
export type ToolFilterConfig = FilterConfig;
export const toolFilterConfigSchema: JsonObject = filterConfigSchema;

const OWNER = "tool-filter";

const REQUESTS: Readonly<Record<FilterKind, readonly string[]>> = {
  tools: ["tools/call"],
  prompts: ["prompts/get", "completion/complete"],
  resources: ["resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete"],
};
const LISTS: Readonly<Record<FilterKind, readonly string[]>> = {
  tools: ["tools/list"],
  prompts: ["prompts/list"],
  resources: ["resources/list", "resources/templates/list"],
};

/**
 * Two interceptors: the validator `tool-filter` refuses the use of tools, prompts and resources that the config does not let through, as if there were
 * none such, and the mutator `tool-filter-list` leaves them out of the lists. A list is filtered late, by the names that the caller will see and
 * use. Names compare by exact code points, URIs however they are written. What is hooked follows from `config`; without prompts and resources in
 * it, the two look at tools alone. Throws `invalid_argument` for a wrong config.
 */
export function toolFilter(config: ToolFilterConfig = {}): readonly [use: Interceptor, list: Interceptor] {
  const filterFor = perCall(config, (value) => compileFilter(value, OWNER));
  const kinds: readonly FilterKind[] = ["tools", ...[...kindsOf(config)].filter((kind) => kind !== "tools")];
  const events = (of: Readonly<Record<FilterKind, readonly string[]>>) => [...new Set(kinds.flatMap((kind) => of[kind]))];
  return [
    validator(
      {
        name: OWNER,
        version: "1.0.0",
        description: "Refuses the use of tools, prompts and resources that are not allowed.",
        hooks: [{ events: events(REQUESTS), phase: "request" }],
        configSchema: toolFilterConfigSchema,
        // As a server answers for what it does not have: who asks learns nothing about what is hidden.
        answerAs: ({ method, params }) => unknownName(method, params),
      },
      ({ payload, event, context, config: called }) => judge(filterFor(called)(context.principal), event, payload),
    ),
    mutator(
      {
        name: "tool-filter-list",
        version: "1.0.0",
        description: "Leaves tools, prompts and resources that are not allowed out of the lists.",
        hooks: [{ events: events(LISTS), phase: "response" }],
        priorityHint: 1000,
        configSchema: toolFilterConfigSchema,
      },
      ({ payload, event, context, config: called }) => filterList(filterFor(called)(context.principal), event, payload) ?? unchanged(),
    ),
  ];
}

/** The words with which a server answers for what it does not have, and the member of the params that names it. */
function judge(filter: Filter, event: string, params: unknown): Verdict {
  switch (event) {
    case "tools/call":
      return judgeMember(filter, "tools", params, "name", "/name", "Unknown tool");
    case "prompts/get":
      return judgeMember(filter, "prompts", params, "name", "/name", "Unknown prompt");
    case "completion/complete":
      return judgeReference(filter, isObject(params) ? ownMember(params, "ref") : undefined);
    default:
      return judgeMember(filter, "resources", params, "uri", "/uri", "Resource not found");
  }
}

function judgeReference(filter: Filter, ref: unknown): Verdict {
  const type = isObject(ref) ? ownMember(ref, "type") : undefined;
  if (type === "ref/prompt") return judgeMember(filter, "prompts", ref, "name", "/ref/name", "Unknown prompt");
  if (type === "ref/resource") return judgeMember(filter, "resources", ref, "uri", "/ref/uri", "Resource not found", "mayPass");
  return deny("A completion must refer to a prompt or a resource", { path: "/ref" });
}

function judgeMember(filter: Filter, kind: FilterKind, holder: unknown, member: string, path: string, refusal: string, how: "passes" | "mayPass" = "passes"): Verdict {
  const name = isObject(holder) ? ownMember(holder, member) : undefined;
  if (typeof name !== "string") return deny(`The ${member} must be a string`, { path });
  return filter[kind]?.[how](name) === false ? deny(`${refusal}: ${name}`, { path }) : allow();
}

const LISTED: ReadonlyMap<string, readonly [kind: FilterKind, list: string, member: string]> = new Map([
  ["tools/list", ["tools", "tools", "name"]],
  ["prompts/list", ["prompts", "prompts", "name"]],
  ["resources/list", ["resources", "resources", "uri"]],
  ["resources/templates/list", ["resources", "resourceTemplates", "uriTemplate"]],
] as const);

/** The result without the entries that do not pass; undefined where all do. One without a name cannot be judged, and does not; a result that has no list fails. */
export function filterList(filter: Filter, event: string, result: unknown): JsonObject | undefined {
  const [kind, list, member] = LISTED.get(event) ?? [];
  if (kind === undefined || list === undefined || member === undefined) return undefined;
  const entries = isObject(result) ? ownMember(result, list) : undefined;
  if (!isObject(result) || !Array.isArray(entries)) throw new LocalError("invalid_message", `the result of ${event} has no list of ${list}`);
  const how = member === "uriTemplate" ? "mayPass" : "passes";
  const kept = entries.filter((entry: unknown) => {
    const name = isObject(entry) ? ownMember(entry, member) : undefined;
    return typeof name === "string" && filter[kind]?.[how](name) !== false;
  });
  return kept.length === entries.length ? undefined : { ...result, [list]: kept };
}

// Earlier revisions have a code of their own for resources, which clients of the newest are to know, too.
const RESOURCE_NOT_FOUND = -32002;

function unknownName(method: string, params: unknown): RpcError {
  const member = (name: string) => (isObject(params) && typeof params[name] === "string" ? params[name] : "(no name)");
  if (method === "tools/call") return new RpcError(ErrorCode.invalidParams, `Unknown tool: ${member("name")}`);
  if (method === "prompts/get") return new RpcError(ErrorCode.invalidParams, `Unknown prompt: ${member("name")}`);
  if (method.startsWith("resources/")) return new RpcError(RESOURCE_NOT_FOUND, "Resource not found", { uri: member("uri") });
  return new RpcError(ErrorCode.invalidParams, "Unknown reference");
}
