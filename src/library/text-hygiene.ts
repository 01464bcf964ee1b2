import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged, type Verdict, warn } from "../core/interceptor/verdict.ts";
import { invalid, readChoice, readConfig, readStrings } from "./config.ts";
import { cleanText, HIDDEN_KINDS, type HiddenKind, withoutHidden } from "./hidden-characters.ts";
import { isErrorPayload } from "./error-payload.ts";
import { hiddenInstruction } from "./hidden-instructions.ts";
import { mixesScripts } from "./look-alike.ts";
import { editPayload } from "./payload-edit.ts";
import { perCall } from "./per-call.ts";
import { withCopies } from "./redact-copies.ts";
import { firstOf } from "./strings.ts";

/** What becomes of text that people cannot see. */
export interface TextHygieneConfig {
  /** `strip`: hidden characters are left out of texts. `block`: a message with such a text is refused. `strip` unless given; set where the interceptors are made. */
  readonly mode?: "strip" | "block";
  /** Which characters; all unless given. */
  readonly characters?: readonly HiddenKind[];
  /** What becomes of a list of tools or prompts where a name has hidden characters or mixes scripts in a word. `block` unless given. */
  readonly names?: "block" | "warn" | "pass";
  /** What becomes of a list of tools or prompts that holds instructions which people are not to see. A guess. `block` unless given. */
  readonly instructions?: "block" | "warn" | "pass";
}

const OWNER = "text-hygiene";
const MODES = ["strip", "block"] as const;
const REACTIONS = ["block", "warn", "pass"] as const;

export const textHygieneConfigSchema: JsonObject = {
  type: "object",
  properties: {
    mode: { enum: [...MODES] },
    characters: { type: "array", items: { enum: [...HIDDEN_KINDS] } },
    names: { enum: [...REACTIONS] },
    instructions: { enum: [...REACTIONS] },
  },
  additionalProperties: false,
};

const EVERYWHERE = [
  { events: ["*"], phase: "request" },
  { events: ["*"], phase: "response" },
] as const;

/**
 * Two interceptors. `text-hygiene` leaves characters that nobody sees and commands for terminals out of every text (a mutator), or refuses messages that
 * have them (a validator, with `mode: "block"`). The validator `text-hygiene-lists` refuses lists of tools and prompts with names that are
 * not what they look like, or with hidden instructions. Throws `invalid_argument` for a wrong config.
 */
export function textHygiene(config: TextHygieneConfig = {}): readonly [texts: Interceptor, lists: Interceptor] {
  const { mode } = compileTextHygiene(config);
  const rulesFor = perCall(config, (value) => {
    const rules = compileTextHygiene(value);
    if (rules.mode !== mode) throw invalid(OWNER, "mode", "is set where the interceptors are made, not by a call");
    return rules;
  });
  return [mode === "strip" ? stripping(rulesFor) : blocking(rulesFor), judgingLists(rulesFor)];
}

type RulesFor = (called: JsonObject) => Rules;
type Reaction = (typeof REACTIONS)[number];

interface Rules {
  readonly mode: "strip" | "block";
  readonly characters: ReadonlySet<HiddenKind>;
  readonly names: Reaction;
  readonly instructions: Reaction;
}

function stripping(rulesFor: RulesFor): Interceptor {
  return mutator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Leaves invisible characters and terminal commands out of texts.",
      hooks: EVERYWHERE,
      // Before others look for words and numbers that such characters would set apart.
      priorityHint: -900,
      handlesErrors: true,
      configSchema: textHygieneConfigSchema,
    },
    ({ payload, event, phase, config }) => {
      const { characters } = rulesFor(config);
      const kinds = new Set<HiddenKind>();
      const text = (dirty: string) => cleanText(dirty, characters, (kind) => kinds.add(kind));
      // The message itself is bounded.
      const edited = editPayload(payload, { event, phase }, { text, number: (value) => value, maxTextChars: Number.MAX_SAFE_INTEGER });
      if (edited === payload) return unchanged();
      const clean = event === "tools/call" && phase === "response" ? withCopies(payload, edited) : edited;
      // An object stays one: only the texts in it have changed.
      return mutated(clean as typeof payload, { info: { stripped: [...kinds] } });
    },
  );
}

