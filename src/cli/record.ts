import { statSync } from "node:fs";
import { LocalError } from "../core/base/errors.ts";
import { relay } from "../core/guard/relay.ts";
import { openRecorder, type Recorder, type RecorderOptions } from "../gateway/recorder.ts";
import { protectStdout } from "../node/stdio.ts";
import { carryCommand, PARENT, START_LIMIT_MS, tellOnStderr } from "./carry.ts";
import { printable } from "./describe.ts";
import { describeUnwritten, UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { type ParsedOptions, wholeOption } from "./options.ts";
import { unlessAborted, watchStart } from "./start-watch.ts";
import { isStdout } from "./stdout-file.ts";
import { defineVerb, VERBOSE_OPTION } from "./verb.ts";

const MOST_BYTES = 16 * 1024 ** 3;

/** `record -o FILE -- COMMAND`: a session to a file. */
export const record = defineVerb({
  name: "record",
  words: "none",
  startsCommand: true,
  usage: "-o FILE [OPTIONS] -- COMMAND [ARGS…]",
  about: `Starts COMMAND, an MCP server on stdio, stands in front of it like wrap, changes
nothing, and writes each message to FILE before it goes on: JSON lines, with
time, sender, method and id. What the ready-made redact finds is masked in the
file, and what secret-guard finds, where there is one. All else is written as it
is: keep the file as you keep the data. A file that holds sessions already gets
another; give each program a file of its own. A full or broken disk ends the
recording, and not the session.

To record what a policy lets through, put wrap behind it:
record -o FILE -- mcp-interceptors wrap … -- COMMAND`,
  options: [
    { name: "output", short: "o", value: "FILE", help: "where to; a new file is readable by its owner alone" },
    { name: "raw", help: "mask nothing" },
    { name: "max-bytes", value: "N", help: "how large the file may become; 67108864 unless said otherwise" },
    { name: "quiet", help: "no start-up line on stderr" },
    VERBOSE_OPTION,
  ],
  examples: ["mcp-interceptors record -o session.jsonl \\\n    -- npx -y @modelcontextprotocol/server-filesystem .", "mcp-interceptors replay session.jsonl --config gateway.jsonc"],
  exit: "Exit code: the server's own; 2 for a wrong word on the command line, 127 where\nthe server could not be started, 1 for anything else that went wrong.",
  action(parsed) {
    const { values, positionals, rest } = parsed;
    const path = values.get("output")?.[0];
    if (positionals.length > 0) throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`, "put -- before the server's command");
    if (path === undefined || path === "") throw new UsageError("the file is missing", "mcp-interceptors record -o FILE -- COMMAND [ARGS…]");
    const [command, ...args] = rest ?? [];
    if (command === undefined || command === "") throw new UsageError("the server's command is missing", "mcp-interceptors record -o FILE -- COMMAND [ARGS…]");
    const maxBytes = wholeOption(values, "max-bytes", MOST_BYTES, " of bytes");
    return run(parsed, [command, ...args], { path, raw: values.has("raw"), ...(maxBytes === undefined ? {} : { maxBytes }) });
  },
});

async function run({ values }: ParsedOptions, server: readonly [string, ...string[]], options: Omit<RecorderOptions, "log">): Promise<Exit> {
  const { path, raw } = options;
  protectStdout();
  const verbose = values.has("verbose");
  const watch = watchStart(PARENT, START_LIMIT_MS);
  let recorder: Recorder | undefined;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && isStdout(there)) throw new UsageError(`--output ${path} is this program's stdout, which carries messages and nothing else`, "name another file");
    recorder = await unlessAborted(open({ ...options, log: (message) => tellOnStderr("warn", printable(message, 1000)) }), watch.signal);
    const { tap, header } = recorder;
    const told = { log: ({ level, message }: { readonly level: "info" | "warn" | "error"; readonly message: string }) => tellOnStderr(level, message) };
    return await carryCommand(server, { watch, verbose }, (child) => {
      if (raw === true) tellOnStderr("warn", `${printable(path, 200)} will hold what is said as it is: nothing is masked`);
      else if (!values.has("quiet")) process.stderr.write(`mcp-interceptors: recording ${printable(server[0])} to ${printable(path, 200)}, masked by ${header.redactedBy.join(" and ")}\n`);
      return (down) => relay(tap(down, "client"), tap(child, "server"), told);
    });
  } catch (thrown) {
    if (watch.exit !== undefined) return watch.exit;
    throw thrown;
  } finally {
    watch.release();
    await recorder?.close();
  }
}

async function open(options: RecorderOptions): Promise<Recorder> {
  try {
    return await openRecorder(options);
  } catch (thrown) {
    throw new UsageError(`--output ${options.path}: ${thrown instanceof LocalError ? thrown.message : describeUnwritten(thrown)}`, "name a file in a folder that you may write to");
  }
}
