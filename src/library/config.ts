import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { isPattern } from "../core/wire/patterns.ts";
import { isNamePattern, NO_NAME_PATTERN } from "./name-patterns.ts";

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

export function readBoolean(config: JsonObject, member: string, owner: string): boolean | undefined {
  const value = ownMember(config, member);
  if (value !== undefined && typeof value !== "boolean") throw invalid(owner, member, "must be true or false");
  return value;
}

export function readText(config: JsonObject, member: string, owner: string): string | undefined {
  const value = ownMember(config, member);
  if (value !== undefined && typeof value !== "string") throw invalid(owner, member, "must be a string");
  return value;
}

/** A whole number from `least` to `most`. */
export function readWhole(config: JsonObject, member: string, owner: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = ownMember(config, member);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) throw invalid(owner, member, `must be a whole number from ${least} to ${most}`);
  return value;
}

/** Name patterns: exact names, or `prefix*`, as `compilePatterns` takes them. */
export function readPatterns(config: JsonObject, member: string, owner: string): readonly string[] | undefined {
  const names = readStrings(config, member, owner);
  const wrong = names?.findIndex((name) => !isNamePattern(name)) ?? -1;
  if (wrong !== -1) throw invalid(owner, `${member}[${wrong}]`, NO_NAME_PATTERN);
  return names;
}

/** What hooks may name: methods, `ns/*`, `*`. */
export function readEvents(config: JsonObject, member: string, owner: string): readonly string[] | undefined {
  const events = readStrings(config, member, owner);
  if (events?.length === 0) throw invalid(owner, member, "must name a method");
  const wrong = events?.findIndex((event) => !isPattern(event)) ?? -1;
  if (wrong !== -1) throw invalid(owner, `${member}[${wrong}]`, "must be a method, a namespace with /* after it, or *");
  return events;
}

/** The JSON Schema of what `readEvents` takes. */
export const eventsSchema: JsonObject = { type: "array", items: { type: "string", pattern: "^(\\*|[^*]+(/\\*)?)$" }, minItems: 1 };

const PHASES: readonly Phase[] = ["request", "response"];

/** The phases that an interceptor of all events is for, both unless given. */
export function readPhases(config: JsonObject, owner: string): readonly Phase[] {
  const phases = readStrings(config, "phases", owner)?.map((phase, index) => readChoice(phase, PHASES, `phases[${index}]`, owner));
  if (phases?.length === 0) throw invalid(owner, "phases", "must name a phase");
  return phases === undefined ? PHASES : PHASES.filter((phase) => phases.includes(phase));
}

/** The JSON Schema of what `readPhases` takes. */
export const phasesSchema: JsonObject = { type: "array", items: { enum: ["request", "response"] }, minItems: 1 };

export function everyEventIn(phases: readonly Phase[]): { readonly events: readonly ["*"]; readonly phase: Phase }[] {
  return phases.map((phase) => ({ events: ["*"], phase }));
}

export function readChoice<T extends string>(value: unknown, choices: readonly T[], member: string, owner: string): T {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalid(owner, member, `must be one of ${choices.map((known) => `"${known}"`).join(", ")}`);
  return choice;
}

export function invalid(owner: string, member: string | undefined, reason: string): LocalError {
  return new LocalError("invalid_argument", `config of ${owner}: ${member === undefined ? "it" : member} ${reason}`, {
    details: member === undefined ? { owner } : { owner, member },
  });
}
