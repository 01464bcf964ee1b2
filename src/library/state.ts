import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import type { InvocationContext } from "../core/wire/gen/interceptors.ts";
import { readChoice } from "./config.ts";

/** Whose what an interceptor remembers is. */
export type Scope = "session" | "principal" | "global";

/** The member `scope` of a config. */
export const scopeSchema: JsonObject = { enum: ["session", "principal", "global"] };

/** The values that a config may have as `scope`; none where it has no such member. */
export function scopesIn(configSchema: JsonObject): readonly Scope[] {
  const members = ownMember(configSchema, "properties");
  const scope = isObject(members) ? ownMember(members, "scope") : undefined;
  const values = isObject(scope) ? ownMember(scope, "enum") : undefined;
  return (["session", "principal", "global"] as const).filter((one) => Array.isArray(values) && values.includes(one));
}

export interface StatesOptions<T> {
  /** The interceptor, for errors. */
  readonly owner: string;
  readonly scope: Scope;
  /** Its config has no `scope` that could be another. */
  readonly fixed?: true;
  /** What is remembered of somebody who has not been seen. */
  create(): T;
  /** How many are remembered; whoever was longest away is forgotten for one more. 10,000 unless given. */
  readonly maxKeys?: number;
}

/** What an interceptor remembers from one message to the next: in this process, apart for each session, each principal, or for all together. */
export interface States<T> {
  /**
   * The state that the message belongs to. `session`: that of its session, or, where a message belongs to none, of its principal. Throws `refused` where
   * the context has neither, which fails the interceptor: somebody unknown must not get a state of his own with each message.
   */
  of(context: InvocationContext): T;
  readonly size: number;
}

const KEYLESS = "and this message has none";

/** What of its context a message can be told by. */
export type MissingKey = "sessionId or principal" | "principal";

/** What the context of a message has to have for an interceptor whose failure says that it belongs to no state. */
export function missingKey(text: string): MissingKey | undefined {
  return !saysKeyless(text) ? undefined : text.includes(" keeps state by principal") ? "principal" : "sessionId or principal";
}

/** Whether the text of a failure says that its message belongs to no state. It quotes nothing of the message. */
export function saysKeyless(text: string): boolean {
  return text.includes(" keeps state by ") && text.includes(KEYLESS);
}

export function createStates<T>({ owner, scope, fixed, create, maxKeys = 10_000 }: StatesOptions<T>): States<T> {
  const states = new Map<string, T>();
  return {
    of(context) {
      const key = keyOf(context, scope);
      if (key === undefined) {
        throw new LocalError("refused", `${owner} keeps state by ${scope === "session" ? "session or principal" : scope}, ${KEYLESS}${fixed === true ? "" : '; "scope": "global" keeps one for all'}`);
      }
      const known = states.get(key);
      const state = known ?? create();
      if (known !== undefined) states.delete(key);
      else if (states.size >= maxKeys) for (const oldest of states.keys()) if (states.delete(oldest)) break;
      // The last that was asked for stands last.
      states.set(key, state);
      return state;
    },
    get size() {
      return states.size;
    },
  };
}

/** The scope in a config, `session` unless given; `among` are those that make sense for the interceptor. */
export function readScope(value: unknown, owner: string, among: readonly Scope[] = ["session", "principal", "global"]): Scope {
  return value === undefined ? (among[0] ?? "session") : readChoice(value, among, "scope", owner);
}

/** The same of a config that may be none; whoever reads the config says so. */
export function readScopeOf(config: unknown, owner: string, among?: readonly Scope[]): Scope {
  return readScope(isObject(config) ? ownMember(config, "scope") : undefined, owner, among);
}

function keyOf({ sessionId, principal }: InvocationContext, scope: Scope): string | undefined {
  if (scope === "global") return "global";
  if (scope === "session" && sessionId !== undefined) return `session ${sessionId}`;
  if (principal?.id === undefined || principal.type === "anonymous") return undefined;
  // Two issuers may each have a subject of that name.
  return `principal ${JSON.stringify([principal.type, principal.claims?.["iss"] ?? null, principal.id])}`;
}
