import { describeError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { visibleError, withoutProtocolMembers } from "./compare.ts";
import type { Target } from "./target.ts";
import type { Vector } from "./vector.ts";

/** Whether a target has the function that a vector needs. */
export function canRun({ kind }: Vector, target: Target): boolean {
  return target[kind] !== undefined;
}

/** What the target does with a vector's input, in the form of `expect`. Never rejects on what a target throws. */
export async function observe(vector: Vector, target: Target): Promise<unknown> {
  switch (vector.kind) {
    case "list":
    case "invoke": {
      const { params, method } = vector.input;
      return await outcome(vector, async () => ({ result: withoutProtocolMembers(await target[vector.kind]?.(params, method)) }));
    }
    case "chain":
      return await outcome(vector, async () => asked(await target.chain?.(vector.input), vector, ["unfinished", "lateAnswers", "cancelled", "logged"]));
    case "guard":
      return await outcome(vector, async () => asked(await target.guard?.(vector.input), vector, ["calls"]));
    case "client":
      return await outcome(vector, () => target.client?.(vector.input));
    case "capability":
      return await outcome(vector, async () => {
        const events = await target.capability?.(vector.input.capabilities);
        return events === undefined ? { none: true } : { supportedEvents: events };
      });
    case "descriptor":
      return await judged(async () => ({ accepted: await target.descriptor?.(vector.input.descriptor) }), { refused: true });
    case "dialect":
      return await judged(async () => ({ result: await target.dialect?.(vector.input.answer, vector.input.asked) }), { malformed: true });
  }
}

// Without the members that count only where a vector has them.
function asked(seen: unknown, { expect }: Vector, optional: readonly string[]): unknown {
  if (!isObject(seen) || !isObject(expect)) return seen;
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !optional.includes(name) || Object.hasOwn(expect, name)));
}

async function outcome({ expect }: Vector, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    const error = visibleError(thrown, expect);
    return error === undefined ? { threw: describeError(thrown) } : { error };
  }
}

async function judged(work: () => Promise<unknown>, refusal: unknown): Promise<unknown> {
  try {
    return await work();
  } catch {
    return refusal;
  }
}
