import { describeError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { visibleError, withoutProtocolMembers } from "./compare.ts";
import { NoOutcome } from "./no-outcome.ts";
import type { Target } from "./target.ts";
import type { Vector } from "./vector.ts";

/** Whether a target has the function that a vector needs. */
export function canRun({ kind }: Vector, target: Target): boolean {
  return target[kind] !== undefined;
}

/** What the target does with a vector's input, in the form of `expect`. Of what a target throws, a `NoOutcome` alone rejects. */
export async function observe(vector: Vector, target: Target): Promise<unknown> {
  switch (vector.kind) {
    case "list":
    case "invoke": {
      const { params, method } = vector.input;
      return await outcome(vector, async () => ({ result: withoutProtocolMembers(await target[vector.kind]?.(params, method)) }));
    }
    case "chain":
      return await outcome(vector, async () => asked(await target.chain?.(vector.input), vector));
    case "guard":
      return await outcome(vector, async () => asked(await target.guard?.(vector.input), vector));
    case "client":
      return await outcome(vector, () => target.client?.(vector.input));
    case "capability":
      return await outcome(vector, async () => {
        const events = await target.capability?.(vector.input.capabilities);
        return events === undefined ? { none: true } : { supportedEvents: events };
      });
    case "descriptor":
      return await judged<unknown>(async () => ({ accepted: await target.descriptor?.(vector.input.descriptor) }), { refused: true });
    case "dialect":
      return await judged<unknown>(async () => ({ result: await target.dialect?.(vector.input.answer, vector.input.asked) }), { malformed: true });
  }
}

// What a target may have no means to see. These members count only where a vector has them.
const OPTIONAL: Readonly<Partial<Record<Vector["kind"], readonly string[]>>> = { chain: ["unfinished", "lateAnswers", "cancelled", "logged"], guard: ["calls"] };

function asked(seen: unknown, { kind, expect }: Vector): unknown {
  if (!isObject(seen) || !isObject(expect)) return seen;
  return Object.fromEntries(Object.entries(seen).filter(([name]) => OPTIONAL[kind]?.includes(name) !== true || Object.hasOwn(expect, name)));
}

/** The members that the vector looks at, and that a target may leave out, where the target did. */
export function unreported({ kind, expect }: Vector, seen: unknown): readonly string[] {
  if (!isObject(seen) || !isObject(expect)) return [];
  return (OPTIONAL[kind] ?? []).filter((name) => Object.hasOwn(expect, name) && !Object.hasOwn(seen, name));
}

async function outcome({ expect }: Vector, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof NoOutcome) throw thrown;
    const error = visibleError(thrown, expect);
    return error === undefined ? { threw: describeError(thrown) } : { error };
  }
}

/** What the work comes to, or the refusal where it throws; a `NoOutcome` is none. */
export async function judged<T>(work: () => Promise<T>, refusal: T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof NoOutcome) throw thrown;
    return refusal;
  }
}
