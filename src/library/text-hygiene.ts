import { type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged, type Verdict } from "../core/interceptor/verdict.ts";
import { invalid, readChoice, readConfig, readStrings } from "./config.ts";
import { cleanText, HIDDEN_KINDS, type HiddenKind, withoutHidden } from "./hidden-characters.ts";
import { hidingEntries, judgingLists, type ListRules, REACTIONS } from "./listed-texts.ts";
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
  /** What becomes of a tool or prompt in a list whose name has hidden characters or mixes scripts in a word: `hide`, the default, leaves it out, `block` refuses the list. */
  readonly names?: "hide" | "block" | "warn" | "pass";
  /** What becomes of a tool or prompt in a list that holds instructions which people are not to see; likewise. A guess. */
  readonly instructions?: "hide" | "block" | "warn" | "pass";
}

const OWNER = "text-hygiene";
const MODES = ["strip", "block"] as const;

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
 * Three interceptors. `text-hygiene` leaves characters that nobody sees and commands for terminals out of every text (a mutator), or refuses messages that
 * have them (a validator, with `mode: "block"`). The mutator `text-hygiene-hide` leaves tools and prompts out of lists whose names are not what they look like, or that
 * hold hidden instructions; the validator `text-hygiene-lists` refuses such lists, or warns of them, where the config says so. Throws `invalid_argument` for a wrong config.
 */
export function textHygiene(config: TextHygieneConfig = {}): readonly [texts: Interceptor, lists: Interceptor, hide: Interceptor] {
  const { mode } = compileTextHygiene(config);
  const rulesFor = perCall(config, (value) => {
    const rules = compileTextHygiene(value);
    if (rules.mode !== mode) throw invalid(OWNER, "mode", "is set where the interceptors are made, not by a call");
    return rules;
  });
  return [mode === "strip" ? stripping(rulesFor) : blocking(rulesFor), judgingLists(rulesFor, textHygieneConfigSchema), hidingEntries(rulesFor, textHygieneConfigSchema)];
}

type RulesFor = (called: JsonObject) => Rules;

interface Rules extends ListRules {
  readonly mode: "strip" | "block";
  readonly characters: ReadonlySet<HiddenKind>;
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
    names: choice("names", REACTIONS, "hide"),
    instructions: choice("instructions", REACTIONS, "hide"),
  };
}