function blocking(rulesFor: RulesFor): Interceptor {
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses texts with invisible characters or terminal commands.",
      hooks: EVERYWHERE,
      handlesErrors: true,
      configSchema: textHygieneConfigSchema,
    },
    ({ payload, config }) => {
      const { characters } = rulesFor(config);
      const judge = (text: string, path: () => string) => {
        const kinds = new Set<HiddenKind>();
        cleanText(text, characters, (kind) => kinds.add(kind));
        return kinds.size === 0 ? undefined : deny(`A text has characters that nobody sees (${[...kinds].join(", ")})`, { path: withoutHidden(path()) });
      };
      return firstOf<Verdict>(payload, [], ({ text, path }) => judge(text, path), { names: true }) ?? allow();
    },
  );
}

function judgingLists(rulesFor: RulesFor): Interceptor {
  return validator(
    {
      name: "text-hygiene-lists",
      version: "1.0.0",
      description: "Refuses lists of tools and prompts with deceptive names or hidden instructions.",
      hooks: [{ events: ["tools/list", "prompts/list"], phase: "response" }],
      handlesErrors: true,
      configSchema: textHygieneConfigSchema,
    },
    ({ payload, event, config }) => {
      if (isErrorPayload(payload)) return allow();
      const { names, instructions } = rulesFor(config);
      const list = event === "tools/list" ? "tools" : "prompts";
      const entries = isObject(payload) ? ownMember(payload, list) : undefined;
      if (!Array.isArray(entries)) return deny(`The result must have a list of ${list}`, { path: `/${list}` });
      return worst([
        names === "pass" ? undefined : reacting(names, nameFault(entries, list)),
        instructions === "pass" ? undefined : reacting(instructions, instructionFault(entries, list)),
      ]);
    },
  );
}

interface Fault {
  readonly message: string;
  readonly path: string;
}

function nameFault(entries: readonly unknown[], list: string): Fault | undefined {
  for (const [index, entry] of entries.entries()) {
    const name = isObject(entry) ? ownMember(entry, "name") : undefined;
    if (typeof name !== "string") continue;
    const path = `/${list}/${index}/name`;
    // A joiner or a mark that a text may need is of no use to a name.
    if (withoutHidden(name) !== name) return { message: "A name has characters that nobody sees", path };
    if (mixesScripts(name)) return { message: "A name mixes letters of scripts that look alike", path };
  }
  return undefined;
}

function instructionFault(entries: readonly unknown[], list: string): Fault | undefined {
  return firstOf(entries, [list], ({ text, path }) => {
    const problem = hiddenInstruction(text);
    return problem === undefined ? undefined : { message: `A description ${problem}`, path: path() };
  });
}

function reacting(reaction: "block" | "warn", fault: Fault | undefined): Verdict | undefined {
  if (fault === undefined) return undefined;
  return reaction === "block" ? deny(fault.message, { path: fault.path }) : warn(fault.message, { path: fault.path });
}

function worst(verdicts: readonly (Verdict | undefined)[]): Verdict {
  return verdicts.find((verdict) => verdict?.valid === false) ?? verdicts.find((verdict) => verdict !== undefined) ?? allow();
}

function compileTextHygiene(value: unknown): Rules {
  const config = readConfig(value, ["mode", "characters", "names", "instructions"], OWNER);
  const choice = <T extends string>(member: string, choices: readonly T[], otherwise: T): T => {
    const given = ownMember(config, member);
    return given === undefined ? otherwise : readChoice(given, choices, member, OWNER);
  };
  const characters = readStrings(config, "characters", OWNER)?.map((kind, index) => readChoice(kind, HIDDEN_KINDS, `characters[${index}]`, OWNER));
  return {
    mode: choice("mode", MODES, "strip"),
    characters: new Set(characters ?? HIDDEN_KINDS),
    names: choice("names", REACTIONS, "block"),
    instructions: choice("instructions", REACTIONS, "block"),
  };
}
