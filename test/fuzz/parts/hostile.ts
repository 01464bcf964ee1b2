// Schemas that are made to cost: each is refused, judged, or given up within the bounds.
import { LocalError } from "../../../src/core/base/errors.ts";
import { compileSchema } from "../../../src/core/schema/schema.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { HOSTILE } from "./hostile-schemas.ts";
import type { Part } from "./part.ts";

/** Of processor time, for one schema and one value at the default limits: several times what any takes, and far less than one without bounds. */
const MAX_CPU_MS = 10_000;

/** What becomes of one; `problem` where that is wrong. */
export function tryHostile(name: string, size: number): { readonly outcome: string; readonly problem?: string } {
  const [schema, value] = HOSTILE[name]!(size);
  let outcome = "";
  let problem: string | undefined;
  const judge = () => {
    try {
      const compiled = compileSchema(schema);
      const reason = compiled.check(value)?.reason;
      outcome = reason === undefined ? "fits" : /^is too |^is nested too|too large for this engine$/.test(reason) ? "given up" : "does not fit";
    } catch (thrown) {
      outcome = "refused";
      const clear = thrown instanceof LocalError && thrown.code === "invalid_argument" && typeof thrown.details?.["pointer"] === "string";
      if (!clear) problem = `${name} at size ${size} throws ${String(thrown).slice(0, 1_000)}`;
    }
  };
  const spent = cpuMs(judge);
  if (spent > MAX_CPU_MS) problem = `${name} at size ${size} takes ${Math.round(spent)} ms`;
  return { outcome, ...(problem !== undefined && { problem }) };
}

export const hostilePart: Part = {
  name: "hostile",
  cases: 25,
  least: { "given up": 1, refused: 1, fits: 2 },
  run(random, count) {
    const { outcome, problem } = tryHostile(random.pick(Object.keys(HOSTILE)), random.pick([0.1, 0.1, 0.2, 0.4]) * random.pick([1, 1, 1, 25 * random.next()]));
    count(outcome);
    return problem;
  },
};
