import { LocalError } from "../base/errors.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { Signal, SignalLike } from "../base/signal.ts";
import type { RequestOptions } from "../jsonrpc/outgoing.ts";
import type { Transport } from "../transport/transport.ts";
import { describeProblem } from "../wire/check.ts";
import { checkLoggingLevel, type ClientCapabilities, type LoggingLevel } from "../wire/gen/mcp.ts";
import { ENDPOINT_OPTIONS, type EndpointOptions, type SchemaCompiler } from "./endpoint.ts";
import type { Era } from "./lifecycle.ts";

/** How a client behaves, in all its connections. Times are in milliseconds. */
export interface McpClientOptions extends EndpointOptions {
  /** Restricts what is tried. Default `auto`: a server that knows no `server/discover` is asked to `initialize`. */
  readonly era?: "auto" | Era;
  /** How long `server/discover` may stay unanswered before the server is taken for one of the older kind, if it may be; 5,000. */
  readonly probeTimeoutMs?: number;
  /** Added to the capabilities that follow from what is registered. */
  readonly capabilities?: ClientCapabilities;
  /** Values of `resultType` to give back as they are: those of extensions, or `input_required`, to answer such results by hand. */
  readonly resultTypes?: readonly string[];
  /** Checks structured content against the output schemas that `listTools` has seen. Default: our own validator, as on the server. */
  readonly compileSchema?: SchemaCompiler;
  /** Asks a server for what it has announced only; otherwise a call rejects with `unsupported`. Default true. */
  readonly checkCapabilities?: boolean;
  /** How often a request is sent again with input that the server asked for; 10. */
  readonly maxInputRounds?: number;
  /** Bounds a request together with all rounds of input, handlers included, unless its `maxTotalTimeoutMs` is less; 3,600,000. */
  readonly inputTimeoutMs?: number;
  /** Asks for several inputs of one result one after the other, in place of all at once. Default false. */
  readonly inputInOrder?: boolean;
  /** Lists and reads are kept for as long as a stateless server allows; `false` keeps nothing. */
  readonly cache?: boolean;
  /** Names the authorization in use: results marked private are used again under the same name only. */
  readonly principal?: () => string;
  /** Asks for log messages from this level on: once in a handshake revision, with each request in a stateless one. */
  readonly logLevel?: LoggingLevel;
}

const OPTIONS: OptionTable<McpClientOptions> = {
  ...ENDPOINT_OPTIONS,
  era: ["auto", "handshake", "stateless"],
  probeTimeoutMs: "a positive number",
  capabilities: "an object",
  resultTypes: "a list",
  compileSchema: "a function",
  checkCapabilities: "a boolean",
  maxInputRounds: "any",
  inputTimeoutMs: "any",
  inputInOrder: "a boolean",
  cache: "a boolean",
  principal: "a function",
  logLevel: "any",
};

/** How to connect. `signal` gives up. */
export interface ConnectOptions {
  readonly signal?: Signal | SignalLike;
  /**
   * Opens the connection anew, where the server ended or fell silent over `server/discover`, as some do that open with a handshake. It is
   * then asked to `initialize` and nothing else. Called once at most.
   */
  readonly reconnect?: () => Promise<Transport>;
}

/** Options of a client's calls. In a stateless revision `timeoutMs` bounds each round trip, `maxTotalTimeoutMs` all of them together. */
export interface ClientCallOptions extends RequestOptions {
  /** Asks the server even where a kept result is still fresh. */
  readonly fresh?: boolean;
  /** Asks for log messages of this request, from this level on (stateless revisions; before, the level is the connection's). */
  readonly logLevel?: LoggingLevel;
}

/** Throws `invalid_argument` for options that say what cannot be. */
export function checkClientOptions(options: McpClientOptions): void {
  checkOptions(options, "the options of a client", OPTIONS);
}

/** Refuses what is no level of the protocol, with `invalid_argument`. */
export function requireLevel(level: LoggingLevel): void {
  const found = checkLoggingLevel(level);
  if (found !== undefined) throw new LocalError("invalid_argument", describeProblem(found, "the log level"));
}
