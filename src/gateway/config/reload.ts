import { describeError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Gateway, GatewayPlan } from "../plan.ts";
import { buildPlan, type BuildOptions, type BuiltPlan } from "./build.ts";
import { coalesced } from "./coalesced.ts";
import { learnHints } from "./learn-hints.ts";
import { loadConfig, type LoadOptions } from "./load.ts";
import { createSecrets } from "./secrets.ts";
import { inTimeOf } from "./timed-signal.ts";

export interface ReloaderOptions extends Omit<LoadOptions, "signal" | "text"> {
  readonly file: string;
  readonly gateway: Pick<Gateway, "reload">;
  /** What the gateway runs on now. */
  readonly built: BuiltPlan;
  readonly build: Omit<BuildOptions, "before" | "signal">;
  readonly host: Host;
  /** What the file says now, where it is not this process that reads it. */
  readonly text?: () => string | undefined;
  /** Called for each reload that was tried. */
  told(outcome: ReloadOutcome): void;
  /** What is to be changed of each plan. */
  readonly adapt?: (plan: GatewayPlan) => GatewayPlan;
  /** How long what only an earlier plan uses is kept for calls in flight. Default 600,000 ms. */
  readonly lingerMs?: number;
  /** How long a reload may take; then it has failed. Default 60,000 ms. */
  readonly timeoutMs?: number;
}

/** What came of a reload: the plan that is in force, or why the old one still is. */
export type ReloadOutcome = { readonly built: BuiltPlan; readonly error?: undefined } | { readonly built?: undefined; readonly error: string };

/** Puts the configuration as it is now in the place of that which runs. */
export interface Reloader {
  /** One at a time; asked again meanwhile, it does so once more. Whatever is wrong changes nothing, and is told. Never rejects. */
  reload(): Promise<void>;
  /** What the gateway runs on. */
  readonly built: BuiltPlan;
  /** Gives back what is open, once the gateway has ended. */
  close(): Promise<void>;
}

const LINGER_MS = 600_000;
const TIMEOUT_MS = 60_000;
// A build that takes longer waits for somebody: most take a fraction of it.
const SLOW_MS = 5_000;
// Of earlier plans, the oldest of which ends when there is one more.
const MAX_LINGERING = 8;

export function createReloader(options: ReloaderOptions): Reloader {
  const { file, gateway, build, host, told, env, secrets = createSecrets(), adapt = (plan) => plan, lingerMs = LINGER_MS, timeoutMs = TIMEOUT_MS } = options;
  let { built } = options;
  let closed = false;
  let building: { readonly since: number; giveUp(why: string): void } | undefined;
  const lingering = new Map<BuiltPlan, () => void>();

  const end = async (old: BuiltPlan) => {
    lingering.get(old)?.();
    lingering.delete(old);
    await old.close();
  };

  const buildNext = async (signal: Signal): Promise<BuiltPlan> => {
    const text = options.text?.();
    const loaded = await loadConfig(file, { signal, secrets, ...(env === undefined ? {} : { env }), ...(text === undefined ? {} : { text }) });
    const next = await buildPlan(loaded, { ...build, before: built, signal });
    await learnHints(next, build.log, signal);
    return next;
  };

  const buildInTime = async (): Promise<BuiltPlan> => {
    const since = host.now();
    try {
      return await inTimeOf(host, timeoutMs, `${file} could not be read and built within ${timeoutMs} ms`, (signal, giveUp) => {
        building = { since, giveUp };
        return buildNext(signal);
      });
    } finally {
      building = undefined;
    }
  };

  const reloadOnce = async () => {
    let next: BuiltPlan | undefined;
    try {
      next = await buildInTime();
      await gateway.reload(adapt(next.plan));
    } catch (thrown) {
      await next?.close();
      told({ error: secrets.hide(describeError(thrown)) });
      return;
    }
    const old = built;
    built = next;
    // Calls in flight end as they began, with the interceptors that they began with.
    lingering.set(old, host.setTimer(() => void end(old), lingerMs));
    const [oldest] = lingering.keys();
    if (lingering.size > MAX_LINGERING && oldest !== undefined) void end(oldest);
    told({ built });
  };

  const reloads = coalesced(reloadOnce, () => closed);

  return {
    reload() {
      if (closed) return Promise.resolve();
      // Of one that waits for something that may never come, the next may have got rid.
      if (building !== undefined && host.now() - building.since >= SLOW_MS) building.giveUp(`${file} has changed again before it was read and built`);
      return reloads.ask();
    },
    get built() {
      return built;
    },
    async close() {
      closed = true;
      building?.giveUp("the gateway ends");
      await reloads.running;
      await Promise.all([built, ...lingering.keys()].map(end));
    },
  };
}
