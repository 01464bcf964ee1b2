import type { Host } from "../base/host.ts";
import type { Limits } from "../base/limits.ts";
import type { OptionTable } from "../base/options.ts";
import type { Log } from "../jsonrpc/log.ts";
import type { PeerContext } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import type { RequestMessage } from "../wire/message.ts";
import type { Authenticate } from "./authentication.ts";
import type { EventStore } from "./event-store.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import type { HostCheckOptions } from "./host-check.ts";
import type { ParamHeader } from "./param-headers.ts";

/** The input schema of a tool, `undefined` where there is no such tool. */
export type ToolSchemas = (name: string) => unknown;

/** Parameters of tools that calls repeat in headers, for a server that is told of its tools by another one. */
export interface ToolParams {
  /** Those of a tool; `undefined` where it is not known. */
  of(tool: string): readonly ParamHeader[] | undefined;
  /**
   * Asked before a call of a tool that is not known, or one that does not fit, is looked at for the last time. Settles when more is known; `undefined`
   * where nothing can be learnt now. Never rejects.
   */
  learn(call: RequestMessage, from: PeerContext): Promise<void> | undefined;
}

/** How a server over HTTP behaves, whatever carries its requests. Times are in milliseconds. */
export interface HttpServerOptions extends HostCheckOptions {
  /** Revisions to speak, of both eras; all that this build knows by default. */
  readonly versions?: readonly string[];
  /** Says who calls, before a body is read. Without it everybody may, as nobody in particular. */
  readonly authenticate?: Authenticate;
  /** URL of the Protected Resource Metadata (RFC 9728), for the challenge of a 401. */
  readonly resourceMetadata?: string;
  /** Makes the streams of the handshake revisions resumable. None by default. */
  readonly eventStore?: EventStore;
  /** A stream that has been silent for so long gets a comment. Default 15,000 ms. */
  readonly keepAliveMs?: number;
  /** A request that is still not answered gets a stream. Default 5,000 ms. */
  readonly streamAfterMs?: number;
  /** A reader that takes nothing for so long is cut off. Default 30,000 ms. */
  readonly stallMs?: number;
  /** Ends a resumable stream's connection after so long, to be polled from then on (2025-11-25). Default: never. See also `releaseStream`. */
  readonly releaseAfterMs?: number;
  /** How long clients wait before they come back to such a stream. Default 1,000 ms. */
  readonly retryMs?: number;
  /** A session that nobody has used for so long ends. Default 30 minutes. */
  readonly sessionIdleMs?: number;
  /** How long `close` waits for answers on their way. Default 1,000 ms. */
  readonly closeGraceMs?: number;
  /** What ids of sessions begin with, so that whoever stands in front can tell by them where a session is; the rest cannot be guessed. */
  readonly sessionPrefix?: string;
  /** Has a stateless message answered elsewhere, once all that its headers and its sender need is checked; `undefined`: it is served here. */
  readonly passOn?: (request: HttpRequest, frame: Frame) => Promise<HttpResponse> | undefined;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
}

export const HTTP_SERVER_OPTIONS: OptionTable<HttpServerOptions> = {
  allowedHosts: "any",
  allowedOrigins: "any",
  versions: "a list",
  authenticate: "a function",
  resourceMetadata: "a string",
  eventStore: "an object",
  keepAliveMs: "a positive number",
  streamAfterMs: "a positive number",
  stallMs: "a positive number",
  releaseAfterMs: "a positive number",
  retryMs: "a positive number",
  sessionIdleMs: "a positive number",
  closeGraceMs: "a positive number",
  sessionPrefix: "a string",
  passOn: "a function",
  host: "an object",
  limits: "an object",
  log: "a function",
};

const TIMES = {
  keepAliveMs: 15_000,
  streamAfterMs: 5_000,
  stallMs: 30_000,
  retryMs: 1_000,
  sessionIdleMs: 1_800_000,
  closeGraceMs: 1_000,
} as const;

export type HttpServerTimes = Readonly<Record<keyof typeof TIMES, number>> & { readonly releaseAfterMs: number | undefined };

/** The times of a server, defaults filled in. */
export function resolveTimes(options: HttpServerOptions): HttpServerTimes {
  const { releaseAfterMs } = options;
  const times: Record<keyof typeof TIMES, number> = { ...TIMES };
  // Of an object literal above: its keys are all that there are.
  for (const name of Object.keys(TIMES) as (keyof typeof TIMES)[]) times[name] = options[name] ?? TIMES[name];
  return { ...times, releaseAfterMs };
}
