import { LocalError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkLoggingLevel, checkSetLevelParams, type LoggingLevel } from "../../wire/gen/mcp.ts";
import { META } from "../../wire/versions.ts";
import { invalidParams, type Era } from "../lifecycle.ts";
import type { ServerLink } from "./server-link.ts";

/** `data` is a sentence, or any JSON; `logger` the part of the server that speaks. */
export type SendLog = (level: LoggingLevel, data: unknown, logger?: string) => Promise<void>;

// RFC 5424, the least first.
const LEVELS: readonly LoggingLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Answers `logging/setLevel`, for this session alone. */
export function setLevel(params: JsonObject, link: ServerLink): JsonObject {
  const problem = checkSetLevelParams(params);
  if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
  link.logLevel = params["level"] as LoggingLevel; // just checked
  return {};
}

/** The least level that one request wants in a stateless revision; `undefined` where it wants none (2026-07-28, server/utilities/logging). */
function requestLogLevel(meta: JsonObject): LoggingLevel | undefined {
  return Object.hasOwn(meta, META.logLevel) ? (meta[META.logLevel] as LoggingLevel) : undefined; // `admit` has looked at it
}

/** The least level for an exchange. Before `logging/setLevel` a session gets all, as the older revisions leave it to the server. */
export function wantedLevel(era: Era, meta: JsonObject, link: ServerLink): LoggingLevel | undefined {
  return era === "stateless" ? requestLogLevel(meta) : (link.logLevel ?? "debug");
}

export interface LoggerParts {
  /** Whether the server has announced that it logs. */
  readonly announced: boolean;
  wanted(): LoggingLevel | undefined;
  notify(method: string, params: JsonObject): Promise<void>;
}

/**
 * What a handler calls. Throws at once for a mistake in the program: an unknown level, or a server that has not announced `logging`.
 * Whether the message could be sent is not reported.
 */
export function createSendLog({ announced, wanted, notify }: LoggerParts): SendLog {
  return (level, data, logger) => {
    assertLoggable(level, announced);
    const least = wanted();
    if (least === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(least)) return Promise.resolve();
    const content = { data: data === undefined ? null : data };
    return notify("notifications/message", logger === undefined ? { level, ...content } : { level, logger, ...content }).catch(() => {});
  };
}

/**
 * To all sessions that want the level: a stateless client has no stream that a message outside of its requests could go to. Nobody waits for these, so
 * a session that does not take them, until `max` are on their way to it, misses what follows.
 */
export function logToSessions(links: Iterable<ServerLink>, announced: boolean, max: number, ...[level, data, logger]: Parameters<SendLog>): void {
  assertLoggable(level, announced);
  for (const link of links) {
    if (link.session === undefined || link.logging >= max) continue;
    link.logging++;
    const send = createSendLog({ announced, wanted: () => wantedLevel("handshake", {}, link), notify: link.peer.notify });
    void send(level, data, logger).then(() => link.logging--);
  }
}

function assertLoggable(level: unknown, announced: boolean): void {
  const problem = checkLoggingLevel(level);
  if (problem !== undefined) throw new LocalError("invalid_argument", describeProblem(problem, "the log level"));
  if (!announced) throw new LocalError("unsupported", "this server does not log to clients: give it the capability logging: {}");
}
