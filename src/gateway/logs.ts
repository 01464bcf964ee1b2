import { LocalError, RpcError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { ChainLog } from "../core/chain/report.ts";
import type { GuardEvent } from "../core/guard/events.ts";

/** How much a line matters, from least to most. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What the parts of a gateway log: guards, peers, listeners. Levels have two spellings among them. */
export interface LoggedEntry {
  readonly level: LogLevel | "warning";
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** Which lines are written, and where. */
export interface LogOptions {
  /** Lines below it are not written. Default `info`. */
  readonly level?: LogLevel;
  /** Writes one line, its end included. Default: to this process's standard error. */
  write?(line: string): void;
  /** Texts of errors too, which may quote a payload. Default: their class and code alone. */
  readonly verbose?: boolean;
  /** Members of every line, such as the name of a replica. */
  readonly base?: Readonly<Record<string, string>>;
  readonly host?: Host;
}

/** A log of JSON lines without payloads. */
export interface StructuredLog {
  /** For every `log` option of this package. Never throws. */
  log(entry: LoggedEntry): void;
  /** For `log` of chains: without `verbose` a failure is told by its reason, as an exception's text may quote a payload. */
  chain(entry: ChainLog): void;
  /** For `GatewayPlan.observe`: one line for each message that does not go on, and for each failure of an interceptor. */
  observe(event: GuardEvent, upstream: string): void;
  /** Lines that were not written, as nobody took them. */
  dropped(): number;
}

const OPTIONS: OptionTable<LogOptions> = { level: ["debug", "info", "warn", "error"], write: "a function", verbose: "a boolean", base: "an object", host: "an object" };
const ORDER: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const MAX_CHARS = 2_000;
// Bytes that may wait for whoever reads standard error.
const MAX_WAITING = 1024 * 1024;

/** A log of JSON lines: `at`, `level`, `message` and what there is to say besides. No payload is in it, and no line can be broken in two by what it quotes. */
export function createLog(options: LogOptions = {}): StructuredLog {
  checkOptions(options, "the options of a log", OPTIONS);
  const { level: lowest = "info", verbose = false, base = {}, host = detectHost(), write = toStderr } = options;
  let dropped = 0;
  const line = (level: LogLevel, message: string, members: Readonly<Record<string, unknown>>) => {
    if (ORDER[level] < ORDER[lowest]) return;
    try {
      write(`${JSON.stringify({ at: new Date(host.wallTime()).toISOString(), level, ...base, message: cut(message), ...members })}\n`);
    } catch {
      dropped++;
    }
  };
  return {
    log({ level, message, details, error }) {
      line(level === "warning" ? "warn" : level, message, { ...(details !== undefined && { details }), ...(error !== undefined && { error: shown(error, verbose) }) });
    },
    chain({ level, message, address, event, phase, reason, thrown }) {
      const said = reason === undefined || verbose ? message : "an interceptor failed";
      const error = thrown === undefined ? {} : { error: shown(thrown, verbose) };
      line(level === "warning" ? "warn" : level, said, { interceptor: address, event: event && cut(event), phase, reason, ...error });
    },
    observe(event, upstream) {
      if (event.kind === "blocked") {
        const { verdict, reason, by, code, phase, kind, tool, connection, traceId } = event.decision;
        line("warn", "a message does not go on", { upstream, event: cut(event.event), phase, message_kind: kind, tool: tool && cut(tool), verdict, reason, by, code, connection, traceId });
      } else if (event.kind === "failed" || event.kind === "timed_out") {
        const reason = event.kind === "failed" ? event.reason : "timeout";
        line("error", "an interceptor failed", { upstream, interceptor: event.address, event: cut(event.event), phase: event.phase, mode: event.mode, reason, ms: event.elapsedMs, traceId: event.traceId });
      }
    },
    dropped: () => dropped,
  };
}

function shown(error: unknown, verbose: boolean): Record<string, unknown> {
  try {
    const known = error instanceof LocalError || error instanceof RpcError ? { code: error.code } : {};
    const name = error instanceof Error ? String(error.name) : typeof error;
    return { name: cut(name), ...known, ...(verbose && { text: cut(error instanceof Error ? String(error.message) : String(error)) }) };
  } catch {
    return { name: "an error that cannot be read" };
  }
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}

function toStderr(line: string): void {
  if (process.stderr.writableLength > MAX_WAITING) throw new LocalError("limit_exceeded", "nobody reads standard error");
  process.stderr.write(line);
}
