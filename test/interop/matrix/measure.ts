import { describeFailure, withLimit } from "./bounded.ts";
import { openWire, PAIRS, WIRES, type Pair, type Wire } from "./pairs.ts";
import { FEATURES } from "./scenario.ts";

/** By the name of the feature. A revision may be without it. */
export type Outcomes = ReadonlyMap<string, "passed" | "absent" | { readonly failure: string }>;

export interface Row {
  readonly pair: Pair;
  /** Over every wire: a failure over one of them is the feature's. */
  readonly outcomes: Promise<Outcomes>;
}

const OPEN_LIMIT_MS = 20_000;
const FEATURE_LIMIT_MS = 15_000;
const AT_ONCE = 4;

/** Starts to take all pairs through the scenario, a few at once. */
export function measureAll(): readonly Row[] {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  const inTurn = async (pair: Pair): Promise<Outcomes> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await measureRow(pair);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
  return PAIRS.map((pair) => {
    const outcomes = inTurn(pair);
    // Whoever awaits the row hears of it.
    outcomes.catch(() => {});
    return { pair, outcomes };
  });
}

async function measureRow(pair: Pair): Promise<Outcomes> {
  const all = new Map<string, "passed" | "absent" | { failure: string }>();
  for (const wire of WIRES) {
    for (const [name, outcome] of await measure(pair, wire)) {
      const earlier = all.get(name);
      if (typeof earlier !== "object") all.set(name, typeof outcome === "object" ? { failure: `${wire}: ${outcome.failure}` } : outcome);
    }
  }
  return all;
}

/** Takes one pair through the scenario over one connection. A feature that fails does not keep the next ones from being tried. */
async function measure(pair: Pair, wire: Wire): Promise<Outcomes> {
  const outcomes = new Map<string, "passed" | "absent" | { failure: string }>();
  const { link, close } = await openWire(wire, pair);
  try {
    const client = await withLimit(OPEN_LIMIT_MS, "connecting", pair.client.open(link, pair.version));
    for (const { name, since = "", run } of FEATURES) {
      if (pair.version < since) {
        outcomes.set(name, "absent");
        continue;
      }
      try {
        await withLimit(FEATURE_LIMIT_MS, name, run(client, pair.version));
        outcomes.set(name, "passed");
      } catch (thrown) {
        outcomes.set(name, { failure: describeFailure(thrown) });
      }
    }
    await client.close();
  } finally {
    await close();
  }
  return outcomes;
}
