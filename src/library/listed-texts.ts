import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged, type Verdict, warn } from "../core/interceptor/verdict.ts";
import { isErrorPayload } from "./error-payload.ts";
import { withoutHidden } from "./hidden-characters.ts";
import { hiddenInstruction } from "./hidden-instructions.ts";
import { mixesScripts } from "./look-alike.ts";
import { firstOf } from "./strings.ts";

// What `text-hygiene` does with what servers list, whose names and texts a model takes for its own.

export const REACTIONS = ["hide", "block", "warn", "pass"] as const;
type Reaction = (typeof REACTIONS)[number];

export interface ListRules {
  readonly names: Reaction;
  readonly instructions: Reaction;
}

type RulesFor = (called: JsonObject) => ListRules;

/** The member of each result that has the entries. */
const LISTS = { "tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates" } as const;
type ListEvent = keyof typeof LISTS;
const HOOKS = [{ events: ["tools/list", "prompts/list", "resources/list", "resources/templates/list"], phase: "response" }] as const;
const MAX_REPORTED = 20;
const MAX_NAME_CHARS = 64;

/** The validator that refuses a list for what is wrong in it, or warns of it. */
export function judgingLists(rulesFor: RulesFor, configSchema: JsonObject): Interceptor {
  return validator(
    {
      name: "text-hygiene-lists",
      version: "1.0.0",
      description: "Refuses lists whose entries have deceptive names or hidden instructions, where it is told to.",
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
      return worst([reacting(isCalledByName(event) ? names : "pass", () => firstFault(entries, list, nameFault)), reacting(instructions, () => firstFault(entries, list, instructionFault))]);
    },
  );
}

/** The mutator that leaves out what is wrong, and nothing else. */
export function hidingEntries(rulesFor: RulesFor, configSchema: JsonObject): Interceptor {
  return mutator(
    {
      name: "text-hygiene-hide",
      version: "1.0.0",
      description: "Leaves entries with deceptive names or hidden instructions out of lists.",
      hooks: HOOKS,
      // After what is hidden in a text has been taken out of it, where it may have been harmless without.
      priorityHint: -890,
      handlesErrors: true,
      configSchema,
    },
    ({ payload, event, config }) => {
      const { names: ofNames, instructions } = rulesFor(config);
      const names = isCalledByName(event) ? ofNames : "pass";
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

/** Called for the events of `HOOKS` alone. */
function listOf(event: string): (typeof LISTS)[ListEvent] {
  return LISTS[event as ListEvent];
}

/** What a model calls by its name; a resource is read by its URI, and may be named like any file. */
function isCalledByName(event: string): boolean {
  return event === "tools/list" || event === "prompts/list";
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
  const faultOf = (what: string, problem: string | undefined, path: () => string) => (problem === undefined ? undefined : { message: `${what} ${problem}`, path: `${at}${path()}` });
  return firstOf(entry, [], ({ text, member, path }) => {
    if (member !== undefined && ADDRESSES.has(member)) return undefined;
    if (member !== undefined) return faultOf("A description", hiddenInstruction(text), path);
    // Names of members that say as much are long, and most are not.
    if (text.length < SHORTEST_SAYING) return undefined;
    return faultOf("A name of a member", hiddenInstruction(text) ?? (/\s/.test(text) ? undefined : hiddenInstruction(spaced(text))), path);
  }, { names: true });
}

const ADDRESSES: ReadonlySet<string> = new Set(["uri", "uriTemplate"]);
const SHORTEST_SAYING = 12;

/** `ignore_all_instructions` and `ignoreAllInstructions` as words. */
function spaced(name: string): string {
  return name.replace(/[_-]+|(?<=[a-z])(?=[A-Z])/g, " ");
}

function reacting(reaction: Reaction, find: () => Fault | undefined): Verdict | undefined {
  const fault = reaction === "block" || reaction === "warn" ? find() : undefined;
  if (fault === undefined) return undefined;
  return reaction === "block" ? deny(fault.message, { path: fault.path }) : warn(fault.message, { path: fault.path });
}

function worst(verdicts: readonly (Verdict | undefined)[]): Verdict {
  return verdicts.find((verdict) => verdict?.valid === false) ?? verdicts.find((verdict) => verdict !== undefined) ?? allow();
}
