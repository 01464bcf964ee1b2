import { constants } from "node:os";
import { LocalError } from "../core/base/errors.ts";
import { guardTransport } from "../core/guard/guard.ts";
import type { GuardOptions } from "../core/guard/options.ts";
import { relay, type RelayEnd } from "../core/guard/relay.ts";
import type { Transport } from "../core/transport/transport.ts";
import { spawnTransport, type ChildExit, type ChildTransport } from "../node/child.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { openDecisionLog, type DecisionLog } from "./decision-log.ts";
import { UsageError } from "./errors.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "./options.ts";
import { whenOrphaned } from "./orphan.ts";
import { buildPolicy, type Policy } from "./policy.ts";

const OPTIONS: readonly OptionSpec[] = [
  { name: "use", value: "NAME[=JSON]", many: true, help: "a ready-made interceptor, with its config" },
  {
    name: "interceptors",
    value: "MODULE_OR_COMMAND",
    many: true,
    help: "a module that exports interceptors, or the command\n(quoted) of an interceptor server",
  },
  {
    name: "posture",
    value: "client|server",
    choices: ["client", "server"],
    help: "whose side the guard takes: client (default) guards a host\nagainst the server, server guards the server against its clients",
  },
  { name: "log", value: "FILE", help: "append one JSON line for each decision, without payloads" },
  { name: "timeout", value: "MS", help: "how long the server may stay silent about a request; 600000" },
  { name: "quiet", help: "no start-up line on stderr" },
  { name: "help", help: "this text" },
];

export const WRAP_HELP = `mcp-interceptors wrap [OPTIONS] -- COMMAND [ARGS…]

Starts COMMAND, an MCP server on stdio, and stands in front of it: speaks MCP on its own
stdin and stdout, and runs interceptors on the traffic in both directions.

${describeOptions(OPTIONS)}

Example:
  mcp-interceptors wrap --use redact --use tool-filter='{"deny":["delete_*"]}' -- npx -y @modelcontextprotocol/server-filesystem .

Exit code: the server's own; 2 for a wrong word on the command line, 127 if the server could
not be started, 1 for anything else that went wrong. A signal is passed on to the server.
`;

/** Runs the verb. Gives the exit code, or ends this process by the signal that ended the server. */
export async function wrap(words: readonly string[]): Promise<number> {
  const { values, positionals, rest } = parseOptions(words, OPTIONS);
  if (values.has("help")) {
    process.stdout.write(WRAP_HELP);
    return 0;
  }
  if (positionals.length > 0) {
    throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`, "put -- before the server's command");
  }
  const [command, ...args] = rest ?? [];
  if (command === undefined || command === "") throw new UsageError("the server's command is missing", "mcp-interceptors wrap [OPTIONS] -- COMMAND [ARGS…]");
  const requestTimeoutMs = millisecondsOption(values, "timeout");
  const posture = values.get("posture")?.[0] === "server" ? "server" : "client";

  // From here on stdout belongs to MCP, whatever a module prints while it is loaded.
  protectStdout();
  const log = (level: "info" | "warn" | "error", message: string) => {
    if (level !== "info") process.stderr.write(`mcp-interceptors: ${level === "warn" ? "warning: " : ""}${message}\n`);
  };
  const policy = await buildPolicy({ use: values.get("use") ?? [], interceptors: values.get("interceptors") ?? [], log });
  let decisions: DecisionLog | undefined;
  let status: ExitStatus;
  try {
    const path = values.get("log")?.[0];
    if (path !== undefined) decisions = await openDecisionLog(path);
    const child = await start(command, args, log);
    if (!values.has("quiet")) process.stderr.write(`mcp-interceptors: guarding ${command} with ${describePolicy(policy)}\n`);
    const guard: Omit<GuardOptions, "role"> = {
      chain: { current: () => policy.chain },
      log: (entry) => log(entry.level, entry.message),
      policy: { interceptNotifications: true, answerAs: policy.answerAs },
      ...(decisions === undefined ? {} : { record: decisions.record }),
    };
    status = await run(child, posture, guard, { log: (entry) => log(entry.level, entry.message), ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }) });
  } finally {
    await policy.close();
    await decisions?.close();
  }
  if (typeof status === "number") return status;
  // Nothing of ours is left to close. As shells do, where the signal does not end this process at once.
  process.kill(process.pid, status);
  return 128 + constants.signals[status];
}

// An exit code, or the signal that ended the server.
type ExitStatus = number | NodeJS.Signals;

// How long a server that got a signal has to leave in its own way, before it sees the end of its stdin as well.
const SIGNAL_GRACE_MS = 1000;

// Who started this process; another one once that is gone.
const PARENT = process.ppid;

async function start(command: string, args: readonly string[], log: (level: "warn", message: string) => void): Promise<ChildTransport> {
  return spawnTransport({
    command,
    args,
    stderr: "inherit",
    onNoise: ({ text, why }) => log("warn", `the server wrote a line that is no message (${why}): ${JSON.stringify(text.slice(0, 200))}`),
  });
}

async function run(
  child: ChildTransport,
  posture: "client" | "server",
  guard: Omit<GuardOptions, "role">,
  options: Parameters<typeof relay>[2],
): Promise<ExitStatus> {
  // A client that ends its side may still read; one that was killed reads nothing, and need not be waited for.
  let forgetParent = () => {};
  const stdio = onEnd(stdioTransport(), () => (forgetParent = whenOrphaned(PARENT, () => void carried.close())));
  const down = posture === "server" ? guardTransport(stdio, { ...guard, role: "server" }) : stdio;
  const up = posture === "client" ? guardTransport(child, { ...guard, role: "client" }) : child;
  const carried = relay(down, up, options);

  // A signal is the server's to answer; ours is to pass it on, and to go when the server has gone.
  let passedOn: NodeJS.Signals | undefined;
  let closing: NodeJS.Timeout | undefined;
  const signals = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = () => {
      passedOn ??= signal;
      child.kill(signal);
      // One that ignores the signal is ended as at any close.
      closing ??= setTimeout(() => void carried.close(), SIGNAL_GRACE_MS);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  const end = await carried.ended;
  const exit = await child.exited;
  clearTimeout(closing);
  forgetParent();
  for (const off of signals) off();
  return exitStatus(end, exit, passedOn);
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

function exitStatus(end: RelayEnd, exit: ChildExit, passedOn: NodeJS.Signals | undefined): ExitStatus {
  if (exit.code !== null) return exit.code;
  // The client went, and the server did not go by itself: an orderly end all the same.
  if (end.by === "client" && passedOn === undefined) return 0;
  // It ended the connection, lived on, and was ended by force.
  if (end.by === "server" && end.error === undefined && passedOn === undefined) return 1;
  return exit.signal ?? 1;
}

function describePolicy(policy: Policy): string {
  const entries = policy.chain.entries;
  if (entries.length === 0) return "no interceptors";
  return entries.map((entry) => `${entry.name} (${entry.descriptor.type})`).join(", ");
}

/** Exit code of a failure that is no usage error. */
export function failureCode(thrown: unknown): number {
  return thrown instanceof LocalError && thrown.code === "spawn_failed" ? 127 : 1;
}

