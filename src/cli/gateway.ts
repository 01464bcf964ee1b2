import cluster from "node:cluster";
import { startGateway, type ConfiguredGateway } from "../gateway/config/start.ts";
import { protectStdout } from "../node/stdio.ts";
import { CONFIG_OPTION, configFile, stderrLog } from "./config-options.ts";
import { describeServing } from "./describe-serving.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { runPrimary, workersOption } from "./gateway-primary.ts";
import { runToEnd } from "./gateway-run.ts";
import { createTell, tellReload, type Tell } from "./gateway-tell.ts";
import { runWorker } from "./gateway-worker.ts";
import { millisecondsOption, type ParsedOptions } from "./options.ts";
import { watchParent } from "./orphan.ts";
import { watchStart } from "./start-watch.ts";
import { defineVerb, VERBOSE_OPTION } from "./verb.ts";
import { startWatchdog } from "./watchdog.ts";

const START_LIMIT_MS = 60_000;
const PARENT = process.ppid;

/** `gateway -c FILE`: serves, up to the end of the gateway. */
export const gateway = defineVerb({
  name: "gateway",
  words: "file",
  usage: "-c FILE [OPTIONS]",
  about: `Serves MCP servers through interceptors, as the file says: each of its upstreams
at /NAME/mcp over Streamable HTTP, or one of them on stdin and stdout.`,
  options: [
    CONFIG_OPTION,
    { name: "stdio", value: "NAME", names: "upstreams", help: "serve this upstream on stdin and stdout, for a client that starts the gateway itself" },
    { name: "workers", value: "N", help: "serve by so many processes on one port, or auto: as many as there are cores" },
    { name: "no-watch", help: "do not reload when a file changes; SIGHUP still does" },
    { name: "timeout", value: "MS", help: "how long the start may take; 60000 unless said otherwise" },
    { name: "quiet", help: "no lines on stderr about starting and reloading" },
    VERBOSE_OPTION,
  ],
  more: `A file to start with, which keeps one server to this machine and masks personal
data in what it answers:

  {
    "upstreams": {
      "files": {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
      }
    },
    "interceptors": [
      { "use": "redact", "phase": "response" },
      { "use": "tool-filter", "config": { "deny": ["write_*", "move_file"] } }
    ],
    "http": { "port": 3000 }
  }

When the file changes, or one that it takes in, it is read, checked and put in
the place of what runs; SIGHUP does so at once, and during the start once that
is done. A file that is wrong changes nothing, and stderr says why. Calls in
flight end as they began.

With --workers sessions stay in the process that they began in, and get there
whichever process a request comes to. One that dies is started again. limits of
the file, and connections to upstreams, are those of each. audit.jsonl becomes
audit.1.jsonl and so on; metrics are summed.

SIGTERM and SIGINT: nothing new is taken, calls in flight may finish (drainMs in
the file), the rest is answered with an error, and the process ends. A second
one ends it at once.`,
  examples: ["mcp-interceptors check gateway.jsonc", "mcp-interceptors gateway -c gateway.jsonc"],
  exit: `Exit code: 0 after an orderly end, 2 for a wrong word on the command line or a
configuration that cannot be used, 1 for anything else.`,
  action: serve,
});

async function serve(parsed: ParsedOptions): Promise<Exit> {
  const { values } = parsed;
  const file = configFile("gateway", parsed);
  const stdio = values.get("stdio")?.[0];
  const verbose = values.has("verbose");
  const tell = createTell(values.has("quiet"));
  const count = workersOption(values);
  if (count !== undefined && stdio !== undefined) throw new UsageError("--workers goes with HTTP alone: stdin and stdout have one client", "leave out --workers or --stdio");
  const startMs = millisecondsOption(values, "timeout") ?? START_LIMIT_MS;
  const watch = !values.has("no-watch");
  // Whatever a module prints while it is loaded: stdout may belong to MCP.
  protectStdout();
  if (count === undefined) return runAlone({ file, stdio, watch, startMs, verbose, tell });
  // The primary forks this very command.
  return cluster.isWorker ? runWorker({ file, ...stderrLog(verbose), verbose }) : runPrimary({ file, count, watch, startMs, verbose, tell });
}

interface AloneRun {
  readonly file: string;
  readonly stdio: string | undefined;
  readonly watch: boolean;
  readonly startMs: number;
  readonly verbose: boolean;
  readonly tell: Tell;
}

/** Runs a gateway in this process. */
async function runAlone({ file, stdio, watch, startMs, verbose, tell }: AloneRun): Promise<Exit> {
  let running: ConfiguredGateway | undefined;
  const say: Tell = (level, text) => tell(level, text, running?.structured);
  // Code of other people's may never give the thread back, and a client that has started this must be able to end it.
  const release = stdio === undefined ? undefined : startWatchdog(PARENT);
  const start = watchStart(PARENT, startMs, "reload");
  try {
    running = await startGateway({
      file,
      ...(stdio === undefined ? {} : { stdio }),
      watch,
      ...stderrLog(verbose),
      verbose,
      signal: start.signal,
      reloaded: ({ built, error }) => tellReload(error === undefined ? built : { error }, file, say),
    });
  } catch (thrown) {
    release?.();
    start.release();
    if (start.exit !== undefined) return start.exit;
    throw thrown;
  }
  const { gateway: served, built, opsUrl, close, reload } = running;
  if (start.exit !== undefined) {
    start.release();
    await close();
    return start.exit;
  }
  const end = () => void close();
  // One that a client has started goes with it.
  const parent = served.url === undefined ? watchParent(PARENT, end) : undefined;
  const ended = served.done.then(close).then((): Exit => ({ code: 0 }));
  const over = runToEnd({ ended, end, reload: () => void reload() }, verbose);
  // At no time is a signal nobody's, and least of all once it is said that this serves.
  start.release();
  for (const line of built.warnings) say("warn", line);
  say("info", `serving ${describeServing(running, stdio ?? built.loaded.config.stdio)}${opsUrl === undefined ? "" : `; metrics at ${opsUrl}/metrics`}`);
  if (start.reloads) void reload();
  return over.finally(() => {
    parent?.release();
    release?.();
  });
}
