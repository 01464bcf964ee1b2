import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged } from "../core/interceptor/verdict.ts";
import { readChoice, readConfig, readText } from "./config.ts";
import { isErrorPayload } from "./error-payload.ts";
import { perCall } from "./per-call.ts";
import { createPinnedTools, type PinRules } from "./pinned-tools.ts";
import { createStates, readScopeOf, type Scope, scopeSchema } from "./state.ts";
import { lockSchema, readLock, type ToolLock } from "./tool-lock.ts";

/** What definitions of tools are held against. */
export interface ToolPinningConfig {
  /** The digests that tools must have, as `toolLock` gives them, or their JSON text. Tools that it does not have are kept back. Absent: a tool is pinned on first sight. */
  readonly lock?: ToolLock | string;
  /** What becomes of a tool whose definition has changed: `hold` keeps it back while it differs, `block` for good. */
  readonly changed?: "hold" | "block";
  /** What becomes of a tool whose name looks like that of another tool. `block` unless given. */
  readonly lookAlikes?: "block" | "pass";
  /** What becomes of a tool whose name a tool of another server has. `block` unless given. */
  readonly shadowing?: "block" | "pass";
  /** The name of the server behind the chain; a gateway fills it in. */
  readonly server?: string;
  /** Whose memory of tools: one for all unless given. */
  readonly scope?: Scope;
}

const OWNER = "tool-pinning";
const MAX_KEYS = 1_000;
const SCOPES: readonly Scope[] = ["global", "session", "principal"];
const choice: JsonObject = { enum: ["block", "pass"] };

export const toolPinningConfigSchema: JsonObject = {
  type: "object",
  properties: {
    lock: lockSchema,
    changed: { enum: ["hold", "block"] },
    lookAlikes: choice,
    shadowing: choice,
    server: { type: "string" },
    scope: scopeSchema,
  },
  additionalProperties: false,
};

/**
 * Two interceptors: the mutator `tool-pinning-list` leaves out of `tools/list` what is not as it was pinned (a changed definition, a name that
 * looks like another's or that another server has, what a lock does not have), and the validator `tool-pinning` refuses calls of such tools. The list is looked at
 * early, as the server gave it. The scope is the factory's, whatever a call brings. Throws `invalid_argument` for a wrong config.
 */
export function toolPinning(config: ToolPinningConfig = {}): readonly [call: Interceptor, list: Interceptor] {
  const rulesFor = perCall(config, compileToolPinning);
  const states = createStates({ owner: OWNER, scope: toolPinningScope(config), create: createPinnedTools, maxKeys: MAX_KEYS });
  return [
    validator(
      {
        name: OWNER,
        version: "1.0.0",
        description: "Refuses calls of tools that are not as they were pinned.",
        hooks: [{ events: ["tools/call"], phase: "request" }],
        configSchema: toolPinningConfigSchema,
      },
      ({ payload, context, config: called }) => {
        const rules = rulesFor(called);
        const name = isObject(payload) ? ownMember(payload, "name") : undefined;
        if (typeof name !== "string") return deny("The name of a tool must be a string", { path: "/name" });
        const refusal = states.of(context).refusal(name, rules.server, rules);
        return refusal === undefined ? allow() : deny(`The tool is kept back: ${refusal}`, { path: "/name" });
      },
    ),
    mutator(
      {
        name: "tool-pinning-list",
        version: "1.0.0",
        description: "Leaves tools that are not as they were pinned out of the list of tools.",
        hooks: [{ events: ["tools/list"], phase: "response" }],
        priorityHint: -1000,
        handlesErrors: true,
        configSchema: toolPinningConfigSchema,
      },
      ({ payload, context, config: called }) => {
        if (isErrorPayload(payload)) return unchanged();
        const rules = rulesFor(called);
        const listed: unknown = isObject(payload) ? ownMember(payload, "tools") : undefined;
        if (!Array.isArray(listed)) throw new LocalError("invalid_message", "the result of tools/list has no list of tools");
        const pinned = states.of(context);
        const kept: JsonObject[] = [];
        const tools = payload.tools.filter((tool) => {
          const reason = pinned.see(tool, rules.server, rules);
          if (reason !== undefined && kept.length < MAX_REPORTED) kept.push({ tool: shownName(tool), reason });
          return reason === undefined;
        });
        return tools.length === listed.length ? unchanged() : mutated({ ...payload, tools }, { info: { keptBack: kept } });
      },
    ),
  ];
}

const MAX_REPORTED = 20;

function shownName(tool: unknown): string | null {
  const name = isObject(tool) ? ownMember(tool, "name") : undefined;
  return typeof name === "string" ? name.slice(0, 64) : null;
}

/** Whose memory a config asks for. */
export function toolPinningScope(config: unknown): Scope {
  return readScopeOf(config, OWNER, SCOPES);
}

function compileToolPinning(value: unknown): PinRules & { readonly server: string | undefined } {
  const config = readConfig(value, ["lock", "changed", "lookAlikes", "shadowing", "server", "scope"], OWNER);
  toolPinningScope(config);
  const lookAlikes = ownMember(config, "lookAlikes");
  const shadowing = ownMember(config, "shadowing");
  const changed = ownMember(config, "changed");
  return {
    lockOf: readLock(ownMember(config, "lock"), OWNER),
    changed: changed === undefined ? "hold" : readChoice(changed, ["hold", "block"], "changed", OWNER),
    lookAlikes: lookAlikes === undefined ? "block" : readChoice(lookAlikes, ["block", "pass"], "lookAlikes", OWNER),
    shadowing: shadowing === undefined ? "block" : readChoice(shadowing, ["block", "pass"], "shadowing", OWNER),
    server: readText(config, "server", OWNER),
  };
}
