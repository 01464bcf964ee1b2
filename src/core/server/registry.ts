import { LocalError } from "../base/errors.ts";
import type { Interceptor } from "../interceptor/define.ts";
import { writeDescriptor } from "../wire/descriptors.ts";
import type { InterceptorDescriptor } from "../wire/gen/interceptors.ts";
import { hooksMatch } from "../wire/patterns.ts";

/** The interceptors that a server hosts, in the order of their registration. */
export interface Registry {
  /** Adds all or none. Throws `conflict` for a name that is taken, `limit_exceeded` above the bound. */
  add(interceptors: readonly Interceptor[]): void;
  find(name: string): Interceptor | undefined;
  /** As declared: `ns/*` is one event. */
  declared(): InterceptorDescriptor[];
  /** As `interceptors/list` gives them; with an event, those that have a hook which matches it (SEP-2624, JSON-RPC Methods). */
  list(event?: string): InterceptorDescriptor[];
}

export function createRegistry(maxInterceptors: number): Registry {
  const byName = new Map<string, Interceptor>();
  const declared = () => [...byName.values()].map(({ descriptor }) => descriptor);
  return {
    add(interceptors) {
      const names = new Set(byName.keys());
      for (const { descriptor } of interceptors) {
        if (names.has(descriptor.name)) throw new LocalError("conflict", `the server has an interceptor ${JSON.stringify(descriptor.name)} already`);
        names.add(descriptor.name);
      }
      if (names.size > maxInterceptors) throw new LocalError("limit_exceeded", `a server hosts at most ${maxInterceptors} interceptors`);
      for (const interceptor of interceptors) byName.set(interceptor.descriptor.name, interceptor);
    },
    find: (name) => byName.get(name),
    declared,
    list(event) {
      const all = declared();
      const kept =
        event === undefined ? all : all.filter(({ hooks }) => hooksMatch(hooks, event, "request") || hooksMatch(hooks, event, "response"));
      return kept.map(writeDescriptor);
    },
  };
}
