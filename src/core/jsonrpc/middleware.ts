import { LocalError } from "../base/errors.ts";

export type Handler<Call extends object, Outcome> = (call: Call) => Outcome;
/** Wraps a handler: an ordinary `(next) => handler`. Runs once, when it is used; the handler it returns runs for each call. */
export type Wrapper<Call extends object, Outcome> = (next: Handler<Call, Outcome>) => Handler<Call, Outcome>;

export interface Pipeline<Call extends object, Outcome> {
  /** Adds a wrapper inside the ones before it: the first one used is the outermost. */
  use(wrapper: Wrapper<Call, Outcome>): void;
  run(call: Call): Outcome;
}

// How far a call has come, kept on the call itself so that `{ ...call, params }` takes it along.
const PASSAGE = Symbol("passage");
type Passing<Call> = Call & { [PASSAGE]?: { reached: number } };

/**
 * A handler that can be wrapped. A wrapper passes on the call it got, or a copy made by spreading it, and does so once: a second
 * `next()` for one call throws `invalid_argument`, as the call would be handled twice.
 */
export function createPipeline<Call extends object, Outcome>(handler: Handler<Call, Outcome>): Pipeline<Call, Outcome> {
  const stages: Handler<Call, Outcome>[] = [];

  const nextAfter = (depth: number) => (call: Passing<Call>) => {
    const passage = call[PASSAGE];
    if (passage === undefined) throw new LocalError("invalid_argument", "next() takes the call that came, or a copy that spreads it");
    if (passage.reached >= depth) throw new LocalError("invalid_argument", "next() was called twice for one call");
    passage.reached = depth;
    return (stages[depth] ?? handler)(call);
  };

  return {
    use(wrapper) {
      stages.push(wrapper(nextAfter(stages.length + 1)));
    },
    run(call: Passing<Call>) {
      const outermost = stages[0];
      if (outermost === undefined) return handler(call);
      call[PASSAGE] = { reached: 0 };
      return outermost(call);
    },
  };
}
