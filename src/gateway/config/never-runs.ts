import type { ServerCapabilities } from "../../core/wire/gen/mcp.ts";
import { guardCoverage } from "../../core/guard/coverage.ts";
import type { BuiltPlan } from "./build.ts";
import { whyNever } from "./condition-never.ts";
import type { UpstreamFacts } from "./probe.ts";

// What a server must have for requests of a namespace to make sense.
const NEEDS: ReadonlyMap<string, string> = new Map([
  ["tools", "tools"],
  ["prompts", "prompts"],
  ["resources", "resources"],
  ["completion", "completions"],
  ["logging", "logging"],
]);

/**
 * Why interceptors can never run, as warnings: nothing that they hook is intercepted, an upstream has nothing of the kind, or their condition can never
 * hold. Of callers the same. `facts` are of the upstreams that could be asked.
 */
export function neverRuns(built: BuiltPlan, facts: ReadonlyMap<string, UpstreamFacts>): readonly string[] {
  const lines: string[] = [];
  const { warning } = built.loaded.problems();
  const signsIn = built.loaded.config.auth !== undefined;
  const idle = new Set(built.items.values());
  for (const [upstream, { chain, conditions }] of built.chains) {
    const fact = facts.get(upstream);
    const policy = { interceptNotifications: true, ...built.plan.policy };
    const reaches = new Map(guardCoverage(chain, { role: "server", policy }).interceptors.map((one) => [one.address, one]));
    for (const { address, label, name, policy: { hooks } } of chain.entries) {
      const item = built.items.get(label);
      if (item === undefined) continue;
      idle.delete(item);
      const tell = (why: string, how = "can never run") => lines.push(warning(item.pointer, `${name} ${how} at ${upstream}: ${why}`));
      const { reach, why = "" } = reaches.get(address) ?? { reach: "methods" };
      if (reach === "nothing") tell(why);
      if (reach === "others") tell(why, "will hardly run");
      const condition = conditions.get(address);
      const never = condition === undefined ? undefined : whyNever(condition.source, { signsIn, tools: fact === undefined ? undefined : (fact.tools ?? []).map((tool) => tool.name), hooks });
      if (never !== undefined) tell(never);
      if (fact === undefined) continue;
      const lacking = hooks.flatMap(({ events }) => events.map((event) => missingFor(event, fact.capabilities)));
      if (lacking.length > 0 && lacking.every((missing) => missing !== undefined)) tell(`it has no ${[...new Set(lacking)].join(" and no ")}`);
    }
  }
  for (const [pointer, { source }] of built.loaded.conditions) {
    if (!pointer.endsWith("/allow")) continue;
    const never = whyNever(source, { signsIn, tools: undefined, hooks: [{ events: ["*"], phase: "request" }] });
    if (never !== undefined) lines.push(warning(pointer, `lets nobody in: ${never}`));
  }
  for (const { pointer } of idle) lines.push(warning(pointer, "guards nothing"));
  return lines;
}

function missingFor(event: string, capabilities: ServerCapabilities): string | undefined {
  const need = NEEDS.get(event.split("/")[0] ?? "");
  return need === undefined || capabilities[need] !== undefined ? undefined : need;
}
