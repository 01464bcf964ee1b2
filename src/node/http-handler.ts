import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import { Server, type AddressInfo, type Socket } from "node:net";
import { LocalError } from "../core/base/errors.ts";
import { resolveLimits, type Limits } from "../core/base/limits.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { OwnSignal } from "../core/base/signal.ts";
import type { HeaderMap, HttpHandler, HttpRequest, TextSource } from "../core/http/exchange.ts";

/** Where and how a handler is served by `node:http`. */
export interface HandlerOptions {
  /** 0, the default, takes any free one. */
  readonly port?: number;
  /** The address to listen on; only this machine reaches the default, 127.0.0.1. */
  readonly host?: string;
  /** Listens on this path (a Unix domain socket, a named pipe) in place of a port, and in this process alone if it is one of a cluster. */
  readonly socketPath?: string;
  /** Serves connections that another process has accepted, in place of listening. */
  readonly intake?: Intake;
  /** Takes a request over before anything but its head is read; false leaves it to the handler. `held`: the client waits to be asked for the body. */
  readonly divert?: (message: IncomingMessage, response: ServerResponse, held: boolean) => boolean;
  /** How long a request's headers may take to come. Default 10,000 ms. */
  readonly headerTimeoutMs?: number;
  /** How long a whole request may take to come, headers and body. Default 30,000 ms. */
  readonly requestTimeoutMs?: number;
  /**
   * How long an idle connection is kept for another request. Default 75,000 ms: longer than the usual proxies keep theirs, so that it is not this
   * side which closes one just as a request comes.
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * What nobody has read of a body is let through, however long it is. Otherwise the answer ends the connection, and a sender that is still writing may
   * not see it. For senders that are trusted.
   */
  readonly readsOn?: boolean;
  readonly limits?: Partial<Limits>;
}

export const HANDLER_OPTIONS: OptionTable<HandlerOptions> = {
  port: "a number",
  host: "a string",
  socketPath: "a string",
  intake: "an object",
  divert: "a function",
  headerTimeoutMs: "a number",
  requestTimeoutMs: "a number",
  keepAliveTimeoutMs: "a number",
  readsOn: "a boolean",
  limits: "an object",
};

/** Gives connections of which nothing has been read. */
export interface Intake {
  /** Where they come in. */
  readonly port: number;
  /** `take` gets each from now on. */
  open(take: (socket: Socket) => void): void;
  /** None is given any more. */
  close(): void;
}

/** A port that is being listened on. */
export interface HandlerServer {
  /** `http://127.0.0.1:3000`, without a path; `unix:` and its path of a socket. */
  readonly origin: string;
  /** 0 of a socket. */
  readonly port: number;
  /** Answers end their connections from now on (but 202, after which a client has more to say). New ones are taken still. */
  retire(): void;
  /** Retires, and takes no new connection. What is idle is kept. */
  stop(): void;
  /**
   * Stops, and ends connections that are idle for half a second: what was on its way is still answered. Settles when all have ended; those still
   * busy after `graceMs`, 1,000 by default, are cut.
   */
  close(graceMs?: number): Promise<void>;
}

/** How long a request may have been on its way on a connection that is about to end. */
const IDLE_GRACE_MS = 500;
/** Above twice `maxHttpRequests`: whoever comes when too much goes on is told so, and not cut. */
const SPARE_CONNECTIONS = 1_000;
const READ_THROUGH_BYTES = 65_536;

/** Serves any handler over `node:http`. Resolves once it listens; rejects with what Node says where it cannot. */
export async function listenHandler(handler: HttpHandler, options: HandlerOptions = {}): Promise<HandlerServer> {
  checkOptions(options, "the options of a listener", HANDLER_OPTIONS);
  const { port = 0, host = "127.0.0.1", socketPath, intake, divert = () => false, headerTimeoutMs = 10_000, requestTimeoutMs = 30_000, keepAliveTimeoutMs = 75_000, readsOn = false } = options;
  const limits = resolveLimits(options.limits);
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: Math.min(headerTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      // Slow senders are looked for this often.
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, headerTimeoutMs, requestTimeoutMs)),
    },
    (message, response) => take(message, response, false),
  );
  // Without this Node asks for every body, those of requests that are about to be refused among them.
  server.on("checkContinue", (message, response) => take(message, response, true));
  // With the number of requests that each is being answered.
  const connections = new Map<Socket, number>();
  server.on("connection", (socket) => {
    connections.set(socket, 0);
    socket.on("close", () => {
      connections.delete(socket);
      if (stopped && connections.size === 0) settleClosed();
    });
  });
  let retired = false;
  let stopped = false;
  const take = (message: IncomingMessage, response: ServerResponse, held: boolean) => {
    const { socket } = message;
    const count = (by: number) => {
      const before = connections.get(socket);
      if (before !== undefined) connections.set(socket, before + by);
    };
    count(1);
    response.on("close", () => count(-1));
    // The grace of an idle connection ends with the request that it was for.
    if (stopped) socket.setTimeout(0);
    // Where clients send the next request before they have the answer, it is the last answer that ends the connection.
    const isLast = () => retired && connections.get(socket) === 1;
    if (!divert(message, response, held)) serveOne(handler, message, response, { held, readsOn, isLast });
  };
  server.maxConnections = limits.maxHttpRequests * 2 + SPARE_CONNECTIONS;
  if (intake !== undefined) takeFrom(intake, server, () => connections.size);
  else await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath === undefined ? { port, host } : { path: socketPath, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Such as too many open files: the listener lives on.
  server.on("error", () => {});
  const taken = intake?.port ?? (socketPath === undefined ? (server.address() as AddressInfo).port : 0); // it listens on a port then
  let closed: Promise<void> | undefined;
  let settleClosed!: () => void;
  const allEnded = new Promise<void>((resolve) => (settleClosed = resolve));
  const stop = () => {
    if (stopped) return;
    retired = stopped = true;
    intake?.close();
    // Not that of http, which ends idle connections too.
    Server.prototype.close.call(server);
    if (connections.size === 0) settleClosed();
  };
  const close = async (graceMs: number) => {
    stop();
    server.keepAliveTimeout = Math.min(IDLE_GRACE_MS, graceMs);
    for (const [socket, requests] of connections) if (requests === 0) socket.setTimeout(server.keepAliveTimeout);
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await allEnded;
    clearTimeout(timer);
    // Ends what http watches connections by.
    server.close();
  };
  return {
    origin: socketPath === undefined ? `http://${host.includes(":") ? `[${host}]` : host}:${taken}` : `unix:${socketPath}`,
    port: taken,
    retire: () => void (retired = true),
    stop,
    close: (graceMs = 1_000) => (closed ??= close(graceMs)),
  };
}

