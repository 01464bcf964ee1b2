import { isObject, ownMember } from "../core/base/json.ts";
import { formsOf, isOneEditAway, joinedForms } from "./look-alike.ts";
import { type LockedDigest, toolDigest } from "./tool-lock.ts";

/** How the pins are kept. */
export interface PinRules {
  readonly lockOf: LockedDigest | undefined;
  /** `hold`: a tool is kept back while its definition differs. `block`: for good, once it has differed. */
  readonly changed: "hold" | "block";
  readonly lookAlikes: "block" | "pass";
  readonly shadowing: "block" | "pass";
}

/** The tools that somebody has been shown, by server. */
export interface PinnedTools {
  /** Takes note of a tool in a list. Why it must not be shown, for a log and a refusal; undefined where it may. */
  see(tool: unknown, server: string | undefined, rules: PinRules): string | undefined;
  /** Why a tool must not be called; undefined where it may. */
  refusal(name: string, server: string | undefined, rules: PinRules): string | undefined;
}

interface Pin {
  readonly name: string;
  readonly server: string;
  readonly joined: ReturnType<typeof joinedForms>;
  digest: string;
  held: string | undefined;
}

const MAX_TOOLS = 2_000;
const MAX_NAME_CHARS = 256;
const CHANGED = "its definition is not the one that was pinned";
const UNLOCKED = "it is not in the lock";
const FULL = `more than ${MAX_TOOLS} tools cannot be pinned`;
const NAMELESS = "it has no name, or one of more than 256 characters";

export function createPinnedTools(): PinnedTools {
  const pins = new Map<string, Pin>();
  // By form of the name, the pin that had it first.
  const forms = new Map<string, Pin>();
  const keyOf = (name: string, server: string) => JSON.stringify([server, name]);

  const likeness = ({ name, server, joined: [plain, drawn] }: Pick<Pin, "name" | "server" | "joined">, { lookAlikes, shadowing }: PinRules): string | undefined => {
    const others = [...pins.values()].filter((pin) => pin.held === undefined);
    if (shadowing === "block" && others.some((pin) => pin.name === name && pin.server !== server)) return "another server has a tool of this name";
    if (lookAlikes === "pass") return undefined;
    const alike = formsOf(name).some((form) => {
      const pin = forms.get(form);
      return pin !== undefined && pin.held === undefined && pin.name !== name;
    });
    // Tools of one server differ by a letter often enough, and come from one hand.
    const isNear = (pin: Pin) => isOneEditAway(pin.name, name) || (pin.name !== name && plain !== "" && (pin.joined[0] === plain || pin.joined[1] === drawn)) || isOneEditAway(pin.joined[0], plain);
    return alike || others.some((pin) => pin.server !== server && isNear(pin)) ? "its name looks like that of another tool" : undefined;
  };

  return {
    see(tool, server = "", rules) {
      const name = isObject(tool) ? ownMember(tool, "name") : undefined;
      if (typeof name !== "string" || name.length > MAX_NAME_CHARS) return NAMELESS;
      const locked = rules.lockOf?.(name, server);
      if (rules.lockOf !== undefined && locked === undefined) return UNLOCKED;
      const digest = toolDigest(tool);
      const known = pins.get(keyOf(name, server));
      if (known !== undefined) {
        const differs = digest !== (locked ?? known.digest);
        if (differs) known.held ??= CHANGED;
        else if (rules.changed === "hold" && known.held === CHANGED) known.held = undefined;
        return known.held;
      }
      if (pins.size >= MAX_TOOLS) return FULL;
      const joined = joinedForms(name);
      const pin: Pin = { name, server, joined, digest: locked ?? digest, held: locked === undefined ? likeness({ name, server, joined }, rules) : locked === digest ? undefined : CHANGED };
      pins.set(keyOf(name, server), pin);
      for (const form of formsOf(name)) if (!forms.has(form)) forms.set(form, pin);
      return pin.held;
    },
    refusal(name, server = "", rules) {
      if (rules.lockOf !== undefined && rules.lockOf(name, server) === undefined) return UNLOCKED;
      return pins.get(keyOf(name, server))?.held;
    },
  };
}
