import type { ChainEntry } from "../../core/chain/entry.ts";
import type { Phase } from "../../core/wire/gen/interceptors.ts";
import { priorityFor } from "../../core/interceptor/priority.ts";
import type { BuiltPlan } from "./build.ts";
import { directionAtFace } from "./trial.ts";

/** What is odd about an item of a configuration, and what to do about it. */
export interface Doubt {
  /** Into the configuration; the root is the empty text. */
  readonly pointer: string;
  readonly message: string;
  readonly todo: string;
}

/** What runs for a message before an upstream, in its order: those of a step in one list. */
export interface EffectiveOrder {
  readonly upstream: string;
  readonly event: string;
  readonly phase: Phase;
  readonly steps: readonly { readonly type: string; readonly entries: readonly ChainEntry[] }[];
}

const EVENTS = ["tools/call", "tools/list"];
const PHASES: readonly Phase[] = ["request", "response"];

/** The order of tool calls and lists of tools before each upstream, whatever conditions say. */
export function effectiveOrders({ chains }: BuiltPlan): readonly EffectiveOrder[] {
  return [...chains].flatMap(([upstream, { chain }]) =>
    EVENTS.flatMap((event) =>
      PHASES.map((phase) => {
        const { steps } = chain.plan({ event, phase, direction: directionAtFace(event, phase) });
        return { upstream, event, phase, steps: steps.map(({ type, entries }) => ({ type, entries: entries.map(({ entry }) => entry) })) };
      }),
    ),
  );
}

// By name, wherever they come from: what masks, and what takes out or adds nothing but the configuration's own words.
const MASKS: ReadonlySet<string> = new Set(["redact", "secret-guard"]);
const ADDS_NOTHING: ReadonlySet<string> = new Set(["size-limit-truncate", "tool-filter-list", "tool-pinning-list", "annotate"]);
const TRUNCATE = "size-limit-truncate";
const HYGIENE = "text-hygiene";

/**
 * Orders in which text gets past what masks or judges: a mutator behind the masks, a cut or hidden characters before them, a validator that is not asked about what
 * mutators have made. Each is told once, with all the places where it holds.
 */
export function orderDoubts(built: BuiltPlan): readonly Doubt[] {
  const found = new Map<string, { readonly doubt: Doubt; readonly places: string[] }>();
  for (const order of effectiveOrders(built)) {
    const pointerOf = ({ label }: ChainEntry) => built.items.get(label)?.pointer;
    for (const { entry, message, todo } of [...mutatorDoubts(order), ...validatorDoubts(order)]) {
      const doubt = { pointer: pointerOf(entry) ?? "", message: `${entry.name} ${message}`, todo };
      const one = found.get(JSON.stringify(doubt)) ?? { doubt, places: [] };
      one.places.push(`${order.upstream} ${order.event} ${order.phase}`);
      found.set(JSON.stringify(doubt), one);
    }
  }
  return [...found.values()].map(({ doubt, places }) => ({ ...doubt, message: `${doubt.message}: ${places.join(", ")}` }));
}

interface EntryDoubt extends Pick<Doubt, "message" | "todo"> {
  readonly entry: ChainEntry;
}

function mutatorDoubts({ steps, phase }: EffectiveOrder): readonly EntryDoubt[] {
  const mutators = activeOf(steps, "mutation");
  const priority = ({ policy }: ChainEntry) => priorityFor(policy.priorities, phase);
  return mutators.flatMap((entry, index): EntryDoubt[] => {
    const before = mutators.slice(0, index).filter(({ name }) => MASKS.has(name));
    const after = mutators.slice(index + 1).filter(({ name }) => MASKS.has(name));
    if (entry.name === TRUNCATE && after.length > 0) {
      const late = Math.max(...after.map(priority));
      return [{ entry, message: `cuts texts before ${names(after)} has seen them, and half a secret is not found`, todo: `give it a priorityHint above ${late}; its own is 2000` }];
    }
    const [first] = before;
    if (first === undefined || MASKS.has(entry.name) || ADDS_NOTHING.has(entry.name)) return [];
    const early = Math.min(...before.map(priority));
    const message =
      entry.name === HYGIENE ? `takes hidden characters out after ${names(before)} has looked, and what they hid is not masked` : `changes messages after ${names(before)}, and what it adds is not masked`;
    return [{ entry, message, todo: `give it a priorityHint below ${early}, or ${names(before)} one above ${priority(entry)}` }];
  });
}

// When sending, validators come last, and see what goes out.
function validatorDoubts({ steps, event, phase }: EffectiveOrder): readonly EntryDoubt[] {
  const mutators = activeOf(steps, "mutation");
  if (mutators.length === 0 || directionAtFace(event, phase) === "sending") return [];
  return activeOf(steps, "validation")
    .filter(({ policy }) => !policy.revalidate)
    .map((entry) => ({ entry, message: `judges what comes in alone, and not what ${names(mutators)} makes of it`, todo: 'leave out "revalidate": false, unless it counts and must not count twice' }));
}

function activeOf(steps: EffectiveOrder["steps"], type: string): readonly ChainEntry[] {
  return steps.filter((step) => step.type === type).flatMap(({ entries }) => entries.filter(({ policy }) => policy.mode === "active"));
}

function names(entries: readonly ChainEntry[]): string {
  return [...new Set(entries.map(({ name }) => name))].join(" and ");
}
