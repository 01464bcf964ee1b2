import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";
import type { Chain } from "../chain/chain.ts";

/** A chain, or what gives the current one. */
export type ChainSource = Chain | { current(): Chain };

/** Throws `invalid_argument` for what is no chain: a guard without one would let its traffic hang. */
export function currentOf(chain: ChainSource): { current(): Chain } {
  if (!isObject(chain) || typeof (chain as { current?: unknown }).current !== "function" && typeof (chain as { execute?: unknown }).execute !== "function") {
    const given = isThenable(chain) ? "a promise was given: write `await localChain(…)`" : Array.isArray(chain) ? "a list was given: write `await localChain([…])`" : `got ${chain === undefined ? "nothing" : typeof chain}`;
    throw new LocalError("invalid_argument", `a guard needs a chain, or what gives the current one by current(): ${given}`);
  }
  return "current" in chain ? chain : { current: () => chain };
}
