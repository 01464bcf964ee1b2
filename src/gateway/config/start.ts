import type { Host } from "../../core/base/host.ts";
import { checkOptions, type OptionTable } from "../../core/base/options.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { nodeHost } from "../../node/host.ts";
import { createGateway } from "../gateway.ts";
import type { StructuredLog } from "../logs.ts";
import type { MetricsSnapshot } from "../metrics-registry.ts";
import type { Gateway, GatewayPlan } from "../plan.ts";
import type { PlacedWorker } from "../workers/place.ts";
import { buildPlan, createPools, type BuiltPlan } from "./build.ts";
import { watchFiles } from "./file-watch.ts";
import { learnHints } from "./learn-hints.ts";
import { loadConfig } from "./load.ts";
import { openObservability, type Observability } from "./observability.ts";
import { portFault } from "./ports.ts";
import { createReloader, type ReloadOutcome } from "./reload.ts";
import { createSecrets, hidingChainLog, hidingLog } from "./secrets.ts";
import { checkServed } from "./serves.ts";

/** How a gateway is started from its file. */
export interface StartOptions {
  readonly file: string;
  /** Serves this upstream on stdin and stdout, whatever the file says. */
  readonly stdio?: string;
  /** Whether it reloads by itself when a file of it changes. Default true. */
  readonly watch?: boolean;
  /** This process is one of several workers, and another one listens for whoever operates them. */
  readonly worker?: PlacedWorker;
  /** What the file says, where it is not this process that reads it. */
  readonly text?: () => string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly host?: Host;
  /** Texts hold no secret of the configuration. */
  readonly log?: Log;
  readonly chainLog?: (entry: ChainLog) => void;
  /** Lines of JSON also say what errors say, which may quote payloads. Default false. */
  readonly verbose?: boolean;
  /** Called for each reload that was tried. */
  readonly reloaded?: (outcome: ReloadOutcome) => void;
  /** Gives up while it starts. */
  readonly signal?: Signal;
}

const OPTIONS: OptionTable<StartOptions> = {
  file: "a string",
  stdio: "a string",
  watch: "a boolean",
  worker: "an object",
  text: "a function",
  env: "an object",
  host: "an object",
  log: "a function",
  chainLog: "a function",
  verbose: "a boolean",
  reloaded: "a function",
  signal: "an object",
};

/** A gateway that runs on a file. */
export interface ConfiguredGateway {
  readonly gateway: Gateway;
  /** What it runs on now. */
  readonly built: BuiltPlan;
  /** Where `/metrics`, `/healthz` and `/readyz` are. */
  readonly opsUrl: string | undefined;
  /** What keeps it from taking calls, as `/readyz` says; none, and it is ready. */
  unready(): readonly string[];
  /** What `/metrics` would say, for whoever adds up what workers have seen; `undefined` where the configuration has no metrics. */
  snapshot(): MetricsSnapshot | undefined;
  /** What the configuration wants logged as JSON, and `log` of the options does not get. */
  readonly structured: StructuredLog | undefined;
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
  checkOptions(options, "the options of startGateway", OPTIONS);
  const { file, stdio, watch = true, worker, text, env = process.env, host = nodeHost(), verbose = false, reloaded, signal } = options;
  const secrets = createSecrets();
  let observability: Observability | undefined;
  const log = hidingLog((entry) => (observability?.structured?.log ?? options.log)?.(entry), secrets);
  const chainLog = hidingChainLog((entry) => {
    const { structured } = observability ?? {};
    // Failures of interceptors are among the events that it is told of, but for what they say.
    if (structured === undefined) options.chainLog?.(entry);
    else if (entry.reason === undefined) structured.log(entry);
    else if (verbose) structured.chain(entry);
  }, secrets);
  const build = { pools: createPools(), log, chainLog, ...(stdio === undefined ? {} : { stdio }), ...(worker === undefined ? {} : { worker: worker.slot }) };
  const given = { env, secrets };
  const first = text?.();
  const loaded = await loadConfig(file, { ...given, ...(first === undefined ? {} : { text: first }), ...(signal === undefined ? {} : { signal }) });
  checkServed(loaded, stdio);
  const built = await buildPlan(loaded, { ...build, ...(signal === undefined ? {} : { signal }) }).catch((thrown: unknown) => {
    throw secrets.hideInError(thrown);
  });
  let gateway: Gateway;
  let adapt: (plan: GatewayPlan) => GatewayPlan;
  try {
    await learnHints(built, log, signal);
    const opened = await openObservability(loaded.config, { host: nodeHost(), log, verbose, worker: worker?.slot }).catch((thrown: unknown) => {
      throw portFault(thrown, "metrics", loaded);
    });
    observability = opened;
    adapt = (plan) => ({ ...opened.adapt(plan), ...(stdio === undefined ? {} : { stdio }), ...(worker === undefined ? {} : { worker }) });
    gateway = await createGateway(adapt(built.plan)).catch((thrown: unknown) => {
      throw portFault(thrown, "http", loaded);
    });
  } catch (thrown) {
    await observability?.close();
    await built.close();
    throw secrets.hideInError(thrown);
  }
  const { structured, url: opsUrl, snapshot, unready } = observability;

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
    ...(text === undefined ? {} : { text }),
    told(outcome) {
      // What a file that is wrong names is not known; what it is itself is watched in any case.
      if (outcome.built !== undefined) files?.watch(outcome.built.files);
      reloaded?.(outcome);
    },
  });
  const reload = () => reloader.reload();
  observability.attach(gateway, () => reloader.built);
  let closing: Promise<void> | undefined;
  const end = async () => {
    files?.close();
    await gateway.close();
    await reloader.close();
    await observability?.close();
  };
  const close = () => (closing ??= end());
  // A client on stdio that has left ends the gateway, and so all of this.
  void gateway.done.then(close);
  return {
    gateway,
    get built() {
      return reloader.built;
    },
    opsUrl,
    unready,
    snapshot,
    structured,
    reload,
    close,
  };
}
