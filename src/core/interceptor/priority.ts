import type { Phase, PriorityHint } from "../wire/gen/interceptors.ts";

export interface Priorities {
  readonly request: number;
  readonly response: number;
}

/** One number counts for both phases; a missing side is 0 (SEP-2624, Priority Resolution). */
export function resolvePriority(hint: PriorityHint | undefined): Priorities {
  if (typeof hint === "number") return { request: hint, response: hint };
  return { request: hint?.request ?? 0, response: hint?.response ?? 0 };
}

export function priorityFor(priorities: Priorities, phase: Phase): number {
  return phase === "request" ? priorities.request : priorities.response;
}
