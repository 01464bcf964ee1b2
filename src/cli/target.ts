import { basename } from "node:path";
import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { didYouMean, nearest } from "../core/base/nearest.ts";
import type { Signal } from "../core/base/signal.ts";
import { interceptorSource } from "../core/chain/in-process.ts";
import type { ChainLog } from "../core/chain/report.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import { clientSource } from "../core/client/interceptor-client.ts";
import type { ServerTarget } from "../core/client/local-chain.ts";
import { acceptDescriptor, type ListedDescriptor } from "../core/wire/descriptors.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { buildPlan, createPools, type BuiltPlan } from "../gateway/config/build.ts";
import { loadConfig } from "../gateway/config/load.ts";
import { isUnanswered } from "../gateway/config/items.ts";
import type { Secrets } from "../gateway/config/secrets.ts";
import { readyMade } from "../library/catalog.ts";
import { connectServer } from "../node/chain.ts";
import { isModulePath, loadInterceptors } from "../node/load-module.ts";
import { UsageError } from "./errors.ts";
import { readJsonOf } from "./payload.ts";
import { unlessAborted } from "./start-watch.ts";
import { isHttpUrl, splitWords } from "./words.ts";

/** Where interceptors are, as the command line names it; see {@link TARGETS}. */
export interface Target {
  readonly source: InterceptorSource;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

export interface TargetOptions {
  /** A gateway's configuration, whose items go by their names. */
  readonly config?: BuiltPlan;
  readonly headers?: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly signal: Signal;
}

/** For help texts. */
export const TARGETS = `A TARGET is one of
  a URL          https://policy.example/mcp: an interceptor server over HTTP
  a command      "npx my-policy --strict": one on stdio, which is started
  a module       ./policy.ts: what it exports
  a name         of an item of the configuration that -c names
  a ready-made   redact, or with its config tool-filter='{"deny":["rm"]}'`;

/** Opens a target under a label. Throws a `UsageError` that quotes the word which is wrong. */
export async function openTarget(word: string, label: string, options: TargetOptions): Promise<Target> {
  try {
    return await open(word, label, options);
  } catch (thrown) {
    if (thrown instanceof UsageError || options.signal.aborted) throw thrown;
    throw isHttpUrl(word) || !isModulePath(word) ? notAnswered(word, thrown) : new UsageError(`${word}: ${describeError(thrown)}`);
  }
}

/** What an interceptor server makes of a word: a `UsageError` where the word is wrong, else what is no fault of it. */
export function notAnswered(word: string, thrown: unknown): Error {
  const message = `${word}: ${describeError(thrown)}`;
  return isUnanswered(thrown, { url: word }) ? new LocalError("refused", message, { cause: thrown }) : new UsageError(message);
}

/** What a target lists. Rejects where it does not answer, or not as interceptor servers do. */
export async function listOf(source: InterceptorSource, word: string, signal: Signal): Promise<readonly ListedDescriptor[]> {
  try {
    return (await source.list(signal)).map((one) => acceptDescriptor(one, word));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new LocalError("refused", `${word}: ${describeError(thrown)}`, { cause: thrown });
  }
}

async function open(word: string, label: string, { config, headers, log, signal }: TargetOptions): Promise<Target> {
  const own = config?.items.get(word);
  if (own !== undefined) return { source: own.opened.source, close: async () => {} };
  const [name = "", ...rest] = word.split("=");
  const made = readyMade.get(name);
  if (made !== undefined) return inProcess(readyMadeOf(word, () => made.create(rest.length === 0 ? undefined : readJsonOf(rest.join("="), `the config of ${name}`))), label);
  if (isHttpUrl(word) && !URL.canParse(word)) throw new UsageError(`${JSON.stringify(word)} is no URL`);
  if (isHttpUrl(word)) return connected({ url: word, ...(headers === undefined ? {} : { headers }) }, label, log, signal);
  if (isModulePath(word)) return inProcess(await unlessAborted(loadInterceptors(word), signal), label);
  const [command, ...args] = splitWords(word);
  if (command === undefined) throw new UsageError("a target is empty");
  // A single word that no program has is more likely a name that is spelt wrong.
  try {
    return await connected({ command, args }, label, log, signal);
  } catch (thrown) {
    const known = [...new Set([...(config?.items.keys() ?? []), ...readyMade.keys()])];
    if (thrown instanceof LocalError && thrown.code === "spawn_failed" && args.length === 0) {
      throw new UsageError(`there is no program, and no interceptor of the name ${JSON.stringify(word)}`, didYouMean(word, known, upstreamHint(word, config) ?? `known names are ${known.join(", ")}`));
    }
    throw thrown;
  }
}

function upstreamHint(word: string, config: BuiltPlan | undefined): string | undefined {
  const meant = nearest(word, config?.chains.keys() ?? []);
  return meant === undefined ? undefined : `${meant} is an upstream of the configuration, no target: explain --upstream ${meant} shows its interceptors`;
}

function readyMadeOf<T>(word: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(`${word}: ${describeError(thrown)}`);
  }
}

function inProcess(interceptors: Parameters<typeof interceptorSource>[0], label: string): Target {
  return { source: interceptorSource(interceptors, { label }), close: async () => {} };
}

async function connected(target: ServerTarget, label: string, log: Log, signal: Signal): Promise<Target> {
  const who = "command" in target ? basename(target.command) : target.url;
  const client = await connectServer(target, signal, { log, onNoise: ({ why }) => log({ level: "warning", message: `${who} wrote a line that is no message (${why})` }) });
  return { source: clientSource(client, { label }), close: () => client.close() };
}

export interface OpenConfigOptions {
  readonly log: Log;
  readonly chainLog: (entry: ChainLog) => void;
  readonly signal: Signal;
  readonly secrets: Secrets;
  /** What ready-made interceptors take their time from. */
  readonly host?: Host;
}

/** A configuration, checked and with its interceptor servers started; nothing of it is written to, and no upstream is started. */
export async function openConfig(file: string, options: OpenConfigOptions): Promise<BuiltPlan> {
  const loaded = await loadConfig(file, { secrets: options.secrets, signal: options.signal });
  return buildPlan(loaded, { pools: createPools(), ...options, dry: true });
}

/** An upstream of a configuration by its name; where there is only one it need not be named. Throws a `UsageError` that lists them. */
export function upstreamNamed({ chains, loaded }: BuiltPlan, name: string | undefined): string {
  const names = [...chains.keys()];
  const [only, ...more] = names;
  if (name === undefined && only !== undefined && more.length === 0) return only;
  if (name !== undefined && names.includes(name)) return name;
  const known = `${loaded.file} has ${names.join(", ")}`;
  if (name === undefined) throw new UsageError("--upstream is missing", known);
  throw new UsageError(`there is no upstream ${JSON.stringify(name)} in ${loaded.file}`, didYouMean(name, names, known));
}
