import { describeError } from "../core/base/errors.ts";
import type { Signal } from "../core/base/signal.ts";
import type { ChainSource } from "../core/guard/chain-source.ts";
import type { AttachOptions } from "../core/guard/options.ts";
import type { RelayEnd, RelayOptions } from "../core/guard/relay.ts";
import type { Noise } from "../core/transport/line-transport.ts";
import type { Transport } from "../core/transport/transport.ts";
import { guardedRelay } from "../gateway/guarded-relay.ts";
import { readyMade } from "../library/catalog.ts";
import { spawnTransport, type ChildExit, type ChildTransport } from "../node/child.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { openDecisionLog, type DecisionLog } from "./decision-log.ts";
import { describeCrash, describeInterceptors, describeNoise, printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "./options.ts";
import { watchParent } from "./orphan.ts";
import { buildPolicy, isModule, type Policy } from "./policy.ts";
import { ENDING_SIGNALS, exitBy } from "./signals.ts";
import { unlessAborted, watchStart } from "./start-watch.ts";
import { formatTable } from "./table.ts";
import { startWatchdog } from "./watchdog.ts";

export const WRAP_OPTIONS: readonly OptionSpec[] = [
  { name: "use", value: "NAME[=JSON]", many: true, help: "a ready-made interceptor, with its config" },
  {
    name: "interceptors",
    value: "SOURCE",
    many: true,
    help: "a module that exports interceptors, or an interceptor server: its command (in quotes), or its URL",
  },
  {
    name: "posture",
    value: "client|server",
    choices: ["client", "server"],
    help: "whose side the guard takes: client (the default) guards a host against the server, server guards the server against its clients",
  },
  { name: "log", value: "FILE", help: "append one JSON line for each decision, without payloads" },
  {
    name: "timeout",
    value: "MS",
    help: "how long a request may go without an answer and without progress; by default 600000, and 60000 for initialize. The start may take as long, and at most 30000",
  },
  { name: "quiet", help: "no start-up line on stderr" },
  { name: "verbose", help: "stderr also says what errors say and what a stray line holds: that may quote payloads" },
  { name: "help", help: "this text" },
];

const HELP = `Usage: mcp-interceptors wrap [WRAP_OPTIONS] -- COMMAND [ARGS…]

Starts COMMAND, an MCP server on stdio, and stands in front of it: speaks MCP on
its own stdin and stdout, and runs interceptors on the traffic both ways. They
run in the order of their priorities, whatever the order on the command line.

${describeOptions(WRAP_OPTIONS)}

Ready-made interceptors (for the config of one: mcp-interceptors help NAME):
${formatTable([...readyMade].map(([name, { summary }]) => [name, summary]))}

Example:
  mcp-interceptors wrap --use redact --use tool-filter='{"deny":["delete_*"]}' \\
    -- npx -y @modelcontextprotocol/server-filesystem .

Exit code: the server's own; 2 for a wrong word on the command line, 127 where
the server could not be started, 1 for anything else that went wrong. A signal
is passed on to the server; one that ended the server ends this process too.
It ends, with all it has started, when the process that started it is gone.
`;

/** Runs the verb, up to the end of the server and of all that was started for it. */
export async function wrap(words: readonly string[]): Promise<Exit> {
  const { values, positionals, rest } = parseOptions(words, WRAP_OPTIONS, "mcp-interceptors help wrap");
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  if (positionals.length > 0) {
    throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`, "put -- before the server's command");
  }
  const [command, ...args] = rest ?? [];
  if (command === undefined || command === "") throw new UsageError("the server's command is missing", "mcp-interceptors wrap [WRAP_OPTIONS] -- COMMAND [ARGS…]");
  const requestTimeoutMs = millisecondsOption(values, "timeout");
  const posture = values.get("posture")?.[0] === "server" ? "server" : "client";

  // From here on stdout belongs to MCP, whatever a module prints while it is loaded.
  protectStdout();
  const log: Log = (level, message) => {
    if (level !== "info") process.stderr.write(`mcp-interceptors: ${level === "warn" ? "warning: " : ""}${message}\n`);
  };
  const verbose = values.has("verbose");
  // Until the server is there a signal is ours to answer: nothing that was started may outlive us.
  // Code of other people's may never give the thread back.
  const release = values.get("interceptors")?.some(isModule) === true ? startWatchdog(PARENT) : undefined;
  const watch = watchStart(PARENT, Math.min(requestTimeoutMs ?? START_LIMIT_MS, START_LIMIT_MS));
  let policy: Policy | undefined;
  let decisions: DecisionLog | undefined;
  try {
    policy = await buildPolicy({ use: values.get("use") ?? [], interceptors: values.get("interceptors") ?? [], log, verbose, signal: watch.signal });
    const { chain, answerAs } = policy;
    const path = values.get("log")?.[0];
    if (path !== undefined) decisions = await openLog(path, watch.signal);
    const child = await start(command, args, (noise) => log("warn", describeNoise("the server", noise, verbose)));
    if (watch.exit !== undefined) {
      await child.close();
      return watch.exit;
    }
    watch.release();
    if (!values.has("quiet")) process.stderr.write(`mcp-interceptors: guarding ${printable(command)} with ${describeInterceptors(chain.entries)}\n`);
    const guard: AttachOptions = {
      log: (entry) => log(entry.level, entry.message),
      policy: { interceptNotifications: true, answerAs },
      ...(decisions === undefined ? {} : { record: decisions.record }),
    };
    const times = requestTimeoutMs === undefined ? {} : { requestTimeoutMs, initializeTimeoutMs: requestTimeoutMs };
    return await run(child, posture, chain, guard, { ...times, log: (entry) => log(entry.level, entry.message) }, verbose);
  } catch (thrown) {
    if (watch.exit !== undefined) return watch.exit;
    throw thrown;
  } finally {
    watch.release();
    await policy?.close();
    await decisions?.close();
    release?.();
  }
}

type Log = (level: "info" | "warn" | "error", message: string) => void;

// For loading modules, starting interceptor servers and opening the log, together: clients give up on a server after a minute.
const START_LIMIT_MS = 30_000;

// How long a server that got a signal has to leave in its own way, before it sees the end of its stdin as well.
const SIGNAL_GRACE_MS = 1000;

// Who started this process; another one once that is gone.
const PARENT = process.ppid;

function start(command: string, args: readonly string[], onNoise: (noise: Noise) => void): Promise<ChildTransport> {
  return spawnTransport({ command, args, stderr: "inherit", onNoise });
}

async function openLog(path: string, signal: Signal): Promise<DecisionLog> {
  try {
    return await unlessAborted(openDecisionLog(path), signal);
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(`--log ${path}: ${describeError(thrown)}`);
  }
}

async function run(
  child: ChildTransport,
  posture: "client" | "server",
  chain: ChainSource,
  guard: AttachOptions,
  options: RelayOptions,
  verbose: boolean,
): Promise<Exit> {
  // A client that ends its side may still read; one that was killed reads nothing, and need not be waited for. The end of its side shows only once
  // all that came before it is read, which takes a server that reads.
  const parent = watchParent(PARENT, () => void carried.close());
  const stdio = onEnd(stdioTransport(), () => parent.hurry());
  const carried = guardedRelay(stdio, child, { chain, posture, guard, relay: options });

  // A signal is the server's to answer; ours is to pass it on, and to go when the server has gone.
  let passedOn: NodeJS.Signals | undefined;
  let closing: NodeJS.Timeout | undefined;
  const signals = ENDING_SIGNALS.map((signal) => {
    const listener = () => {
      passedOn ??= signal;
      child.kill(signal);
      // One that ignores the signal is ended as at any close.
      closing ??= setTimeout(() => void carried.close(), SIGNAL_GRACE_MS);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  // Nobody knows any more what state a policy is in whose error nobody caught. What waits is answered, and nothing else passes.
  let crashed = false;
  const onCrash = (thrown: unknown) => {
    crashed = true;
    options.log?.({ level: "error", message: `an error that nobody caught ends this run: ${describeCrash(thrown, verbose)}` });
    void carried.close();
  };
  process.on("uncaughtException", onCrash);

  const end = await carried.ended;
  const exit = await child.exited;
  clearTimeout(closing);
  parent.release();
  for (const off of signals) off();
  process.off("uncaughtException", onCrash);
  return crashed ? { code: 1 } : exitAfter(end, exit, passedOn);
}

function onEnd(transport: Transport, ended: () => void): Transport {
  return {
    ...transport,
    async receive() {
      const arrival = await transport.receive();
      if (arrival === undefined) ended();
      return arrival;
    },
  };
}

function exitAfter(end: RelayEnd, { code, signal }: ChildExit, passedOn: NodeJS.Signals | undefined): Exit {
  if (code !== null) return { code };
  // The client went, and the server did not go by itself: an orderly end all the same.
  if (end.by === "client" && passedOn === undefined) return { code: 0 };
  // It ended the connection, lived on, and was ended by force.
  if (end.by === "server" && end.error === undefined && passedOn === undefined) return { code: 1 };
  return signal === null ? { code: 1 } : exitBy(signal);
}
