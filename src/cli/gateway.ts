import type { ReloadOutcome } from "../gateway/config/reload.ts";
import { startGateway, type ConfiguredGateway } from "../gateway/config/start.ts";
import { protectStdout } from "../node/stdio.ts";
import { CONFIG_OPTION, configFile, stderrLog, tellConfigError } from "./config-options.ts";
import { describeCrash, printable } from "./describe.ts";
import type { Exit } from "./exit.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "./options.ts";
import { watchParent } from "./orphan.ts";
import { exitBy } from "./signals.ts";
import { watchStart } from "./start-watch.ts";
import { startWatchdog } from "./watchdog.ts";

export const GATEWAY_OPTIONS: readonly OptionSpec[] = [
  CONFIG_OPTION,
  { name: "stdio", value: "NAME", help: "serve this upstream on stdin and stdout, for a client that starts the gateway itself" },
  { name: "no-watch", help: "do not reload when a file changes; SIGHUP still does" },
  { name: "timeout", value: "MS", help: "how long the start may take; 60000 unless said otherwise" },
  { name: "quiet", help: "no lines on stderr about starting and reloading" },
  { name: "verbose", help: "stderr also says what errors say: that may quote payloads" },
  { name: "help", help: "this text" },
];

const HELP = `Usage: mcp-interceptors gateway -c FILE [GATEWAY_OPTIONS]

Serves MCP servers through interceptors, as the file says: each of its upstreams
at /NAME/mcp over Streamable HTTP, or one of them on stdin and stdout.

${describeOptions(GATEWAY_OPTIONS)}

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
  const parsed = parseOptions(words, GATEWAY_OPTIONS, "mcp-interceptors help gateway");
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
  const tell: Tell = (level, text) => {
    if (level === "info" && quiet) return;
    if (running?.structured !== undefined) running.structured.log({ level, message: text });
    else process.stderr.write(`${level === "info" ? "mcp-interceptors: " : ""}${printable(text, 2000)}\n`);
  };
  // Whatever a module prints while it is loaded: stdout may belong to MCP.
  protectStdout();

  // Code of other people's may never give the thread back, and a client that has started this must be able to end it.
  const release = stdio === undefined ? undefined : startWatchdog(PARENT);
  const start = watchStart(PARENT, millisecondsOption(values, "timeout") ?? START_LIMIT_MS);
  let running: ConfiguredGateway | undefined;
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
  tell("info", describeStart(running, stdio));
  return run(running, verbose).finally(() => release?.());
}

async function run(running: ConfiguredGateway, verbose: boolean): Promise<Exit> {
  let exit: Exit = { code: 0 };
  let forced!: (how: Exit) => void;
  const atOnce = new Promise<Exit>((resolve) => (forced = resolve));
  let ending = false;
  const end = () => {
    ending = true;
    void running.close();
  };
  const onSignal = (signal: NodeJS.Signals) => (ending ? forced(exitBy(signal)) : end());
  const onHangUp = () => void running.reload();
  // Nobody knows any more what state a policy is in whose error nobody caught. What waits is answered, and nothing else passes.
  const onCrash = (thrown: unknown) => {
    exit = { code: 1 };
    process.stderr.write(`mcp-interceptors: an error that nobody caught ends this run: ${describeCrash(thrown, verbose)}\n`);
    end();
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal).on("SIGHUP", onHangUp).on("uncaughtException", onCrash);
  // One that a client has started goes with it.
  const parent = running.gateway.url === undefined ? watchParent(PARENT, end) : undefined;
  try {
    const ended = running.gateway.done.then(async () => {
      await running.close();
      return exit;
    });
    return await Promise.race([ended, atOnce]);
  } finally {
    parent?.release();
    process.off("SIGTERM", onSignal).off("SIGINT", onSignal).off("SIGHUP", onHangUp).off("uncaughtException", onCrash);
  }
}

function describeStart({ gateway: { url }, built, opsUrl }: ConfiguredGateway, stdio: string | undefined): string {
  const onStdio = stdio ?? built.loaded.config.stdio;
  const place = (name: string, length: number, how: string) => {
    const where = [...(url === undefined ? [] : [`${url}/${name}/mcp`]), ...(name === onStdio ? ["stdio"] : [])];
    return where.length === 0 ? [] : [`${name} at ${where.join(" and on ")} ${how} ${length === 1 ? "1 interceptor" : `${length} interceptors`}`];
  };
  const places = [...built.chains].flatMap(([name, { chain }]) => place(name, chain.entries.length, "with"));
  if (built.exposure !== undefined) places.push(...place(built.exposure.plan.name, built.exposure.interceptors.length, "offering"));
  return `serving ${places.join(", ")}${opsUrl === undefined ? "" : `; metrics at ${opsUrl}/metrics`}`;
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
