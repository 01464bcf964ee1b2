import type { Phase, PriorityHint } from "../wire/gen/interceptors.ts";

const LOWEST = -2_147_483_648;
const HIGHEST = 2_147_483_647;

export interface Priorities {
  readonly request: number;
  readonly response: number;
}

/** What is wrong with a hint, as the end of a sentence; `undefined` if nothing is. */
export function priorityProblem(hint: unknown): string | undefined {
  if (isPriority(hint)) return undefined;
  if (typeof hint !== "object" || hint === null || Array.isArray(hint)) {
    return "must be a 32-bit signed integer, or { request?, response? } of such";
  }
  for (const [side, value] of Object.entries(hint)) {
    if (side !== "request" && side !== "response") return `has no member "${side}", only "request" and "response"`;
    if (value !== undefined && !isPriority(value)) return `.${side} must be a 32-bit signed integer`;
  }
  return undefined;
}

/** One number counts for both phases; a missing side is 0 (SEP-2624, Priority Resolution). */
export function resolvePriority(hint: PriorityHint | undefined): Priorities {
  if (typeof hint === "number") return { request: hint, response: hint };
  return { request: hint?.request ?? 0, response: hint?.response ?? 0 };
}

export function priorityFor(priorities: Priorities, phase: Phase): number {
  return phase === "request" ? priorities.request : priorities.response;
}

/**
 * Unicode code point order, the same in every locale. UTF-16 order, which `<` gives, differs where one side has a surrogate
 * and the other a character from U+E000 to U+FFFF.
 */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

// Moves surrogates above the rest of the basic plane.
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= LOWEST && (value as number) <= HIGHEST;
}
