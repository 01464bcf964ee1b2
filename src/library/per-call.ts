import type { JsonObject } from "../core/base/json.ts";

// The configs that calls bring are few, mostly one for each server.
const MAX_KEPT = 64;

/** The factory's config, with that of a call laid over it, made ready for use. */
export type PerCall<T> = (called: JsonObject) => T;

/** Compiles the factory's config at once, so that a wrong one throws here, and each other that calls make of it once. */
export function perCall<T>(config: unknown, compile: (config: unknown) => T): PerCall<T> {
  const own = compile(config);
  const others = new Map<string, T>();
  return (called) => {
    if (Object.keys(called).length === 0) return own;
    const key = JSON.stringify(called);
    let made = others.get(key);
    if (made === undefined) {
      if (others.size >= MAX_KEPT) others.clear();
      // What is no object has thrown above.
      others.set(key, (made = compile({ ...(config as JsonObject | undefined), ...called })));
    }
    return made;
  };
}
