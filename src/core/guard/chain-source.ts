import type { Chain } from "../chain/chain.ts";

/** A chain, or what gives the current one. */
export type ChainSource = Chain | { current(): Chain };

export function currentOf(chain: ChainSource): { current(): Chain } {
  return "current" in chain ? chain : { current: () => chain };
}
