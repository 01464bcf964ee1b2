import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";

// Config comes from code, from a command line or off the wire. Each reader narrows one member, or throws `invalid_argument` with its name;
// `owner` is the interceptor that the config is for.

/** The config as an object that has no members but these. Nothing at all is an empty one. */
export function readConfig(config: unknown, members: readonly string[], owner: string): JsonObject {
  if (config === undefined) return {};
  if (!isObject(config)) throw invalid(owner, undefined, "must be an object");
  const unknown = Object.keys(config).find((member) => !members.includes(member));
  if (unknown !== undefined) throw invalid(owner, unknown, `is not known; known are ${members.join(", ")}`);
  return config;
}

export function readStrings(config: JsonObject, member: string, owner: string): readonly string[] | undefined {
  const value = ownMember(config, member);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalid(owner, member, "must be a list of strings");
  return value.map((item: unknown, index) => {
    if (typeof item !== "string") throw invalid(owner, `${member}[${index}]`, "must be a string");
    return item;
  });
}

export function readChoice<T extends string>(value: unknown, choices: readonly T[], member: string, owner: string): T {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalid(owner, member, `must be one of ${choices.map((known) => `"${known}"`).join(", ")}`);
  return choice;
}

/** What {@link readCount} takes. */
export const COUNT_SCHEMA: JsonObject = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

export function readCount(config: JsonObject, member: string, fallback: number, owner: string): number {
  const value = ownMember(config, member);
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) throw invalid(owner, member, "must be a whole number of at least 1");
  return value;
}

export function invalid(owner: string, member: string | undefined, reason: string): LocalError {
  return new LocalError("invalid_argument", `config of ${owner}: ${member === undefined ? "it" : member} ${reason}`, {
    details: member === undefined ? { owner } : { owner, member },
  });
}
