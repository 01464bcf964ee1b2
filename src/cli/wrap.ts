import { describeError } from "../core/base/errors.ts";
import type { Signal } from "../core/base/signal.ts";
import type { AttachOptions } from "../core/guard/options.ts";
import { guardedRelay } from "../gateway/guarded-relay.ts";
import { readyMade } from "../library/catalog.ts";
import { protectStdout } from "../node/stdio.ts";
import { carryCommand, PARENT, START_LIMIT_MS, tellOnStderr } from "./carry.ts";
import { openDecisionLog, type DecisionLog } from "./decision-log.ts";
import { describeInterceptors, printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { headersOption } from "./headers.ts";
import { millisecondsOption, type ParsedOptions } from "./options.ts";
import { buildPolicy, isModule, type Policy } from "./policy.ts";
import { unlessAborted, watchStart } from "./start-watch.ts";
import { formatTable } from "./table.ts";
import { defineVerb } from "./verb.ts";
import { startWatchdog } from "./watchdog.ts";
import { isHttpUrl } from "./words.ts";

/** `wrap -- COMMAND`: interceptors in front of a server on stdio, up to its end and that of all that was started for it. */
export const wrap = defineVerb({
  name: "wrap",
  words: "none",
  startsCommand: true,
  usage: "[OPTIONS] -- COMMAND [ARGS…]",
  about: `Starts COMMAND, an MCP server on stdio, and stands in front of it: speaks MCP on
its own stdin and stdout, and runs interceptors on the traffic both ways. They
run in the order of their priorities, whatever the order on the command line.`,
  options: [
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
    { name: "header", value: "NAME:VALUE", many: true, help: "a header for interceptor servers behind a URL, such as Authorization:Bearer…" },
    { name: "quiet", help: "no start-up line on stderr" },
    { name: "verbose", help: "stderr also says what errors say and what a stray line holds: that may quote payloads" },
  ],
  more: `Ready-made interceptors (for the config of one: mcp-interceptors help NAME):
${formatTable([...readyMade].map(([name, { summary }]) => [name, summary]))}`,
  examples: [`mcp-interceptors wrap --use redact='{"phases":["response"]}' \\\n    --use tool-filter='{"deny":["delete_*"]}' \\\n    -- npx -y @modelcontextprotocol/server-filesystem .`],
  exit: `Exit code: the server's own; 2 for a wrong word on the command line, 127 where
the server could not be started, 1 for anything else that went wrong. A signal
is passed on to the server; one that ended the server ends this process too.
It ends, with all it has started, when the process that started it is gone.`,
  action(parsed) {
    const { values, positionals, rest } = parsed;
    if (positionals.length > 0) throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`, "put -- before the server's command");
    const [command, ...args] = rest ?? [];
    if (command === undefined || command === "") throw new UsageError("the server's command is missing", "mcp-interceptors wrap [OPTIONS] -- COMMAND [ARGS…]");
    const headers = headersOption(values);
    if (headers !== undefined && !(values.get("interceptors") ?? []).some(isHttpUrl)) throw new UsageError("--header needs a URL to go to", "--interceptors https://policy.example/mcp");
    return run(values, [command, ...args], headers);
  },
});

async function run(values: ParsedOptions["values"], server: readonly [string, ...string[]], headers: Readonly<Record<string, string>> | undefined): Promise<Exit> {
  const requestTimeoutMs = millisecondsOption(values, "timeout");
  const posture = values.get("posture")?.[0] === "server" ? "server" : "client";

  // From here on stdout belongs to MCP, whatever a module prints while it is loaded.
  protectStdout();
  const told: NonNullable<AttachOptions["log"]> = ({ level, message }) => tellOnStderr(level, message);
  const verbose = values.has("verbose");
  // Code of other people's may never give the thread back.
  const release = values.get("interceptors")?.some(isModule) === true ? startWatchdog(PARENT) : undefined;
  // Until the server is there a signal is ours to answer: nothing that was started may outlive us.
  const watch = watchStart(PARENT, Math.min(requestTimeoutMs ?? START_LIMIT_MS, START_LIMIT_MS));
  let policy: Policy | undefined;
  let decisions: DecisionLog | undefined;
  try {
    policy = await buildPolicy({ use: values.get("use") ?? [], interceptors: values.get("interceptors") ?? [], ...(headers === undefined ? {} : { headers }), log: tellOnStderr, verbose, signal: watch.signal });
    const { chain } = policy;
    const path = values.get("log")?.[0];
    if (path !== undefined) decisions = await openLog(path, watch.signal);
    const guard: AttachOptions = {
      log: told,
      policy: { interceptNotifications: true },
      ...(decisions === undefined ? {} : { record: decisions.record }),
    };
    const times = requestTimeoutMs === undefined ? {} : { requestTimeoutMs, initializeTimeoutMs: requestTimeoutMs };
    const relay = { ...times, log: told };
    return await carryCommand(server, { watch, verbose }, (child) => {
      if (!values.has("quiet")) process.stderr.write(`mcp-interceptors: guarding ${printable(server[0])} with ${describeInterceptors(chain.entries)}\n`);
      return (down) => guardedRelay(down, child, { chain, posture, guard, relay });
    });
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

async function openLog(path: string, signal: Signal): Promise<DecisionLog> {
  try {
    return await unlessAborted(openDecisionLog(path), signal);
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(`--log ${path}: ${describeError(thrown)}`);
  }
}
