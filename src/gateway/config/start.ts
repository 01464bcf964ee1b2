import { LocalError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { nodeHost } from "../../node/host.ts";
import { createGateway } from "../gateway.ts";
import type { Gateway, GatewayPlan } from "../plan.ts";
import { buildPlan, createPools, type BuiltPlan } from "./build.ts";
import { watchFiles } from "./file-watch.ts";
import { learnHints } from "./learn-hints.ts";
import { loadConfig } from "./load.ts";
import { createReloader, type ReloadOutcome } from "./reload.ts";
import { createSecrets } from "./secrets.ts";

export interface StartOptions {
  readonly file: string;
  /** Serves this upstream on stdin and stdout, whatever the file says. */
  readonly stdio?: string;
  /** Whether it reloads by itself when a file of it changes. Default true. */
  readonly watch?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly host?: Host;
  /** Texts hold no secret of the configuration. */
  readonly log?: Log;
  readonly chainLog?: (entry: ChainLog) => void;
  /** Called for each reload that was tried. */
  readonly reloaded?: (outcome: ReloadOutcome) => void;
  /** Gives up while it starts. */
  readonly signal?: Signal;
}

/** A gateway that runs on a file. */
export interface ConfiguredGateway {
  readonly gateway: Gateway;
  /** What it runs on now. */
  readonly built: BuiltPlan;
  /** Reads the file again. What is wrong with it changes nothing, and goes to `reloaded`. Never rejects. */
  reload(): Promise<void>;
  /** Ends the gateway, and all that was started for it. Idempotent. */
  close(): Promise<void>;
}

/**
 * Runs a gateway on a configuration, and takes in what changes in its files: `mcp-interceptors gateway`, for programs. Rejects with a `ConfigError` for
 * a file that cannot be used, and like `createGateway`; nothing is left of it then.
 */
export async function startGateway(options: StartOptions): Promise<ConfiguredGateway> {
  const { file, stdio, watch = true, env = process.env, host = nodeHost(), reloaded, signal } = options;
  const secrets = createSecrets();
  const log: Log = (entry) => options.log?.({ ...entry, message: secrets.hide(entry.message) });
  const chainLog = (entry: ChainLog) => options.chainLog?.({ ...entry, message: secrets.hide(entry.message) });
  const build = { pools: createPools(), log, chainLog };
  const given = { env, secrets };
  const loaded = await loadConfig(file, { ...given, ...(signal === undefined ? {} : { signal }) });
  if (stdio !== undefined && !Object.hasOwn(loaded.config.upstreams, stdio)) {
    throw new LocalError("invalid_argument", `${file} has no upstream ${JSON.stringify(stdio)}; it has ${Object.keys(loaded.config.upstreams).join(", ")}`);
  }
  if (stdio === undefined && loaded.config.stdio === undefined && loaded.config.http === undefined) {
    throw new LocalError("invalid_argument", `${file} serves nothing: add "http": {}, or name the upstream that is served on stdin and stdout`);
  }
  const adapt = (plan: GatewayPlan): GatewayPlan => (stdio === undefined ? plan : { ...plan, stdio });
  const built = await buildPlan(loaded, { ...build, ...(signal === undefined ? {} : { signal }) });
  let gateway: Gateway;
  try {
    await learnHints(built, log, signal);
    gateway = await createGateway(adapt(built.plan));
  } catch (thrown) {
    await built.close();
    throw thrown;
  }

  const files = watch ? watchFiles({ host, changed: () => void reload() }) : undefined;
  files?.watch(built.files);
  const reloader = createReloader({
    file,
    gateway,
    built,
    build,
    host,
    adapt,
    ...given,
    told(outcome) {
      // What a file that is wrong names is not known; what it is itself is watched in any case.
      if (outcome.built !== undefined) files?.watch(outcome.built.files);
      reloaded?.(outcome);
    },
  });
  const reload = () => reloader.reload();
  let closing: Promise<void> | undefined;
  const end = async () => {
    files?.close();
    await gateway.close();
    await reloader.close();
  };
  return {
    gateway,
    get built() {
      return reloader.built;
    },
    reload,
    close: () => (closing ??= end()),
  };
}
