import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { DEFAULT_LIMITS } from "../core/base/limits.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny, type Verdict, warn } from "../core/interceptor/verdict.ts";
import type { CompiledSchema } from "../core/schema/schema.ts";
import { readBoolean, readChoice, readConfig, readText } from "./config.ts";
import { isErrorPayload } from "./error-payload.ts";
import { createKnownSchemas, type KnownSchemas } from "./known-schemas.ts";
import { perCall } from "./per-call.ts";
import { createStates, readScopeOf, type Scope, scopeSchema } from "./state.ts";
import { isUnfinished } from "./unfinished.ts";

/** What is held against the schemas that tools are listed with. */
export interface SchemaGuardConfig {
  /** What becomes of calls of tools that no list has had, or whose schema cannot be used: `pass`, with a warning, unless given. */
  readonly unknown?: "pass" | "block";
  /** Whether results are held against `outputSchema`; `true` unless given. */
  readonly results?: boolean;
  /** The name of the server behind the chain; a gateway fills it in. */
  readonly server?: string;
  /** Whose memory of tools: one for all unless given. */
  readonly scope?: Scope;
}

const OWNER = "schema-guard";
const SCOPES: readonly Scope[] = ["global", "session", "principal"];
const MAX_KEYS = 1_000;
const MAX_CHARS_EACH = 256 * 1024;
const MAX_PROBLEMS = 5;

export const schemaGuardConfigSchema: JsonObject = {
  type: "object",
  properties: { unknown: { enum: ["pass", "block"] }, results: { type: "boolean" }, server: { type: "string" }, scope: scopeSchema },
  additionalProperties: false,
};

/**
 * A validator that holds the arguments of calls against the tool's `inputSchema`, and the structured content of results against its `outputSchema`, as
 * lists of tools have shown them. Messages name places, never values. The scope is the factory's, whatever a call brings. Throws
 * `invalid_argument` for a wrong config.
 */
export function schemaGuard(config: SchemaGuardConfig = {}): Interceptor {
  const rulesFor = perCall(config, compileSchemaGuard);
  const scope = schemaGuardScope(config);
  const { maxToolSchemas, maxToolSchemaChars } = DEFAULT_LIMITS;
  const bounds = { maxTools: maxToolSchemas, maxChars: scope === "global" ? maxToolSchemaChars : MAX_CHARS_EACH };
  const states = createStates({ owner: OWNER, scope, create: () => createKnownSchemas(bounds), maxKeys: MAX_KEYS });
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses calls and results of tools that do not fit the tools' schemas.",
      hooks: [
        { events: ["tools/list"], phase: "response" },
        { events: ["tools/call"], phase: "request" },
        { events: ["tools/call"], phase: "response" },
      ],
      withRequest: true,
      handlesErrors: true,
      configSchema: schemaGuardConfigSchema,
    },
    ({ payload, event, phase, context, config: called }) => {
      if (isErrorPayload(payload)) return allow();
      const rules = rulesFor(called);
      const known = states.of(context);
      if (event === "tools/list") return learn(known, payload, rules.server);
      if (phase === "request") return judge(known, payload, ownMember(payload, "arguments") ?? {}, "input", "/arguments", rules);
      // What a task gives in the end is judged when it comes.
      if (!rules.results || ownMember(payload, "isError") === true || isUnfinished(payload)) return allow();
      return judge(known, context.request?.params, ownMember(payload, "structuredContent"), "output", "/structuredContent", rules);
    },
  );
}

/** Whose memory a config asks for. */
export function schemaGuardScope(config: unknown): Scope {
  return readScopeOf(config, OWNER, SCOPES);
}

interface Rules {
  readonly blocksUnknown: boolean;
  readonly results: boolean;
  readonly server: string;
}

function learn(known: KnownSchemas, result: JsonObject, server: string): Verdict {
  const tools = ownMember(result, "tools");
  if (Array.isArray(tools)) for (const tool of tools) known.learn(tool, server);
  return allow();
}

function judge(known: KnownSchemas, call: unknown, value: unknown, which: "input" | "output", path: string, { blocksUnknown, server }: Rules): Verdict {
  const name = isObject(call) ? ownMember(call, "name") : undefined;
  const schemas = typeof name === "string" ? known.of(name, server) : undefined;
  const schema: CompiledSchema | null | undefined = schemas?.[which];
  if (schemas === undefined || schema === null) {
    const message = schemas === undefined ? "No list of tools has had this tool, so its schema is not known" : `The ${which} schema of this tool cannot be used`;
    return blocksUnknown ? deny(message, { path }) : warn(message, { path });
  }
  if (schema === undefined) return allow();
  if (value === undefined) return deny("The result must be there, as the tool has an output schema", { path });
  const problems = schema.checkAll(value, MAX_PROBLEMS);
  if (problems.length === 0) return allow();
  return { valid: false, severity: "error", messages: problems.map((problem) => ({ path: path + problem.path, message: `${which === "input" ? "An argument" : "The result"} ${problem.reason}` })) };
}

function compileSchemaGuard(value: unknown): Rules {
  const config = readConfig(value, ["unknown", "results", "server", "scope"], OWNER);
  const unknown = ownMember(config, "unknown");
  schemaGuardScope(config);
  return {
    blocksUnknown: unknown !== undefined && readChoice(unknown, ["pass", "block"], "unknown", OWNER) === "block",
    results: readBoolean(config, "results", OWNER) ?? true,
    server: readText(config, "server", OWNER) ?? "",
  };
}
