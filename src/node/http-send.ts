import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { LocalError } from "../core/base/errors.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { givenUp, type ByteSource, type HttpAnswer, type HttpCall, type HttpSend } from "../core/http/exchange.ts";

/** How connections are made and kept. Times are in milliseconds. */
export interface HttpSendOptions {
  /** How long a connection is kept open for the next request, unless the server says less; 4,000, which is below what most servers wait. */
  readonly keepAliveMs?: number;
  /** Connections to one server at a time; no bound by default. Requests above it wait. */
  readonly maxConnections?: number;
  /** Connects to this Unix domain socket, or named pipe, wherever the URL says that it is. */
  readonly socketPath?: string;
  /** Certificate authorities to trust in place of Node's, in PEM. */
  readonly ca?: string | readonly string[];
}

const OPTIONS: OptionTable<HttpSendOptions> = { keepAliveMs: "a positive number", maxConnections: "a number", socketPath: "a string", ca: "any" };

/** An `HttpSend` over connections of its own. Idle ones keep no process alive; `close` ends all of them, and what they carry. */
export interface NodeHttpSend extends HttpSend {
  close(): void;
}

/**
 * Sends over `node:http` and `node:https`, on connections that are used again. `delivery` is `none` until a connection stands: of one that breaks
 * after that, and before any byte of the answer, nobody knows what the server has read, least of all of one that was used before.
 */
export function createHttpSend(options: HttpSendOptions = {}): NodeHttpSend {
  checkOptions(options, "the options of createHttpSend", OPTIONS);
  const { keepAliveMs = 4_000, maxConnections = Infinity, socketPath, ca } = options;
  if (!(keepAliveMs > 0 && maxConnections >= 1)) throw new LocalError("invalid_argument", "keepAliveMs and maxConnections are positive numbers");
  const pool = { keepAlive: true, timeout: keepAliveMs, maxSockets: maxConnections, maxFreeSockets: 256 };
  const plain = new HttpAgent(pool);
  const secure = new HttpsAgent({ ...pool, ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }) });
  const seen = new WeakSet<object>();
  let last: { readonly url: string; readonly options: RequestOptions; readonly host: string } | undefined;

  const target = (url: string) => {
    if (last?.url !== url) {
      if (!URL.canParse(url)) throw new LocalError("invalid_argument", `${JSON.stringify(url)} is no URL`, { details: { delivery: "none" } });
      const parsed = new URL(url);
      const { protocol, hostname, port, path } = urlToHttpOptions(parsed);
      // Without credentials that the URL may have: they belong into headers.
      last = { url, options: { protocol, hostname, port, path, socketPath, agent: protocol === "https:" ? secure : plain }, host: parsed.host };
    }
    return last;
  };

  const send = (call: HttpCall): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      if (call.signal.aborted) return reject(givenUp(call.signal));
      const { options, host } = target(call.url);
      // As a flat list they are written as they are, which takes half the time.
      const headers = ["host", host, "accept-encoding", "identity"];
      for (const [name, value] of call.headers) headers.push(name, value);
      if (call.body !== undefined) headers.push("content-length", String(Buffer.byteLength(call.body)));
      const request = (options.protocol === "https:" ? httpsRequest : httpRequest)({
        // One by one: an object that is spread and then added to gets a hidden class of its own each time, which lasts until a full collection.
        protocol: options.protocol,
        hostname: options.hostname,
        port: options.port,
        path: options.path,
        socketPath: options.socketPath,
        agent: options.agent,
        method: call.method,
        headers,
      });
      let connected = false;
      const unlink = call.signal.onAbort(() => {
        reject(givenUp(call.signal));
        request.destroy();
      });
      request.on("socket", (socket) => {
        // One that was handed over by another request is connected, though it does not always count as reused.
        const known = seen.has(socket);
        seen.add(socket);
        if (known) connected = true;
        else socket.once(options.protocol === "https:" ? "secureConnect" : "connect", () => (connected = true));
      });
      request.on("response", (response) => {
        const encoding = response.headers["content-encoding"] ?? "identity";
        if (encoding === "identity") return resolve(answerOf(response, request, unlink));
        unlink();
        request.destroy();
        reject(new LocalError("closed", `the answer is encoded as ${encoding}, which was not asked for`, { details: { delivery: "unknown" } }));
      });
      request.on("error", (cause) => {
        unlink();
        reject(new LocalError("closed", describeCause(cause), { details: { delivery: connected ? "unknown" : "none" }, cause }));
      });
      request.end(call.body);
    });

  return Object.assign(send, {
    close() {
      plain.destroy();
      secure.destroy();
    },
  });
}

// Where several addresses were tried, the message is empty, and the code alone says why.
function describeCause(cause: Error & { readonly code?: unknown }): string {
  return cause.message !== "" ? cause.message : typeof cause.code === "string" ? cause.code : cause.name;
}

function answerOf(response: IncomingMessage, request: ClientRequest, unlink: () => void): HttpAnswer {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return { status: response.statusCode ?? 0, headers, body: bodyOf(response, request, unlink) };
}

function bodyOf(response: IncomingMessage, request: ClientRequest, unlink: () => void): ByteSource {
  let ended = false;
  let broken: Error | undefined;
  let wake: (() => void) | undefined;
  const changed = () => {
    const waiting = wake;
    wake = undefined;
    waiting?.();
  };
  response.on("readable", changed);
  response.on("end", () => {
    ended = true;
    unlink();
    changed();
  });
  response.on("error", (error) => {
    broken ??= error;
    changed();
  });
  response.on("close", () => {
    unlink();
    changed();
  });
  return {
    async next() {
      for (;;) {
        // Of the stream's own type it may be anything; without an encoding it is bytes.
        const chunk = response.read() as Buffer | null;
        if (chunk !== null) return chunk;
        if (ended) return undefined;
        if (broken !== undefined || response.closed) throw new LocalError("closed", "the connection was cut", { cause: broken });
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    cancel() {
      if (!ended) request.destroy();
    },
  };
}
