import { describeError } from "../../core/base/errors.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import type { BuiltPlan } from "./build.ts";
import { OWN_LABEL } from "./chains.ts";
import { probeUpstream } from "./probe.ts";

/**
 * Asks upstreams for their tools where conditions look at annotations and no list has been seen yet: a client that knows the tools from before lists them
 * no more. One that cannot be asked is warned of; its lists are learnt from as they go by.
 */
export async function learnHints(built: BuiltPlan, log: Log, signal?: Signal): Promise<void> {
  const unasked = [...built.chains].filter(([name, { chain }]) => chain.entries.some(({ label }) => label === OWN_LABEL) && built.hints.get(name)?.informed === false).map(([name]) => name);
  for (const [name, why] of await askForTools(built, unasked, log, signal)) {
    log({ level: "warning", message: `${name}: its tools cannot be asked for, so conditions on annotations fail until it has listed them: ${why}` });
  }
}

/** Asks upstreams for their tools, all at once, and gives those that do not answer, with the reason. */
export async function askForTools(built: BuiltPlan, names: readonly string[], log: Log, signal?: Signal): Promise<ReadonlyMap<string, string>> {
  const unanswered = await Promise.all(
    names.map(async (name): Promise<readonly (readonly [string, string])[]> => {
      const upstream = built.upstreams.get(name);
      if (upstream === undefined) return [];
      try {
        const { tools = [] } = await probeUpstream(upstream.plan, { log, limits: built.loaded.config.limits, ...(signal === undefined ? {} : { signal }) });
        built.hints.get(name)?.learn({ tools });
        return [];
      } catch (thrown) {
        return [[name, describeError(thrown)]];
      }
    }),
  );
  return new Map(unanswered.flat());
}
