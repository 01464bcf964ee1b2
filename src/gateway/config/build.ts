import { describeError, LocalError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import { equalJson } from "../../core/base/json.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import type { Authenticate } from "../../core/http/authentication.ts";
import type { Servable } from "../../core/http/serve.ts";
import type { Interceptor } from "../../core/interceptor/define.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import type { WorkerInterceptors } from "../../node/worker-interceptor.ts";
import type { AuditLog } from "../audit.ts";
import type { BreakerSource } from "../breaker.ts";
import type { GatewayPlan, HttpFacePlan } from "../plan.ts";
import { auditOf, judgeAudit, type AuditParts, type OpenAudit } from "./audit.ts";
import { authOf } from "./auth.ts";
import { buildChain, type BuiltChain, type PlacedItem } from "./chains.ts";
import type { HttpConfig, InterceptorsConfig } from "./config.ts";
import { exposureOf, type Exposure } from "./expose.ts";
import { isUnanswered, openItem, type OpenItem } from "./items.ts";
import type { KeptClient } from "./kept-client.ts";
import type { LoadedConfig } from "./load.ts";
import { checkNames, checkScopes, labelsOf, warnOfDoors } from "./names.ts";
import { warnOfNearMethods } from "./near-methods.ts";
import { FIXED_SECTIONS } from "./observability.ts";
import { createPool, type Pool } from "./pool.ts";
import type { Problems } from "./problems.ts";
import { checkSoundParts } from "./sound-parts.ts";
import { createToolHints, type ToolHints } from "./tool-hints.ts";
import { createUpstreams, type BuiltUpstream } from "./upstreams.ts";
import { checkValues } from "./values.ts";
import { refuseSilentlyWeaker, type Placed } from "./weaker.ts";

/** What several plans may have in common: connections to interceptor servers, servers of this process, threads, ready-made interceptors, circuit breakers, what is known of tokens, and audit logs. */
export interface Pools {
  readonly clients: Pool<KeptClient>;
  readonly servers: Pool<Servable>;
  readonly workers: Pool<WorkerInterceptors>;
  readonly made: Pool<readonly Interceptor[]>;
  readonly breakers: Pool<BreakerSource>;
  readonly checks: Pool<Authenticate>;
  readonly audits: Pool<OpenAudit>;
}

export function createPools(): Pools {
  return { clients: createPool(), servers: createPool(), workers: createPool(), made: createPool(), breakers: createPool(), checks: createPool(), audits: createPool() };
}

export interface BuildOptions {
  readonly pools: Pools;
  readonly log: Log;
  /** What chains say of themselves: failures of interceptors, above all. */
  readonly chainLog: (entry: ChainLog) => void;
  /** Gives up; what was opened is given back. */
  readonly signal?: Signal;
  /** What this plan will take the place of. What both have in common stays the same object, so that nothing of it ends. */
  readonly before?: BuiltPlan;
  /** Those of another plan of this configuration, to take as they are. */
  readonly upstreams?: ReadonlyMap<string, BuiltUpstream>;
  /** What ready-made interceptors take their time from; that of this process unless given. */
  readonly host?: Host;
  /** Opens nothing that is written to: the gateway whose file it is may be running. */
  readonly dry?: boolean;
  /** What is wrong in one place keeps nothing from being looked at in others: for who asks what is wrong. */
  readonly exhaustive?: boolean;
  /** The upstream that is served on stdin and stdout, whatever the configuration says. */
  readonly stdio?: string;
  /** The number of this process among workers: what has one writer has one for each of them. */
  readonly worker?: number;
  /** Stands around the opening of each item. An item that it gives nothing for is left out of the plan, in place of ending it; such a plan exposes nothing. */
  readonly around?: (item: ItemPlace, open: (signal: Signal | undefined) => Promise<OpenItem>) => Promise<OpenItem | undefined>;
}

/** An item of `interceptors`, and what it goes by. */
export interface ItemPlace {
  readonly item: InterceptorsConfig;
  readonly pointer: string;
  readonly label: string;
}

/** A plan, and what it is made of. */
export interface BuiltPlan extends Placed {
  readonly items: ReadonlyMap<string, PlacedItem>;
  readonly plan: GatewayPlan;
  readonly loaded: LoadedConfig;
  /** What each upstream says of its tools, as far as it is known. */
  readonly hints: ReadonlyMap<string, ToolHints>;
  readonly upstreams: ReadonlyMap<string, BuiltUpstream>;
  /** Its own interceptors, where they are exposed. */
  readonly exposure: Exposure | undefined;
  readonly audit: AuditLog | undefined;
  readonly breakers: readonly BreakerSource[];
  /** What is odd, without being wrong: lines as of a `ConfigError`. */
  readonly warnings: readonly string[];
  /** Absolute paths of all files that were read for it. */
  readonly files: readonly string[];
  /** Gives back what was opened for it: interceptor servers that no other plan uses end. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes a plan of a configuration: loads modules, starts and reaches interceptor servers, and puts a chain together for each upstream. Upstreams are
 * not started. Rejects with a `ConfigError`, or with the reason of `signal`; what was opened is given back then.
 */
export async function buildPlan(loaded: LoadedConfig, options: BuildOptions): Promise<BuiltPlan> {
  const { config } = loaded;
  const { pools, log, chainLog, signal, before, dry = false, exhaustive = false, stdio, worker } = options;
  const problems = loaded.problems();
  checkNames(config, problems);
  checkScopes(stdio === undefined ? config : { ...config, stdio }, problems);
  checkValues(config, { folder: loaded.folder, problems });
  for (const name of FIXED_SECTIONS) {
    if (before !== undefined && !equalJson(before.loaded.config[name], config[name])) problems.add(config[name] === undefined ? "" : `/${name}`, `has other ${name} now, which takes a new start of the gateway`);
  }
  if (!exhaustive) {
    if (problems.any) checkSoundParts(config, { folder: loaded.folder, problems });
    problems.throwIfAny();
  }

  const warnings = new Set<string>();
  const warn = (pointer: string, message: string) => void warnings.add(problems.warning(pointer, message));
  warnOfDoors(config, warn);
  const releases: (() => Promise<void>)[] = [];
  const close = async () => {
    await Promise.all(releases.splice(0).map((release) => release()));
  };
  try {
    const placed = await openItems(loaded, options, { problems, warn, releases });
    const upstreams = await createUpstreams(loaded, { problems, servers: pools.servers, before: before?.upstreams ?? options.upstreams, releases, signal });
    const section = { loaded, problems, log, releases, before: before?.loaded, worker };
    const auth = await authOf({ ...section, checks: pools.checks, dry });
    const audit: AuditParts = dry ? { policy: {} } : await auditOf({ ...section, audits: pools.audits });
    if (dry && exhaustive) await judgeAudit(section);
    if (!exhaustive) problems.throwIfAny();

    const whole = placed.length === (config.interceptors ?? []).length;
    const exposure = !whole ? undefined : exposureOf(placed, { loaded, problems, log, before: before?.exposure });
    const chains = new Map<string, BuiltChain>();
    const hints = new Map<string, ToolHints>();
    for (const name of upstreams.keys()) {
      // What another server has said of its tools is nothing that this one has.
      const same = before !== undefined && before.upstreams.get(name) === upstreams.get(name);
      const own = (same ? before.hints.get(name) : undefined) ?? createToolHints();
      hints.set(name, own);
      const items = placed.filter(({ item }) => item.upstreams === undefined || item.upstreams.includes(name));
      chains.set(name, await buildChain(items, { server: name, loaded, problems, hints: own, log: chainLog, limits: config.limits, warn }));
    }
    problems.throwIfAny();
    const items = new Map(placed.map((item) => [item.opened.source.label, item]));
    warnOfNearMethods(loaded, chains.values(), items, warn);
    if (before !== undefined) refuseSilentlyWeaker(before, { items, chains }, problems);
    problems.throwIfAny();

    const plan = planOf(loaded, { upstreams, exposure, chains, log, auth, audit });
    const files = [...loaded.files, ...placed.map(({ opened }) => opened.file), ...[...upstreams.values()].map(({ file }) => file)];
    const breakers = placed.flatMap(({ opened: { breaker } }) => (breaker === undefined ? [] : [breaker]));
    return { plan, loaded, items, chains, hints, upstreams, exposure, audit: audit.audit, breakers, warnings: [...warnings], files: [...new Set(files.filter((file) => file !== undefined))], close };
  } catch (thrown) {
    await close();
    if (signal?.aborted === true) throw signal.reason;
    // What one fault has broken is no fault of its own.
    problems.throwIfAny();
    throw thrown;
  }
}

interface Opening {
  readonly problems: Problems;
  readonly releases: (() => Promise<void>)[];
  warn(pointer: string, message: string): void;
}

// All at once: each may have to start a process.
async function openItems({ config, folder, secrets }: LoadedConfig, options: BuildOptions, { problems, warn, releases }: Opening): Promise<readonly PlacedItem[]> {
  const { pools, log, signal, host, around = (_item, open) => open(signal) } = options;
  const items = config.interceptors ?? [];
  const labels = labelsOf(items, secrets.hide);
  const opened = items.map(async (item, index): Promise<PlacedItem | undefined> => {
    const pointer = `/interceptors/${index}`;
    if (problems.within(`${pointer}/use`)) return undefined;
    try {
      const label = labels[index] ?? "";
      const one = await around({ item, pointer, label }, (until) => openItem(item, label, { ...pools, folder, log, limits: config.limits, signal: until, host }));
      if (one === undefined) return undefined;
      releases.push(one.release);
      if (one.doubt !== undefined) warn(pointer, one.doubt);
      return { item, pointer, opened: one };
    } catch (thrown) {
      problems.add(pointer, describeError(thrown), "value", isUnanswered(thrown, item) ? "unanswered" : undefined);
      return undefined;
    }
  });
  return (await Promise.all(opened)).filter((item) => item !== undefined);
}

interface PlanParts {
  readonly upstreams: ReadonlyMap<string, BuiltUpstream>;
  readonly exposure: Exposure | undefined;
  readonly chains: ReadonlyMap<string, BuiltChain>;
  readonly log: Log;
  readonly auth: Partial<HttpFacePlan>;
  readonly audit: AuditParts;
}

function planOf({ config }: LoadedConfig, { upstreams, exposure, chains, log, auth, audit }: PlanParts): GatewayPlan {
  const { http, stdio, policy, versions, drainMs, parking, limits } = config;
  return {
    upstreams: [...upstreams.values(), ...(exposure === undefined ? [] : [exposure])].map(({ plan }) => plan),
    chain(name) {
      const built = name === exposure?.plan.name ? exposure : chains.get(name);
      if (built === undefined) throw new LocalError("not_found", `there is no upstream ${JSON.stringify(name)}`);
      return built.chain;
    },
    policy: { ...policy, ...audit.policy },
    ...(audit.record === undefined ? {} : { record: audit.record }),
    ...(audit.canRecord === undefined ? {} : { canRecord: audit.canRecord }),
    ...(http === undefined ? {} : { http: { ...httpOf(http), ...auth } }),
    ...(stdio === undefined ? {} : { stdio }),
    ...(versions === undefined ? {} : { versions }),
    ...(drainMs === undefined ? {} : { drainMs }),
    ...(parking === undefined ? {} : { parking }),
    ...(limits === undefined ? {} : { limits }),
    // Verified by the listener; what a client says of itself is nobody's.
    context: ({ from }) => (from?.principal === undefined ? {} : { principal: from.principal }),
    log,
  };
}

function httpOf({ port, ...rest }: HttpConfig): HttpFacePlan {
  return { ...rest, ...(port === undefined ? {} : { port: Number(port) }) };
}
