import { LocalError } from "../base/errors.ts";
import { createFunctionGuard, FunctionExchange, over } from "./function-exchange.ts";
import { checkFunctionOptions, type FunctionCall, type FunctionChain, type FunctionGuardOptions, type GuardedCallOptions } from "./function-options.ts";

/** A function as its caller knows it, behind a chain. */
export type GuardedFunction<Argument, Result> = (argument: Argument, call?: GuardedCallOptions) => Promise<Result>;

/**
 * Puts a chain around any function, a call of a model above all: its argument is judged as the request of `event`, its result as the response, and
 * what it throws as an error response, which interceptors with `handlesErrors` see. Both must be JSON; the function and the caller get copies of
 * what was judged, mutated or not, and the argument is read before the first wait.
 *
 * Rejects with a {@link BlockedError} where the chain refuses, and then the function was not called or its answer goes nowhere; with what the
 * function threw, the very same unless a mutator changed it; and with a `LocalError`: `not_json` and `limit_exceeded` of argument or result,
 * `invalid_argument` and `invalid_message` where one is not what `event` demands, `timeout`; or with the reason of `call.signal`.
 */
export function guardFunction<Argument, Result>(
  fn: (argument: Argument, call: FunctionCall) => Result | PromiseLike<Result>,
  chain: FunctionChain,
  options: FunctionGuardOptions,
): GuardedFunction<Argument, Result> {
  checkFunctionOptions(fn, options);
  const guard = createFunctionGuard(chain, options);

  return async (argument, call = {}) => {
    const exchange = new FunctionExchange(guard, call);
    try {
      const request = await judgeArgument(exchange, argument);
      const { given, own } = exchange.open();
      let result: Result;
      try {
        // A mutator may have changed it: `check` is what keeps its type true.
        result = await exchange.within(() => fn(request as Argument, given), own);
      } catch (thrown) {
        if (exchange.signal.aborted) throw thrown;
        throw (await exchange.judgeError(thrown)).thrown;
      } finally {
        own.abort(over());
      }
      const payload = result === undefined ? null : exchange.copyResult(result);
      const wrong = exchange.problem("response", payload);
      if (wrong !== undefined) throw new LocalError("invalid_message", `the function of ${options.event} gave a wrong result: ${wrong}`);
      const judged = await exchange.judge("response", payload);
      // As above. A function that gives nothing still does, unless a mutator made something of it.
      return (judged === null && result === undefined ? undefined : judged) as Result;
    } finally {
      exchange.end();
    }
  };
}

/** The argument as it may go on: JSON, what the event demands, and judged. */
export async function judgeArgument(exchange: FunctionExchange, argument: unknown): Promise<unknown> {
  const payload = argument === undefined ? null : exchange.copy(argument);
  const wrong = exchange.problem("request", payload);
  if (wrong !== undefined) throw new LocalError("invalid_argument", wrong);
  return exchange.judge("request", payload);
}