function takeFrom(intake: Intake, server: HttpServer, connected: () => number): void {
  intake.open((socket) => {
    if (connected() >= server.maxConnections) return void socket.destroy();
    // As of what Node's servers for HTTP accept themselves.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    server.emit("connection", socket);
  });
  // Node looks for slow senders from here on.
  server.emit("listening");
}

// A handler that fails, or answers what cannot be sent, fails for this request alone; what it says is nothing for the client.
function serveOne(handler: HttpHandler, message: IncomingMessage, response: ServerResponse, how: Serving): void {
  answer(handler, message, response, how).catch(() => {
    if (response.headersSent) response.destroy();
    else response.writeHead(500, "Internal Server Error", { connection: "close", "content-length": "0" }).end();
  });
}

interface Serving {
  /** The client waits to be asked for the body. */
  readonly held: boolean;
  readonly readsOn: boolean;
  readonly isLast: () => boolean;
}

async function answer(handler: HttpHandler, message: IncomingMessage, response: ServerResponse, { held, readsOn, isLast }: Serving): Promise<void> {
  const request = new NodeRequest(message, response, held);
  const { status, headers, body } = await handler(request);
  if (response.destroyed || response.writableEnded) {
    if (typeof body === "object") body.cancel();
    return;
  }
  const flat: string[] = [];
  for (const [name, value] of headers) flat.push(name, value);
  // A body that nobody has read is read through before the connection takes another request: not a long one, nor one of unknown length, nor one
  // that may not come at all.
  const long = held || (!readsOn && !(Number(request.headers.get("content-length")) <= READ_THROUGH_BYTES));
  if ((!message.complete && !request.read && long) || (status !== 202 && isLast())) flat.push("connection", "close");
  if (typeof body === "object") {
    response.writeHead(status, flat);
    response.flushHeaders();
    await pipe(body, response);
    return;
  }
  if (status !== 204 && status !== 304) flat.push("content-length", String(body === undefined ? 0 : Buffer.byteLength(body)));
  response.writeHead(status, flat);
  response.end(body);
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HeaderMap;
  readonly signal = new OwnSignal();
  /** Whether somebody has asked for the body. */
  read = false;
  readonly #message: IncomingMessage;
  // Where the client waits to be asked for the body.
  readonly #held: ServerResponse | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, held: boolean) {
    const { method = "GET" } = message;
    const headers = toHeaders(message);
    let { url = "/" } = message;
    // In this form, as sent to proxies, it is the target that says for whom the request is (RFC 9112, 3.2.2).
    const absolute = url.startsWith("/") ? null : /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
    if (absolute !== null) {
      const [, authority = "", rest = ""] = absolute;
      headers.set("host", authority);
      url = rest.startsWith("/") ? rest : `/${rest}`;
    }
    const question = url.indexOf("?");
    this.method = method;
    this.path = question < 0 ? url : url.slice(0, question);
    this.query = question < 0 ? "" : url.slice(question + 1);
    this.headers = headers;
    this.#message = message;
    this.#held = held ? response : undefined;
    response.on("close", () => {
      if (!response.writableFinished) this.signal.fire(new LocalError("aborted", "the client has closed the connection"));
    });
    // A broken socket is told by `close`; without a listener it would end the process.
    response.on("error", () => {});
  }

  body(maxBytes: number): Promise<Uint8Array> {
    this.read = true;
    this.#held?.writeContinue();
    return readBody(this.#message, maxBytes);
  }
}

// From the list as it came: Node's own object keeps the first of some headers that come twice, where another hop may keep the last.
function toHeaders({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const value = rawHeaders[at + 1]!;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

function readBody(message: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: LocalError) => {
      chunks.length = 0;
      message.off("data", onData);
      // What still comes is let through unread, until the request timeout.
      message.resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(new LocalError("limit_exceeded", `the body has more than ${maxBytes} bytes`));
      else chunks.push(chunk);
    };
    message.on("data", onData);
    message.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    message.on("error", () => fail(new LocalError("closed", "the body ended early")));
    message.on("close", () => {
      if (!message.complete) fail(new LocalError("closed", "the body ended early"));
    });
  });
}

async function pipe(source: TextSource, response: ServerResponse): Promise<void> {
  let gone = false;
  let wake: (() => void) | undefined;
  const leave = () => {
    if (gone || response.writableFinished) return;
    gone = true;
    source.cancel();
    wake?.();
  };
  response.on("close", leave);
  source.opened(() => response.destroy());
  for (;;) {
    const text = await source.next();
    if (gone) return;
    if (text === undefined) break;
    if (!response.write(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        response.once("drain", resolve);
      });
      if (gone) return;
    }
  }
  gone = true;
  response.end();
}
