import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";
import type { Chain } from "../chain/chain.ts";

/** A chain, or what gives the current one. */
export type ChainSource = Chain | { current(): Chain };

/**
 * Throws `invalid_argument` for what is no chain: a guard without one would let its traffic hang. So does `current` of what it gives, for what comes
 * later.
 */
export function currentOf(given: ChainSource): { current(): Chain } {
  if (isChain(given)) return { current: () => given };
  const source: unknown = given;
  if (!isObject(source) || typeof source["current"] !== "function") throw noChain(given);
  // As its method: it may be an object of a class.
  return { current: () => checked((source as unknown as { current(): unknown }).current()) };
}

function checked(given: unknown): Chain {
  if (isChain(given)) return given;
  throw noChain(given);
}

function isChain(given: unknown): given is Chain {
  return isObject(given) && typeof given["execute"] === "function";
}

function noChain(given: unknown): LocalError {
  const what = isThenable(given)
    ? "a promise was given: write `await localChain(…)`"
    : Array.isArray(given)
      ? "a list was given: write `await localChain([…])`"
      : `got ${given === undefined ? "nothing" : given === null ? "null" : typeof given}`;
  return new LocalError("invalid_argument", `a guard needs a chain, or what gives the current one by current(): ${what}`);
}
