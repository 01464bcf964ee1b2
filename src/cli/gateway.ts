import cluster from "node:cluster";
import type { ReloadOutcome } from "../gateway/config/reload.ts";
import { startGateway, type ConfiguredGateway } from "../gateway/config/start.ts";
import { protectStdout } from "../node/stdio.ts";
import { CONFIG_OPTION, configFile, stderrLog, tellConfigError } from "./config-options.ts";
import { describeServing } from "./describe-serving.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { runPrimary, workersOption } from "./gateway-primary.ts";
import { runToEnd } from "./gateway-run.ts";
import { runWorker } from "./gateway-worker.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "./options.ts";
import { watchParent } from "./orphan.ts";
import { watchStart } from "./start-watch.ts";
import { startWatchdog } from "./watchdog.ts";

const OPTIONS: readonly OptionSpec[] = [
  CONFIG_OPTION,
  { name: "stdio", value: "NAME", help: "serve this upstream on stdin and stdout, for a client that starts the gateway itself" },
  { name: "workers", value: "N", help: "serve by so many processes on one port, or auto: as many as there are cores" },
  { name: "no-watch", help: "do not reload when a file changes; SIGHUP still does" },
  { name: "timeout", value: "MS", help: "how long the start may take; 60000 unless said otherwise" },
  { name: "quiet", help: "no lines on stderr about starting and reloading" },
  { name: "verbose", help: "stderr also says what errors say: that may quote payloads" },
  { name: "help", help: "this text" },
];

const HELP = `Usage: mcp-interceptors gateway -c FILE [OPTIONS]

Serves MCP servers through interceptors, as the file says: each of its upstreams
at /NAME/mcp over Streamable HTTP, or one of them on stdin and stdout.

${describeOptions(OPTIONS)}

A file to start with, which keeps one server to this machine and masks personal
data in what it answers:

  {
    "upstreams": {
      "files": {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
      }
    },
    "interceptors": [
      { "use": "redact" },
      { "use": "tool-filter", "config": { "deny": ["write_*", "move_file"] } }
    ],
    "http": { "port": 3000 }
  }

Example:
  mcp-interceptors check gateway.jsonc
  mcp-interceptors gateway -c gateway.jsonc

When the file changes, or one that it takes in, it is read, checked and put in
the place of what runs; SIGHUP does so at once. A file that is wrong changes
nothing, and stderr says why. Calls in flight end as they began.

With --workers sessions stay in the process that they began in, and get there
whichever process a request comes to. One that dies is started again. limits of
the file, and connections to upstreams, are those of each. audit.jsonl becomes
audit.1.jsonl and so on; metrics are summed.

SIGTERM and SIGINT: nothing new is taken, calls in flight may finish (drainMs in
the file), the rest is answered with an error, and the process ends. A second
one ends it at once.

Exit code: 0 after an orderly end, 2 for a wrong word on the command line or a
configuration that cannot be used, 1 for anything else.
`;

const START_LIMIT_MS = 60_000;
const PARENT = process.ppid;

/** Runs the verb, up to the end of the gateway. */
export async function gateway(words: readonly string[]): Promise<Exit> {
  const parsed = parseOptions(words, OPTIONS, "mcp-interceptors help gateway");
  const { values } = parsed;
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  const file = configFile("gateway", parsed);
  const stdio = values.get("stdio")?.[0];
  const quiet = values.has("quiet");
  const verbose = values.has("verbose");
  const logs = stderrLog(verbose);
  let running: ConfiguredGateway | undefined;
  const tell = (level: "info" | "warn" | "error", text: string, structured = running?.structured) => {
    if (level === "info" && quiet) return;
    if (structured !== undefined) structured.log({ level, message: text });
    else process.stderr.write(`${level === "info" ? "mcp-interceptors: " : ""}${printable(text, 2000)}\n`);
  };
  const count = workersOption(values);
  if (count !== undefined && stdio !== undefined) throw new UsageError("--workers goes with HTTP alone: stdin and stdout have one client", "leave out --workers or --stdio");
  const startMs = millisecondsOption(values, "timeout") ?? START_LIMIT_MS;
  // Whatever a module prints while it is loaded: stdout may belong to MCP.
  protectStdout();
  if (count !== undefined) {
    if (cluster.isWorker) return await endingLike(runWorker({ file, ...logs, verbose }));
    return await runPrimary({ file, count, watch: !values.has("no-watch"), startMs, verbose, tell });
  }

  // Code of other people's may never give the thread back, and a client that has started this must be able to end it.
  const release = stdio === undefined ? undefined : startWatchdog(PARENT);
  const start = watchStart(PARENT, startMs);
  try {
    running = await startGateway({
      file,
      ...(stdio === undefined ? {} : { stdio }),
      watch: !values.has("no-watch"),
      ...logs,
      verbose,
      signal: start.signal,
      reloaded: (outcome) => tellReload(outcome, file, tell),
    });
  } catch (thrown) {
    release?.();
    if (start.exit !== undefined) return start.exit;
    if (tellConfigError(thrown)) return { code: 2 };
    throw thrown;
  } finally {
    start.release();
  }
  if (start.exit !== undefined) {
    await running.close();
    return start.exit;
  }
  for (const line of running.built.warnings) tell("warn", line);
  const { opsUrl, built } = running;
  tell("info", `serving ${describeServing(running, stdio ?? built.loaded.config.stdio)}${opsUrl === undefined ? "" : `; metrics at ${opsUrl}/metrics`}`);
  const serving = running;
  // One that a client has started goes with it.
  const parent = serving.gateway.url === undefined ? watchParent(PARENT, () => void serving.close()) : undefined;
  const ended = serving.gateway.done.then(async (): Promise<Exit> => {
    await serving.close();
    return { code: 0 };
  });
  return runToEnd({ ended, end: () => void serving.close(), reload: () => void serving.reload() }, verbose).finally(() => {
    parent?.release();
    release?.();
  });
}

/** What is wrong with a configuration is told, and makes exit code 2. */
async function endingLike(run: Promise<Exit>): Promise<Exit> {
  try {
    return await run;
  } catch (thrown) {
    if (tellConfigError(thrown)) return { code: 2 };
    throw thrown;
  }
}

type Tell = (level: "info" | "warn" | "error", text: string) => void;

function tellReload({ built, error }: ReloadOutcome, file: string, tell: Tell): void {
  if (built !== undefined) {
    for (const line of built.warnings) tell("warn", line);
    return tell("info", `reloaded ${file}`);
  }
  for (const line of error.split("\n")) tell("error", line);
  tell("error", "mcp-interceptors: not reloaded: the gateway goes on as it was");
}
