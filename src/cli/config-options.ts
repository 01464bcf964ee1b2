import { describeError } from "../core/base/errors.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { ChainLog } from "../core/chain/report.ts";
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
