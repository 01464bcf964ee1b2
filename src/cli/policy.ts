import { describeError, LocalError } from "../core/base/errors.ts";
import type { Signal } from "../core/base/signal.ts";
import { scanJson } from "../core/base/json-text.ts";
import { scopesIn } from "../library/state.ts";
import type { ConnectedChain, ServerTarget } from "../core/client/local-chain.ts";
import { connectServer, createChain } from "../node/chain.ts";
import { describeChainLog, describeNoise, printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { isModulePath, loadInterceptors } from "../node/load-module.ts";
import { readyMadeNamed } from "./ready-made.ts";
import { unlessAborted } from "./start-watch.ts";
import { notAnswered } from "./target.ts";
import { isHttpUrl, splitWords } from "./words.ts";

/** A chain that the command line has put together, with what comes along. */
export interface Policy {
  readonly chain: ConnectedChain;
  /** Ends the interceptor servers that were started for it. */
  close(): Promise<void>;
}

export interface PolicyOptions {
  /** `NAME` or `NAME=JSON`, in order. */
  readonly use: readonly string[];
  /** For the servers behind URLs. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths of modules, and commands and URLs of interceptor servers, in order. */
  readonly interceptors: readonly string[];
  log(level: "info" | "warn" | "error", message: string): void;
  /** Whether the log may quote what errors say, and so payloads. */
  readonly verbose?: boolean;
  /** Gives up on a module that is being loaded and a server that is being started. */
  readonly signal?: Signal;
}

/** Builds the chain. Throws a `UsageError` that quotes the argument which is wrong; what was started for it is ended then. */
export async function buildPolicy({ use, interceptors, headers, log, verbose = false, signal }: PolicyOptions): Promise<Policy> {
  const chain = createChain({
    log: (entry) => log(entry.level === "warning" ? "warn" : entry.level, describeChainLog(entry, verbose)),
    connect: (target, stop) => {
      const who = `the interceptor server ${printable("command" in target ? [target.command, ...(target.args ?? [])].join(" ") : target.url)}`;
      return connectServer(target, stop, {
        onNoise: (noise) => log("warn", describeNoise(who, noise, verbose)),
        log: ({ level, message }) => (level === "debug" ? undefined : log(level === "warning" ? "warn" : level, `${who}: ${message}`)),
      });
    },
  });
  try {
    for (const word of use) {
      const equals = word.indexOf("=");
      const name = equals === -1 ? word : word.slice(0, equals);
      const made = readyMadeNamed(name);
      await attempt(`--use ${word}`, signal, () => {
        const config = equals === -1 ? undefined : parseConfig(name, word.slice(equals + 1));
        chain.add(made.create(config));
        if (made.scope?.(config) === "principal") throw new LocalError("refused", `it keeps state by principal, and nobody on stdio has one: say "scope":"${scopesIn(made.configSchema).includes("session") ? "session" : "global"}" in its config`);
        const doubt = made.doubt?.(config);
        if (doubt !== undefined) log("warn", `--use ${word}: ${doubt}`);
      });
    }
    let servers = 0;
    for (const word of interceptors) {
      await attempt(`--interceptors ${word}`, signal, async () => {
        if (isModule(word)) return chain.add(await unlessAborted(loadInterceptors(word), signal));
        const before = chain.entries.length;
        await chain.addServer(serverOf(word, headers), { label: `server-${++servers}`, ...(signal === undefined ? {} : { signal }) });
        // Whoever names a server relies on it.
        if (chain.entries.length === before) throw new LocalError("not_found", "the server lists no interceptors");
      }, !isModule(word));
    }
  } catch (thrown) {
    await chain.close();
    throw thrown;
  }
  return { chain, close: () => chain.close() };
}

/** Whether a source of interceptors is a module, and runs in this process. */
export function isModule(word: string): boolean {
  return !isHttpUrl(word) && isModulePath(word);
}

function serverOf(word: string, headers: Readonly<Record<string, string>> | undefined): ServerTarget {
  if (isHttpUrl(word)) return { url: word, ...(headers === undefined ? {} : { headers }) };
  const [command, ...args] = splitWords(word);
  if (command === undefined) throw new LocalError("invalid_argument", "the command is empty");
  return { command, args };
}

function parseConfig(name: string, text: string): unknown {
  const { value, refusal } = scanJson(text);
  if (refusal === undefined) return value;
  const where = `${refusal.message}${refusal.pointer === "" ? "" : ` at ${refusal.pointer}`} (offset ${refusal.offset})`;
  throw new LocalError("invalid_argument", `the config of ${name} is ${refusal.code === "syntax" ? "no JSON" : "refused"}: ${where}`);
}

async function attempt(what: string, signal: Signal | undefined, action: () => unknown, server = false): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    // Whoever was interrupted says no more than that.
    if (signal?.aborted === true) throw new LocalError("aborted", `${what}: ${describeError(signal.reason)}`);
    throw server ? notAnswered(what, thrown) : new UsageError(`${what}: ${describeError(thrown)}`);
  }
}
