import type { Log } from "../core/jsonrpc/log.ts";
import type { Signal } from "../core/base/signal.ts";
import type { ChainLog } from "../core/chain/report.ts";
import type { BuiltPlan } from "../gateway/config/build.ts";
import { ConfigError } from "../gateway/config/problems.ts";
import { createSecrets, hidingChainLog, hidingLog, type Secrets } from "../gateway/config/secrets.ts";
import { type MissingKey, missingKey } from "../library/state.ts";
import { protectStdout } from "../node/stdio.ts";
import { stderrLog } from "./config-options.ts";
import { UsageError, withoutSecrets } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { headersOption } from "./headers.ts";
import { millisecondsOption, type OptionSpec, type ParsedOptions } from "./options.ts";
import { looksLikeJson } from "./payload.ts";
import { watchStart } from "./start-watch.ts";
import { openConfig, openTarget, type Target } from "./target.ts";
import { VERBOSE_OPTION } from "./verb.ts";

/** A verb that opens targets, does one thing and ends. */
export interface Session {
  readonly signal: Signal;
  readonly log: Log;
  readonly chainLog: (entry: ChainLog) => void;
  /** What contexts of messages did not have, so that interceptors failed. */
  readonly lacking: ReadonlySet<MissingKey>;
  /** The configuration that `-c` names. */
  readonly config: BuiltPlan | undefined;
  /** Of the configurations that were loaded with it. Logs and what is thrown are without them; `hideIn` is for what is printed. */
  readonly secrets: Secrets;
  /** Opens a target; it is closed at the end. */
  open(word: string, label: string): Promise<Target>;
}

/** The options of such verbs. */
export const SESSION_OPTIONS: readonly OptionSpec[] = [
  { name: "config", short: "c", value: "FILE", help: "a gateway's configuration, whose items can be named" },
  { name: "header", value: "NAME:VALUE", many: true, help: "a header for servers behind a URL, such as Authorization:Bearer…" },
  { name: "timeout", value: "MS", help: "how long all of it may take; 60000 unless said otherwise" },
  VERBOSE_OPTION,
];

const LIMIT_MS = 60_000;

/** Runs an action with targets to open, within its time; signals end it. Whatever modules print goes to stderr, but for what the action prints at its end. */
export async function runSession(parsed: ParsedOptions, action: (session: Session) => Promise<() => Exit>): Promise<Exit> {
  const { values } = parsed;
  const headers = headersOption(values);
  const secrets = createSecrets();
  const open = stderrLog(values.has("verbose"));
  const log = hidingLog(open.log, secrets);
  const tellChain = hidingChainLog(open.chainLog, secrets);
  const lacking = new Set<MissingKey>();
  const chainLog = (entry: ChainLog) => {
    const lacks = missingKey(entry.message);
    if (lacks !== undefined) lacking.add(lacks);
    tellChain(entry);
  };
  const openStdout = protectStdout();
  const watch = watchStart(process.ppid, millisecondsOption(values, "timeout") ?? LIMIT_MS, "end", "which is all that it may take: see --timeout");
  const { signal } = watch;
  const targets: Target[] = [];
  let config: BuiltPlan | undefined;
  try {
    const file = values.get("config")?.[0];
    if (file !== undefined && looksLikeJson(file)) throw new UsageError("the configuration must be a file, not JSON", `for the config of an interceptor, use --with of invoke, or put it behind the name: tool-filter='{"deny":["rm"]}'`);
    config = file === undefined ? undefined : await openConfig(file, { log, chainLog, signal, secrets });
    const print = await action({
      signal,
      log,
      chainLog,
      lacking,
      config,
      secrets,
      async open(word, label) {
        const target = await openTarget(word, label, { ...(headers === undefined ? {} : { headers }), log, signal, ...(config === undefined ? {} : { config }) });
        targets.push(target);
        return target;
      },
    });
    if (watch.exit !== undefined) return watch.exit;
    openStdout();
    return print();
  } catch (thrown) {
    if (watch.exit !== undefined) return watch.exit;
    throw signal.aborted && !(thrown instanceof ConfigError) ? signal.reason : withoutSecrets(thrown, secrets);
  } finally {
    // A second Ctrl-C would leave behind what is being ended.
    await Promise.all([...targets.map((target) => target.close()), config?.close()]);
    watch.release();
  }
}
