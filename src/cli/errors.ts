import { describeError, LocalError } from "../core/base/errors.ts";
import { ConfigError, formatProblem, type ConfigProblem } from "../gateway/config/problems.ts";
import type { Secrets } from "../gateway/config/secrets.ts";
import { printable } from "./describe.ts";

/** What the user typed is wrong; shown as one line with a hint, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Why a verb came to nothing. */
export interface Failure {
  /** 2: a word, a file or a configuration is wrong. 1: what was asked for failed. 127: a command could not be started. */
  readonly code: 1 | 2 | 127;
  /** For people: lines, the last with its end. */
  readonly text: string;
  /** For programs. */
  readonly error: { readonly exitCode: number; readonly message: string; readonly hint?: string; readonly problems?: readonly ConfigProblem[] };
}

export interface FailureOptions {
  /** The configuration is what the verb was to judge, so that a fault in it is what it has found. */
  readonly judgesConfig?: boolean;
  /** The verb takes the place of a command, and says as shells do that it could not be started. */
  readonly startsCommand?: boolean;
}

// In characters. They may quote what a server says.
const LONGEST_ERROR = 4000;
const LONGEST_PROBLEM = 2000;

/** What was thrown as a failure: the one place that knows what gives which exit code. */
export function failureOf(thrown: unknown, { judgesConfig = false, startsCommand = false }: FailureOptions = {}): Failure {
  if (thrown instanceof ConfigError) return faultsOf(thrown, judgesConfig);
  const known = thrown instanceof UsageError || thrown instanceof LocalError || isSystemError(thrown);
  const message = printable(known ? thrown.message : `unexpected: ${describeError(thrown)}`, LONGEST_ERROR);
  const hint = thrown instanceof UsageError ? thrown.hint : undefined;
  const code = thrown instanceof UsageError ? 2 : startsCommand && thrown instanceof LocalError && thrown.code === "spawn_failed" ? 127 : 1;
  return { code, text: `mcp-interceptors: ${message}\n${hint === undefined ? "" : `  ${hint}\n`}`, error: { exitCode: code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** What was thrown, without secrets of a configuration. */
export function withoutSecrets(thrown: unknown, { hide, hideInError }: Secrets): unknown {
  if (thrown instanceof UsageError) return new UsageError(hide(thrown.message), thrown.hint === undefined ? undefined : hide(thrown.hint));
  const hidden = hideInError(thrown);
  return hidden !== thrown && isSystemError(thrown) ? new LocalError("refused", hide(thrown.message)) : hidden;
}

/** Why a file cannot be read, in words for what is met most often. */
export function describeUnread(thrown: unknown): string {
  const code = isSystemError(thrown) && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT") return "cannot be read: there is no such file";
  if (code === "EISDIR") return "is a folder; name the file in it";
  if (code === "EACCES") return "cannot be read: that is not permitted";
  return `cannot be read: ${describeError(thrown)}`;
}

/** The same of a file that cannot be written. */
export function describeUnwritten(thrown: unknown): string {
  const code = isSystemError(thrown) && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return "cannot be written: its folder is not there";
  if (code === "EISDIR") return "is a folder; name a file in it";
  if (code === "EACCES" || code === "EROFS") return "cannot be written: that is not permitted";
  if (code === "ENOSPC") return "cannot be written: the disk is full";
  return `cannot be written: ${describeError(thrown)}`;
}

// Such as a port that is taken: what the system says is clear by itself.
function isSystemError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && "syscall" in thrown && "code" in thrown;
}

function faultsOf({ problems, what }: ConfigError, judgesConfig: boolean): Failure {
  const unread = problems.some(({ cause }) => cause === "unread");
  const code = !unread && (judgesConfig || problems.every(({ cause }) => cause === "unanswered")) ? 1 : 2;
  const message = `${what} cannot be used: ${problems.length === 1 ? "1 problem" : `${problems.length} problems`}`;
  const lines = [...problems.map((problem) => printable(formatProblem(problem), LONGEST_PROBLEM)), `mcp-interceptors: ${message}`];
  return { code, text: lines.map((line) => `${line}\n`).join(""), error: { exitCode: code, message, problems } };
}
