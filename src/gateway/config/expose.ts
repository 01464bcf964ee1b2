import { describeError, LocalError } from "../../core/base/errors.ts";
import { VERSION } from "../../core/base/version.ts";
import { createChain, type Chain } from "../../core/chain/chain.ts";
import type { Interceptor } from "../../core/interceptor/define.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { McpServer } from "../../core/mcp/server.ts";
import { hostInterceptors } from "../../core/server/interceptor-server.ts";
import type { UpstreamPlan } from "../plan.ts";
import type { PlacedItem } from "./chains.ts";
import { callerCheck } from "./condition.ts";
import type { ExposeConfig } from "./config.ts";
import type { LoadedConfig } from "./load.ts";
import { exposedName, suggest } from "./names.ts";
import type { Problems } from "./problems.ts";

/** Interceptors of this gateway that it offers to chains elsewhere: an upstream like any other, which a server of this process is behind. */
export interface Exposure {
  readonly plan: UpstreamPlan;
  /** What guards it: nothing. It runs interceptors, and would end nowhere if these were run for its own calls. */
  readonly chain: Chain;
  readonly interceptors: readonly string[];
  /** What it was made of, to be held against the next configuration. */
  readonly config: ExposeConfig;
  readonly items: readonly PlacedItem[];
  readonly server: McpServer;
}

// Each costs a few objects, as long as it calls or has a session.
const MAX_CALLERS = 10_000;

interface ExposeContext {
  readonly loaded: LoadedConfig;
  readonly problems: Problems;
  readonly log: Log;
  /** Of the plan before. Where its server would host the same, it goes on, and so do its clients' sessions. */
  readonly before: Exposure | undefined;
}

/** What the section `expose` asks for. What is wrong goes to `problems`. */
export function exposureOf(placed: readonly PlacedItem[], { loaded, problems, log, before }: ExposeContext): Exposure | undefined {
  const { expose: config, limits } = loaded.config;
  if (config === undefined) return undefined;
  const items = offered(placed, config, problems);
  const interceptors = items.flatMap(({ opened }) => opened.interceptors ?? []);
  try {
    if (items.length === 0 && config.interceptors === undefined) throw new LocalError("invalid_argument", "has nothing to offer: interceptors of this process, which are those of use and module");
    const server = before !== undefined && hostsTheSame(before, config, items) ? before.server : new McpServer({ name: "mcp-interceptors-gateway", version: VERSION });
    if (server !== before?.server) {
      hostInterceptors(server, interceptors, { log, alsoNested: config.alsoNested === true, ...(limits === undefined ? {} : { limits }) });
    }
    const condition = loaded.conditions.get("/expose/allow");
    const allow = condition === undefined ? {} : { allow: callerCheck(condition) };
    const plan: UpstreamPlan = { name: exposedName(config), target: { server }, era: "stateless", sharing: "principal", maxConnections: MAX_CALLERS, ...allow };
    return { plan, chain: createChain(), interceptors: interceptors.map(({ descriptor }) => descriptor.name), config, items, server };
  } catch (thrown) {
    problems.add("/expose", describeError(thrown));
    return undefined;
  }
}

function offered(placed: readonly PlacedItem[], { interceptors: wanted }: ExposeConfig, problems: Problems): readonly PlacedItem[] {
  const own = placed.filter(({ opened }) => opened.interceptors !== undefined);
  if (wanted === undefined) return own;
  const labels = placed.map(({ opened }) => opened.source.label);
  for (const [index, name] of wanted.entries()) {
    if (own.some(({ opened }) => opened.source.label === name)) continue;
    const why = labels.includes(name) ? "is an interceptor server, which chains elsewhere reach without this gateway" : `is no item of interceptors; ${suggest(name, labels)}`;
    problems.add(`/expose/interceptors/${index}`, why);
  }
  return own.filter(({ opened }) => wanted.includes(opened.source.label));
}

function hostsTheSame({ config: before, items }: Exposure, now: ExposeConfig, next: readonly PlacedItem[]): boolean {
  return (before.alsoNested === true) === (now.alsoNested === true) && items.length === next.length && items.every((item, index) => offersTheSame(item, next[index]));
}

// Interceptors are pooled: what is the same is the same object.
function offersTheSame({ opened }: PlacedItem, next: PlacedItem | undefined): boolean {
  return sameMembers(opened.interceptors ?? [], next?.opened.interceptors ?? []);
}

function sameMembers(left: readonly Interceptor[], right: readonly Interceptor[]): boolean {
  return left.length === right.length && left.every((interceptor, index) => interceptor === right[index]);
}
