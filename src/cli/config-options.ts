import { describeError } from "../core/base/errors.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { ChainLog } from "../core/chain/report.ts";
import { ConfigError, formatProblem } from "../gateway/config/problems.ts";
import { describeChainLog, printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import type { OptionSpec, ParsedOptions } from "./options.ts";

export const CONFIG_OPTION: OptionSpec = { name: "config", short: "c", value: "FILE", help: "the configuration: JSON with comments, YAML, or a module that exports it by default" };

const LONGEST_LINE = 2000;

/** The one file that is named, by `-c` or by itself. */
export function configFile(verb: string, { values, positionals }: ParsedOptions): string {
  const [named] = values.get("config") ?? [];
  const words = [...(named === undefined ? [] : [named]), ...positionals];
  const [file, more] = words;
  if (file === undefined || file === "") throw new UsageError("the configuration is missing", `mcp-interceptors ${verb} ${verb === "gateway" ? "-c " : ""}FILE`);
  if (more !== undefined) throw new UsageError(`unexpected ${JSON.stringify(more)}`, `mcp-interceptors help ${verb}`);
  return file;
}

/** Says what is wrong with a configuration, one line each; true where that is what was thrown. */
export function tellConfigError(thrown: unknown): boolean {
  if (!(thrown instanceof ConfigError)) return false;
  for (const problem of thrown.problems) process.stderr.write(`${printable(formatProblem(problem), LONGEST_LINE)}\n`);
  const count = thrown.problems.length;
  process.stderr.write(`mcp-interceptors: the configuration cannot be used: ${count === 1 ? "1 problem" : `${count} problems`}\n`);
  return true;
}

/** Warnings and errors on stderr, with `verbose` the rest as well. */
export function stderrLog(verbose: boolean): { readonly log: Log; readonly chainLog: (entry: ChainLog) => void } {
  const write = (level: "debug" | "info" | "warning" | "error", message: string, always = false) => {
    if ((level === "debug" || level === "info") && !verbose && !always) return;
    process.stderr.write(`mcp-interceptors: ${level === "warning" ? "warning: " : ""}${message}\n`);
  };
  return {
    // What a child says on its standard error is said here, too.
    log: ({ level, message, details, error }) =>
      write(level, printable(verbose && error !== undefined ? `${message}: ${describeError(error)}` : message, LONGEST_LINE), details?.["stream"] === "stderr"),
    chainLog: (entry) => write(entry.level, describeChainLog(entry, verbose)),
  };
}
