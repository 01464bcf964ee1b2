import { describeFailure, withLimit } from "./bounded.ts";
import type { MatrixClient } from "./driver.ts";
import { openWire, PAIRS, WIRES, type Opened, type Pair } from "./pairs.ts";
import { assertGuarded, assertResumes, HTTP_SINCE, openCutting, openGuarded, openHttp } from "./http.ts";
import { FEATURES } from "./scenario.ts";

export type Outcome = "passed" | "absent" | { readonly failure: string };

/** By the name of the feature, and of {@link HTTP_COLUMNS}. A revision may be without it. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** The whole scenario over HTTP, the same between guards, and a call whose connections are cut. */
export const HTTP_COLUMNS = ["http", "guarded", "resumed"] as const;

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
  const all = new Map<string, Outcome>();
  for (const wire of WIRES) {
    for (const [name, outcome] of await measure(pair, () => openWire(wire, pair))) {
      const earlier = all.get(name);
      if (typeof earlier !== "object") all.set(name, typeof outcome === "object" ? { failure: `${wire}: ${outcome.failure}` } : outcome);
    }
  }
  const { version } = pair;
  const hasHttp = version >= HTTP_SINCE;
  all.set("http", hasHttp ? together(await measure(pair, () => openHttp(pair))) : "absent");
  const guarded = () => measure(pair, () => openGuarded(pair), (client) => assertGuarded(client, pair, version));
  all.set("guarded", hasHttp ? together(await guarded()) : "absent");
  all.set("resumed", hasHttp && version < "2026" ? await measureResuming(pair) : "absent");
  return all;
}

/** One outcome for all: the failures, where there are some. */
function together(outcomes: Outcomes): Outcome {
  const failures = [...outcomes].flatMap(([name, outcome]) => (typeof outcome === "object" ? [`${name}, ${outcome.failure}`] : []));
  return failures.length === 0 ? "passed" : { failure: failures.join("; ") };
}

async function attempt(what: string, work: Promise<unknown>): Promise<Outcome> {
  try {
    await withLimit(FEATURE_LIMIT_MS, what, work);
    return "passed";
  } catch (thrown) {
    return { failure: describeFailure(thrown) };
  }
}

/** Takes one pair through the scenario over one connection. A feature that fails does not keep the next ones from being tried. */
async function measure(pair: Pair, open: () => Promise<Opened>, before?: (client: MatrixClient) => Promise<void>): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>();
  const { link, close } = await open();
  try {
    const client = await withLimit(OPEN_LIMIT_MS, "connecting", pair.client.open(link, pair.version));
    if (before !== undefined) outcomes.set("before", await attempt("before", before(client)));
    for (const { name, since = "", run } of FEATURES) {
      outcomes.set(name, pair.version < since ? "absent" : await attempt(name, run(client, pair.version)));
    }
    await client.close();
  } finally {
    await close();
  }
  return outcomes;
}

async function measureResuming(pair: Pair): Promise<Outcome> {
  const { link, cut, close } = await openCutting(pair);
  try {
    const client = await withLimit(OPEN_LIMIT_MS, "connecting", pair.client.open(link, pair.version));
    const outcome = await attempt("resuming", assertResumes(client, cut));
    await client.close();
    return outcome;
  } finally {
    await close();
  }
}
