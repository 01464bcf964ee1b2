import { isObject, type JsonObject, ownMember, setMember } from "../core/base/json.ts";
import { type Interceptor, mutator } from "../core/interceptor/define.ts";
import { unchanged } from "../core/interceptor/verdict.ts";
import { isReservedMetaKey } from "../core/wire/meta.ts";
import { invalid, readConfig } from "./config.ts";
import { compilePatterns, isNamePattern, NO_NAME_PATTERN } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";

/** What `annotate` writes into messages. */
export interface AnnotateConfig {
  /** Members for the `_meta` of requests, `com.example/team`: they take the place of what is there. */
  readonly request?: JsonObject;
  /** Members for the `_meta` of results. */
  readonly response?: JsonObject;
  /** What `tools/list` says of tools in `annotations`, by names and `prefix*`; each that fits adds its members. */
  readonly tools?: Readonly<Record<string, ToolAnnotations>>;
}

/** MCP's ToolAnnotations (2025-11-25, server/tools). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

const OWNER = "annotate";
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const meta: JsonObject = { type: "object" };

export const annotateConfigSchema: JsonObject = {
  type: "object",
  properties: {
    request: meta,
    response: meta,
    tools: {
      type: "object",
      propertyNames: { pattern: "^[^*]*\\*?$", minLength: 1 },
      additionalProperties: {
        type: "object",
        properties: { title: { type: "string" }, ...Object.fromEntries(HINTS.map((hint) => [hint, { type: "boolean" }])) },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

/**
 * A mutator that adds what a policy knows and a server does not say: members of `_meta`, and hints about tools. It never touches the protocol's own
 * members of `_meta`. Throws `invalid_argument` for a wrong config.
 */
export function annotate(config: AnnotateConfig = {}): Interceptor {
  const settings = perCall(config, readAnnotate);
  return mutator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Adds metadata to messages, and hints to tools.",
      hooks: [
        { events: ["*"], phase: "request" },
        { events: ["*"], phase: "response" },
      ],
      configSchema: annotateConfigSchema,
    },
    ({ payload, event, phase, config: called }) => {
      const { request, response, hintsFor } = settings(called);
      const members = phase === "request" ? request : response;
      const listed = phase === "response" && event === "tools/list" && hintsFor !== undefined ? withHints(payload, hintsFor) : payload;
      if (Object.keys(members).length === 0) return listed === payload ? unchanged() : listed;
      if (!isObject(listed)) return unchanged();
      const had = ownMember(listed, "_meta");
      // Of another type it is the peer's fault, and not for us to mend.
      if (had !== undefined && !isObject(had)) return unchanged();
      const annotated: JsonObject = { ...had };
      for (const [member, value] of Object.entries(members)) setMember(annotated, member, value);
      return { ...listed, _meta: annotated };
    },
  );
}

function readAnnotate(value: unknown) {
  const config = readConfig(value, ["request", "response", "tools"], OWNER);
  const tools = ownMember(config, "tools");
  return { request: readMeta(config, "request"), response: readMeta(config, "response"), hintsFor: tools === undefined ? undefined : readHints(tools) };
}

function readMeta(config: JsonObject, member: string): JsonObject {
  const value = ownMember(config, member);
  if (value === undefined) return {};
  if (!isObject(value)) throw invalid(OWNER, member, "must be an object");
  const reserved = Object.keys(value).find(isReservedMetaKey);
  if (reserved !== undefined) throw invalid(OWNER, `${member}.${reserved}`, "is the protocol's own; take a prefix of yours, such as com.example/");
  return value;
}

function readHints(value: unknown): (name: string) => JsonObject | undefined {
  if (!isObject(value)) throw invalid(OWNER, "tools", "must be an object of annotations by names of tools");
  const rules = Object.entries(value).map(([pattern, annotations]) => {
    const member = `tools.${pattern}`;
    if (!isNamePattern(pattern)) throw invalid(OWNER, member, NO_NAME_PATTERN);
    if (!isObject(annotations)) throw invalid(OWNER, member, "must be an object");
    for (const [hint, says] of Object.entries(annotations)) {
      if (hint === "title" ? typeof says === "string" : HINTS.includes(hint) && typeof says === "boolean") continue;
      throw invalid(OWNER, `${member}.${hint}`, HINTS.includes(hint) ? "must be true or false" : hint === "title" ? "must be a string" : `is not known; known are title, ${HINTS.join(", ")}`);
    }
    return { fits: compilePatterns([pattern]), annotations };
  });
  return (name) => {
    const fitting = rules.filter(({ fits }) => fits(name));
    return fitting.length === 0 ? undefined : Object.assign({}, ...fitting.map(({ annotations }) => annotations));
  };
}

function withHints<T>(payload: T, hintsFor: (name: string) => JsonObject | undefined): T {
  const tools = isObject(payload) ? ownMember(payload, "tools") : undefined;
  if (!Array.isArray(tools)) return payload;
  return {
    ...payload,
    tools: tools.map((tool: unknown) => {
      const name = isObject(tool) ? ownMember(tool, "name") : undefined;
      const hints = typeof name === "string" ? hintsFor(name) : undefined;
      if (hints === undefined || !isObject(tool)) return tool;
      const had = ownMember(tool, "annotations");
      return { ...tool, annotations: { ...(isObject(had) ? had : {}), ...hints } };
    }),
  };
}
