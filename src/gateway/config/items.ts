import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { LocalError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import type { Limits } from "../../core/base/limits.ts";
import type { Signal } from "../../core/base/signal.ts";
import { interceptorSource } from "../../core/chain/in-process.ts";
import { asList } from "../../core/chain/installed.ts";
import type { InterceptorSource } from "../../core/chain/source.ts";
import { clientSource } from "../../core/client/interceptor-client.ts";
import type { ServerTarget } from "../../core/client/local-chain.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import type { Interceptor } from "../../core/interceptor/define.ts";
import { readyMade } from "../../library/catalog.ts";
import { connectServer } from "../../node/chain.ts";
import { nodeHost } from "../../node/host.ts";
import { importFresh, interceptorsIn } from "../../node/load-module.ts";
import { workerInterceptor, type WorkerInterceptors } from "../../node/worker-interceptor.ts";
import { withBreaker, type BreakerOptions, type BreakerSource } from "../breaker.ts";
import { createNoiseLog } from "../noise-log.ts";
import { STDERR } from "../targets.ts";
import type { InterceptorsConfig } from "./config.ts";
import { commandEnvironment } from "./environment.ts";
import { inTime } from "./in-time.ts";
import { keepClient, keptSource, type KeptClient } from "./kept-client.ts";
import type { Lease, Pool } from "./pool.ts";

/** An item of `interceptors`, loaded or connected, for the chains of any number of upstreams. */
export interface OpenItem {
  readonly source: InterceptorSource;
  /** What its list had, once for all chains. */
  readonly listed: readonly unknown[];
  /** What is odd about its config. */
  readonly doubt?: string;
  /** Its config has a member `server`, for the upstream's name. */
  readonly perServer?: true;
  /** A module's file. */
  readonly file?: string;
  /** Those that it holds, where they are of this process. */
  readonly interceptors?: readonly Interceptor[];
  /** Where one stands before it, the source. */
  readonly breaker?: BreakerSource;
  release(): Promise<void>;
}

export interface ItemContext {
  readonly folder: string;
  readonly clients: Pool<KeptClient>;
  readonly workers: Pool<WorkerInterceptors>;
  readonly made: Pool<readonly Interceptor[]>;
  readonly breakers: Pool<BreakerSource>;
  readonly log: Log;
  readonly limits: Partial<Limits> | undefined;
  readonly signal: Signal | undefined;
  readonly host: Host | undefined;
}

/** Opens an item under a label. Rejects with whatever is wrong with it; its text names no secret of ours but what a server was told. */
export async function openItem(item: InterceptorsConfig, label: string, context: ItemContext): Promise<OpenItem> {
  if (item.use !== undefined) return openReadyMade(item.use, item, label, context);
  if (item.module !== undefined) return openModule(item.module, item, label, context);
  return openServer(item, label, context);
}

// What is wrong with a name or a command, rather than with what answers to it.
const OWN_FAULTS: ReadonlySet<string> = new Set(["spawn_failed", "invalid_argument", "not_found", "conflict", "unsupported"]);

/** Whether opening failed because the server behind a command or a URL did not answer, or not as an interceptor server does: what names it may be right. */
export function isUnanswered(thrown: unknown, { command, url }: { readonly command?: string; readonly url?: string }): boolean {
  return (command !== undefined || url !== undefined) && !(thrown instanceof LocalError && OWN_FAULTS.has(thrown.code));
}

// What one remembers outlives a reload that does not change it.
async function openReadyMade(name: string, { config }: InterceptorsConfig, label: string, context: ItemContext): Promise<OpenItem> {
  const made = readyMade.get(name);
  if (made === undefined) throw new LocalError("not_found", `there is no ready-made interceptor ${JSON.stringify(name)}`);
  const doubt = made.doubt?.(config);
  const lease = await context.made.acquire(JSON.stringify([label, name, config]), async () => ({ value: made.create(config, context.host === undefined ? {} : { host: context.host }), close: async () => {} }));
  const opened = await inProcess(lease.value, label, context, doubt === undefined ? {} : { doubt });
  return { ...opened, ...(made.perServer === undefined ? {} : { perServer: true }), release: lease.release };
}

async function openModule(path: string, item: InterceptorsConfig, label: string, context: ItemContext): Promise<OpenItem> {
  const file = resolve(context.folder, path);
  if (item.worker !== undefined) return openWorker(file, item, label, context);
  return inProcess(interceptorsIn(await inTime(importFresh(file), context.signal), file), label, context, { file });
}

// A module as it is on disk has one thread, however many plans it is in; changed, it gets another.
async function openWorker(file: string, item: InterceptorsConfig, label: string, context: ItemContext): Promise<OpenItem> {
  const bounds = typeof item.worker === "object" ? item.worker : {};
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const { limits } = context;
  const key = JSON.stringify([file, changedMs, bounds]);
  const lease = await context.workers.acquire(key, async () => {
    const value = await workerInterceptor({ module: file, ...bounds, ...(limits === undefined ? {} : { limits }) });
    return { value, close: () => value.close() };
  });
  try {
    const opened = await inProcess(lease.value.interceptors, label, context, { file });
    return { ...opened, ...(await guarded(opened.source, item, { key, lease, ...context })) };
  } catch (thrown) {
    await lease.release();
    throw thrown;
  }
}

async function inProcess(
  interceptors: readonly Interceptor[],
  label: string,
  { limits }: ItemContext,
  rest: Pick<OpenItem, "doubt" | "file">,
): Promise<OpenItem> {
  const source = interceptorSource(interceptors, { label, ...(limits === undefined ? {} : { limits }) });
  return { source, listed: await source.list(), interceptors, ...rest, release: async () => {} };
}

interface GuardedContext extends Pick<ItemContext, "breakers" | "log"> {
  /** What stands behind the source, and its name. */
  readonly lease: Lease<unknown>;
  readonly key: string;
}

// What may be slow or gone is not asked for ever. Plans that have an item in common, and what stands behind it, have its breaker in common: a reload closes none.
async function guarded(source: InterceptorSource, { breaker = {} }: InterceptorsConfig, { breakers, log, lease, key }: GuardedContext): Promise<Pick<OpenItem, "source" | "breaker" | "release">> {
  if (breaker === false) return { source, release: lease.release };
  const onChange: BreakerOptions["onChange"] = ({ interceptor, state }) =>
    log({ level: "warning", message: `the circuit breaker of ${source.label}/${interceptor} is ${state.replace("_", " ")}` });
  const guard = await breakers.acquire(JSON.stringify([source.label, key, breaker]), async () => ({
    value: withBreaker(source, { ...breaker, host: nodeHost(), onChange }),
    close: async () => {},
  }));
  // Together, so that none outlives what it is in front of.
  return { source: guard.value, breaker: guard.value, release: async () => void (await Promise.all([guard.release(), lease.release()])) };
}

/** A server's target as `connectServer` takes it. */
export function targetOf({ command, args, env, cwd, url, headers }: Omit<InterceptorsConfig, "use" | "module">, folder: string): ServerTarget {
  if (command !== undefined) {
    return { command, ...(args === undefined ? {} : { args }), env: commandEnvironment(env), cwd: cwd === undefined ? folder : resolve(folder, cwd) };
  }
  // The schema has seen to it that one of the two is there.
  return { url: url ?? "", ...(headers === undefined ? {} : { headers }) };
}

async function openServer(item: InterceptorsConfig, label: string, context: ItemContext): Promise<OpenItem> {
  const { folder, clients, log, limits, signal } = context;
  const target = targetOf(item, folder);
  const who = "command" in target ? basename(target.command) : target.url;
  const key = JSON.stringify(target);
  const lease = await clients.acquire(key, async () => {
    const warn = (message: string) => log({ level: "warning", message: `the interceptor server ${who}: ${message}` });
    const noise = createNoiseLog({ host: nodeHost(), log: (entry) => log({ ...entry, message: `the interceptor server ${who}: ${entry.message}` }) });
    const bounds = limits === undefined ? {} : { limits };
    const connect = (stop: Signal | undefined) => connectServer(target, stop, { log, ...bounds, onStderrLine: (line) => log({ level: "info", message: `the interceptor server ${who}: ${line}`, details: STDERR }), onNoise: noise.line });
    const value = keepClient({ first: await connect(signal), connect, host: nodeHost(), log: warn });
    return { value, close: () => value.close().finally(noise.close) };
  });
  try {
    const source = keptSource(label, lease.value, (client) => clientSource(client, { label, ...(limits === undefined ? {} : { limits }) }));
    const listed = asList(source, await source.list(signal));
    // Whoever names a server relies on it.
    if (listed.length === 0) throw new LocalError("not_found", "the server lists no interceptors");
    return { ...(await guarded(source, item, { key, lease, ...context })), listed };
  } catch (thrown) {
    await lease.release();
    throw thrown;
  }
}
