import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged, type Verdict, warn } from "../core/interceptor/verdict.ts";
import { isErrorPayload } from "./error-payload.ts";
import { withoutHidden } from "./hidden-characters.ts";
import { hiddenInstruction } from "./hidden-instructions.ts";
import { mixesScripts } from "./look-alike.ts";
import { firstOf } from "./strings.ts";

// What `text-hygiene` does with the tools and prompts of lists, whose names and texts a model takes for its own.

export const REACTIONS = ["hide", "block", "warn", "pass"] as const;
type Reaction = (typeof REACTIONS)[number];

export interface ListRules {
  readonly names: Reaction;
  readonly instructions: Reaction;
}

type RulesFor = (called: JsonObject) => ListRules;

const HOOKS = [{ events: ["tools/list", "prompts/list"], phase: "response" }] as const;
const MAX_REPORTED = 20;
const MAX_NAME_CHARS = 64;

/** The validator that refuses a list for what is wrong in it, or warns of it. */
export function judgingLists(rulesFor: RulesFor, configSchema: JsonObject): Interceptor {
  return validator(
    {
      name: "text-hygiene-lists",
      version: "1.0.0",
      description: "Refuses lists of tools and prompts with deceptive names or hidden instructions, where it is told to.",
      hooks: HOOKS,
      handlesErrors: true,
      configSchema,
    },
    ({ payload, event, config }) => {
      if (isErrorPayload(payload)) return allow();
      const { names, instructions } = rulesFor(config);
      const list = listOf(event);
      const entries = isObject(payload) ? ownMember(payload, list) : undefined;
      if (!Array.isArray(entries)) return deny(`The result must have a list of ${list}`, { path: `/${list}` });
      return worst([reacting(names, () => firstFault(entries, list, nameFault)), reacting(instructions, () => firstFault(entries, list, instructionFault))]);
    },
  );
}

/** The mutator that leaves out what is wrong, and nothing else. */
export function hidingEntries(rulesFor: RulesFor, configSchema: JsonObject): Interceptor {
  return mutator(
    {
      name: "text-hygiene-hide",
      version: "1.0.0",
      description: "Leaves tools and prompts with deceptive names or hidden instructions out of lists.",
      hooks: HOOKS,
      // After what is hidden in a text has been taken out of it, where it may have been harmless without.
      priorityHint: -890,
      handlesErrors: true,
      configSchema,
    },
    ({ payload, event, config }) => {
      const { names, instructions } = rulesFor(config);
      if (isErrorPayload(payload) || (names !== "hide" && instructions !== "hide")) return unchanged();
      const list = listOf(event);
      const listed = isObject(payload) ? ownMember(payload, list) : undefined;
      if (!Array.isArray(listed)) throw new LocalError("invalid_message", `the result of ${event} has no list of ${list}`);
      const keptBack: JsonObject[] = [];
      const kept = listed.filter((entry: unknown) => {
        const fault = (names === "hide" ? nameFault(entry, "") : undefined) ?? (instructions === "hide" ? instructionFault(entry, "") : undefined);
        if (fault !== undefined && keptBack.length < MAX_REPORTED) keptBack.push({ name: shownName(entry), reason: fault.message });
        return fault === undefined;
      });
      // An object stays one: it has fewer entries alone.
      return kept.length === listed.length ? unchanged() : mutated({ ...payload, [list]: kept } as typeof payload, { info: { keptBack } });
    },
  );
}

function listOf(event: string): "tools" | "prompts" {
  return event === "tools/list" ? "tools" : "prompts";
}

function shownName(entry: unknown): string | null {
  const name = isObject(entry) ? ownMember(entry, "name") : undefined;
  return typeof name === "string" ? withoutHidden(name).slice(0, MAX_NAME_CHARS) : null;
}

interface Fault {
  readonly message: string;
  readonly path: string;
}

type FindFault = (entry: unknown, at: string) => Fault | undefined;

function firstFault(entries: readonly unknown[], list: string, find: FindFault): Fault | undefined {
  for (const [index, entry] of entries.entries()) {
    const fault = find(entry, `/${list}/${index}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nameFault(entry: unknown, at: string): Fault | undefined {
  const name = isObject(entry) ? ownMember(entry, "name") : undefined;
  if (typeof name !== "string") return undefined;
  const path = `${at}/name`;
  // A joiner or a mark that a text may need is of no use to a name.
  if (withoutHidden(name) !== name) return { message: "A name has characters that nobody sees", path };
  return mixesScripts(name) ? { message: "A name mixes letters of scripts that look alike", path } : undefined;
}

function instructionFault(entry: unknown, at: string): Fault | undefined {
  return firstOf(entry, [], ({ text, path }) => {
    const problem = hiddenInstruction(text);
    return problem === undefined ? undefined : { message: `A description ${problem}`, path: `${at}${path()}` };
  });
}

function reacting(reaction: Reaction, find: () => Fault | undefined): Verdict | undefined {
  const fault = reaction === "block" || reaction === "warn" ? find() : undefined;
  if (fault === undefined) return undefined;
  return reaction === "block" ? deny(fault.message, { path: fault.path }) : warn(fault.message, { path: fault.path });
}

function worst(verdicts: readonly (Verdict | undefined)[]): Verdict {
  return verdicts.find((verdict) => verdict?.valid === false) ?? verdicts.find((verdict) => verdict !== undefined) ?? allow();
}
