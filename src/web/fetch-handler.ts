import { joinBytes } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { createSignal } from "../core/base/signal.ts";
import type { HttpRequest, HttpResponse, TextSource } from "../core/http/exchange.ts";
import { createHttpServer, type HttpServer } from "../core/http/http-server.ts";
import type { HttpServerOptions } from "../core/http/http-server-options.ts";
import { headerMap } from "./header-map.ts";

/** An HTTP server for runtimes that hand over a `Request`: workers, Deno, Bun. */
export interface FetchHandler extends HttpServer {
  /** Answers one request; may be taken apart from the rest: `export default { fetch: handler.fetch }`. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Serves MCP where requests come as WHATWG ones: workers, Deno, Bun. All paths are the endpoint; whoever has others answers them before. Say in
 * `allowedHosts` by which names clients reach it: by default only `localhost` and its like are let in.
 */
export function fetchHandler(options: HttpServerOptions = {}): FetchHandler {
  const server = createHttpServer(options);
  return { ...server, fetch: async (request) => toResponse(await server.handle(toRequest(request)), request.signal) };
}

/** A WHATWG request as the server reads it. */
function toRequest(request: Request): HttpRequest {
  const { pathname, search, host } = new URL(request.url);
  const headers = headerMap(request.headers);
  // Not every runtime shows it among the headers; the URL has what it said.
  if (!headers.has("host")) headers.set("host", host);
  return {
    method: request.method.toUpperCase(),
    path: pathname,
    query: search.slice(1),
    headers,
    signal: createSignal(request.signal).signal,
    body: (maxBytes) => readBody(request, maxBytes),
  };
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    let chunk: Uint8Array | undefined;
    try {
      chunk = (await reader.read()).value;
    } catch (cause) {
      throw new LocalError("closed", "the body ended early", { cause });
    }
    if (chunk === undefined) break;
    bytes += chunk.length;
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => {});
      throw new LocalError("limit_exceeded", `the body has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

function toResponse({ status, headers, body }: HttpResponse, signal: AbortSignal): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  if (typeof body !== "object") return new Response(body ?? null, init);
  return new Response(toStream(body, signal), init);
}

// Nothing is pulled ahead of the reader: what waits, waits in the source, under its limits.
// A client that is gone is told by either: the body's cancellation or the request's signal.
function toStream(source: TextSource, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let leave = () => {};
  const over = () => signal.removeEventListener("abort", leave);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        source.opened(() => {
          over();
          controller.error(new LocalError("closed", "the reader took nothing for too long"));
        });
        leave = () => {
          controller.error(new LocalError("aborted", "the client has closed the connection"));
          source.cancel();
        };
        signal.addEventListener("abort", leave, { once: true });
        if (signal.aborted) leave();
      },
      async pull(controller) {
        const text = await source.next();
        if (signal.aborted) return;
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        over();
        controller.close();
      },
      cancel() {
        over();
        source.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
