import { LocalError } from "../core/base/errors.ts";
import { checkOptions, pickOptions, type OptionTable } from "../core/base/options.ts";
import type { HttpHandler } from "../core/http/exchange.ts";
import { isLoopback, loopbackHosts } from "../core/http/host-check.ts";
import { createHttpServer, type HttpServer } from "../core/http/http-server.ts";
import { HTTP_SERVER_OPTIONS, type HttpServerOptions } from "../core/http/http-server-options.ts";
import { badRequest } from "../core/http/http-responses.ts";
import { HANDLER_OPTIONS, listenHandler, type HandlerOptions } from "./http-handler.ts";
import { nodeHost } from "./host.ts";

/** Where an MCP endpoint listens, and how it behaves. */
export interface ListenOptions extends Omit<HttpServerOptions, "host">, Omit<HandlerOptions, "host"> {
  /**
   * The address to listen on. Default 127.0.0.1, which only this machine reaches. On another one `allowedHosts` must say by which names clients reach
   * this server.
   */
  readonly host?: string;
  /** The path of the MCP endpoint. Default `/mcp`. */
  readonly path?: string;
  /** Answers requests to other paths, such as those of Protected Resource Metadata; nothing of them has been checked. Default: 404. */
  readonly otherwise?: HttpHandler;
}

export const LISTEN_OPTIONS: OptionTable<ListenOptions> = { ...HTTP_SERVER_OPTIONS, ...HANDLER_OPTIONS, path: "a string", otherwise: "a function" };

/** An MCP endpoint that listens on a port. */
export interface HttpListener extends Omit<HttpServer, "handle" | "holds"> {
  /** Where the MCP endpoint is, such as `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  readonly port: number;
}

/** Serves MCP over HTTP: `const listener = await listenHttp({ port: 3000 }); serve(server, listener)`. */
export async function listenHttp(options: ListenOptions = {}): Promise<HttpListener> {
  checkOptions(options, "the options of listenHttp", LISTEN_OPTIONS);
  const { host = "127.0.0.1", path = "/mcp", closeGraceMs = 1_000, otherwise = nothingHere, ...rest } = options;
  if (!path.startsWith("/")) throw new LocalError("invalid_argument", "path begins with /");
  if (rest.allowedHosts === undefined && !isLoopback(host)) {
    throw new LocalError("invalid_argument", `a server on ${host} needs allowedHosts: the names that clients call it by, or "any"`);
  }
  const allowedHosts = rest.allowedHosts ?? loopbackHosts(host);
  const server = createHttpServer({ ...pickOptions(rest, HTTP_SERVER_OPTIONS), allowedHosts, closeGraceMs, host: nodeHost() });
  const handler: HttpHandler = (request) => (request.path === path ? server.handle(request) : otherwise(request));
  const listening = await listenHandler(handler, { ...pickOptions(rest, HANDLER_OPTIONS), host });
  const { origin, port } = listening;
  return {
    url: `${origin}${path}`,
    port,
    accept: server.accept,
    describeTools: server.describeTools,
    drain: server.drain,
    stats: server.stats,
    async close() {
      // The port first, so that no client comes to a server that is about to end.
      listening.stop();
      await server.close();
      await listening.close();
    },
  };
}

const nothingHere: HttpHandler = () => Promise.resolve(badRequest("There is nothing here", undefined, 404));
