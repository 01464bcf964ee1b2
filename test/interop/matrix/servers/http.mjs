// What the official servers need to be reached over HTTP: a port, and an event store.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export const NO_SESSION = { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null };

export function noSession(response) {
  response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(NO_SESSION));
}

/** Serves `handle(request, response)` on a free port; `end` ends what is behind it. */
export async function listenNode(handle, end) {
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    async close() {
      await end();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The same for a handler of the web's requests. */
export function listenWeb(handle, end) {
  return listenNode(async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const body = request.method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
    const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
    const answer = await handle(new Request(`http://127.0.0.1${request.url}`, { method: request.method, headers, signal: gone.signal, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    if (answer.body === null) response.end();
    // A reader that has left is no fault.
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  }, end);
}

/** Keeps all events of one session, in the shape that both official lines share. */
export function eventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message }) - 1),
    getStreamIdForEventId: async (id) => events[Number(id)]?.stream,
    async replayEventsAfter(id, { send }) {
      const { stream } = events[Number(id)] ?? {};
      for (const [at, event] of events.entries()) {
        // A priming event is no message.
        if (at > Number(id) && event.stream === stream && Object.keys(event.message).length > 0) await send(String(at), event.message);
      }
      return stream ?? "";
    },
  };
}
