import { compareCodePoints } from "../core/base/compare-code-points.ts";
import type { HandlerContext } from "../core/interceptor/define.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";

/** A call that a fixture has got: what the vectors call `calls`. */
export interface RecordedCall {
  readonly interceptor: string;
  readonly type: "validation" | "mutation";
  readonly event: string;
  readonly phase: Phase;
  readonly payload: unknown;
  readonly context: HandlerContext;
}

/** Calls in their order. Validators of a step start together, so the order among them says nothing: those come by name. */
export function inOrder(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const ordered: RecordedCall[] = [];
  let from = 0;
  for (const [at, call] of calls.entries()) {
    if (call.type === "mutation") from = at + 1;
    ordered.push(call);
    const next = calls[at + 1];
    if (next?.type === "validation" && next.event === call.event && next.phase === call.phase) continue;
    ordered.push(...ordered.splice(from).sort((a, b) => compareCodePoints(a.interceptor, b.interceptor)));
    from = at + 1;
  }
  return ordered;
}
