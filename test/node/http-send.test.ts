import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { utf8Decode } from "../../src/core/base/bytes.ts";
import { LocalError } from "../../src/core/base/errors.ts";
import { createSignal, type Signal } from "../../src/core/base/signal.ts";
import type { HttpAnswer, HttpCall } from "../../src/core/http/exchange.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { fetchSend } from "../../src/web/fetch-send.ts";
import { NEVER } from "../support/never.ts";

// Sockets on loopback: the one place where an adapter meets the real thing. Real time, in milliseconds.

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(handler: Handler, use: (url: string, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A server that reads a request and then does with the socket what it is told to. */
async function rawServing(onData: (socket: Socket, count: number) => void, use: (url: string) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => onData(socket, ++count));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const post = (url: string, signal: Signal = NEVER): HttpCall => ({ method: "POST", url, headers: [["content-type", "application/json"], ["x-a", "1"]], body: '{"é":1}', signal });

async function text({ body }: HttpAnswer): Promise<string> {
  let all = "";
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) all += utf8Decode(chunk);
  return all;
}

const says = (code: string, delivery?: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof LocalError, String(thrown));
  assert.deepEqual([thrown.code, thrown.details?.["delivery"]], [code, delivery]);
  return true;
};

const ADAPTERS = [
  ["createHttpSend of Node", () => createHttpSend()],
  ["fetchSend", () => Object.assign(fetchSend(), { close() {} })],
] as const;

for (const [name, make] of ADAPTERS) {
  describe(name, () => {
    const check = (title: string, body: (send: ReturnType<typeof make>) => Promise<void>) =>
      it(title, async () => {
        const send = make();
        try {
          await body(send);
        } finally {
          send.close();
        }
      });

    check("sends a request, and gives status, headers and body as they are", async (send) => {
      const handler: Handler = async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        response.writeHead(404, { "Content-Type": "text/plain", "X-B": ["1", "2"] });
        response.end([request.method, request.url, request.headers["x-a"], request.headers["content-length"], Buffer.concat(chunks).toString()].join(" "));
      };
      await serving(handler, async (url) => {
        const answer = await send(post(url));
        assert.deepEqual([answer.status, answer.headers.get("content-type"), answer.headers.get("x-b")], [404, "text/plain", "1, 2"]);
        assert.equal(await text(answer), 'POST /mcp?x=1 1 8 {"é":1}');
        assert.equal(await answer.body.next(), undefined);
      });
    });

    check("gives a body piece by piece as it comes", async (send) => {
      let go!: () => void;
      const handler: Handler = (_request, response) => {
        response.writeHead(200).write("one");
        go = () => response.end("two");
      };
      await serving(handler, async (url) => {
        const answer = await send({ method: "GET", url, headers: [], signal: NEVER });
        assert.equal(utf8Decode((await answer.body.next())!), "one");
        go();
        assert.equal(await text(answer), "two");
      });
    });

    check("gives a redirect as an answer", async (send) => {
      await serving((_request, response) => void response.writeHead(307, { location: "/other" }).end(), async (url) => {
        const answer = await send(post(url));
        assert.equal(answer.status, 307);
        answer.body.cancel();
      });
    });

    check("says that nothing was delivered where nobody listens", async (send) => {
      let closed = "";
      await serving(() => {}, async (url) => void (closed = url));
      await assert.rejects(send(post(closed)), says("closed", "none"));
    });

    check("does not know what was delivered where the connection breaks before the answer", async (send) => {
      await rawServing((socket) => socket.destroy(), async (url) => {
        await assert.rejects(send(post(url)), says("closed", "unknown"));
      });
    });

    check("rejects the body of a connection that breaks in mid-answer", async (send) => {
      await rawServing(
        (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", () => socket.end()),
        async (url) => {
          const answer = await send(post(url));
          await assert.rejects(text(answer), says("closed"));
        },
      );
    });

    check("gives a request up before its answer, and in the middle of it; the server sees the stream closed", async (send) => {
      let gone = 0;
      const handler: Handler = (request, response) => {
        response.on("close", () => gone++);
        if (request.headers["x-a"] !== undefined) response.writeHead(200).write("one");
      };
      await serving(handler, async (url) => {
        const early = createSignal();
        const pending = send({ method: "GET", url, headers: [], signal: early.signal });
        setImmediate(() => early.abort("why"));
        await assert.rejects(pending, says("aborted"));
        const late = createSignal();
        const answer = await send(post(url, late.signal));
        await answer.body.next();
        const rest = answer.body.next();
        late.abort("why");
        await assert.rejects(rest, says("closed"));
        const cancelled = await send(post(url));
        await cancelled.body.next();
        cancelled.body.cancel();
        for (let turn = 0; gone < 2 && turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
        assert.ok(gone >= 2, `${gone} streams were closed`);
        await assert.rejects(send(post(url, late.signal)), says("aborted"));
      });
    });
  });
}

describe("createHttpSend of Node, in what fetch does not say", () => {
  it("uses a connection again", async () => {
    const send = createHttpSend();
    const ports = new Set<number | undefined>();
    const handler: Handler = (request, response) => {
      ports.add(request.socket.remotePort);
      response.end("ok");
    };
    await serving(handler, async (url) => {
      for (let count = 0; count < 5; count++) await text(await send(post(url)));
      assert.equal(ports.size, 1);
    });
    send.close();
  });

  it("does not know what was delivered over a connection that was used before, whoever had it", async () => {
    const send = createHttpSend({ maxConnections: 1 });
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    await rawServing((socket, count) => (count === 1 ? socket.write(answer) : socket.resetAndDestroy()), async (url) => {
      // The second one waits for the connection of the first.
      const both = [send(post(url)), send(post(url))];
      assert.equal(await text(await both[0]!), "ok");
      await assert.rejects(both[1]!, says("closed", "unknown"));
    });
    send.close();
  });

  it("lets no answer be late: keepAliveMs is for idle connections alone", async () => {
    const send = createHttpSend({ keepAliveMs: 20 });
    const sockets = new Set<unknown>();
    const handler: Handler = (request, response) => {
      sockets.add(request.socket);
      response.write("a");
      setTimeout(() => response.end("b"), 120);
    };
    await serving(handler, async (url) => {
      assert.equal(await text(await send(post(url))), "ab");
      const [socket] = sockets;
      if (!(socket as Socket).destroyed) await once(socket as Socket, "close");
      assert.equal(await text(await send(post(url))), "ab");
      assert.equal(sockets.size, 2);
    });
    send.close();
  });

  it("says that nothing was delivered where the other side speaks no TLS", async () => {
    const send = createHttpSend();
    await rawServing((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), async (url) => {
      await assert.rejects(send(post(url.replace("http:", "https:"))), says("closed", "none"));
    });
    send.close();
  });

  it("says that nothing was delivered to what is no URL", async () => {
    const send = createHttpSend();
    for (const url of ["http://127.0.0.1:99999/", "http://[::1"]) await assert.rejects(send(post(url)), says("invalid_argument", "none"));
    send.close();
  });

  it("takes no encoded body, as it asks for none", async () => {
    const send = createHttpSend();
    await serving((request, response) => {
      assert.equal(request.headers["accept-encoding"], "identity");
      response.writeHead(200, { "content-encoding": "gzip" }).end("x");
    }, async (url) => {
      await assert.rejects(send(post(url)), says("closed", "unknown"));
    });
    send.close();
  });

  it("refuses options that mean nothing", () => {
    assert.throws(() => createHttpSend({ keepAliveMs: 0 }), { code: "invalid_argument" });
    assert.throws(() => createHttpSend({ maxConnections: 0 }), { code: "invalid_argument" });
  });
});

describe("fetchSend, in what Node does not do", () => {
  const host = (fetch: unknown) => ({ fetch }) as never;

  it("wants a host with a fetch", () => {
    assert.throws(() => fetchSend(host(undefined)), { code: "host_missing" });
  });

  it("takes a redirect that a browser hides for one", async () => {
    const send = fetchSend(host(async () => ({ type: "opaqueredirect", status: 0, headers: new Headers(), body: null })));
    const answer = await send(post("http://x/"));
    assert.deepEqual([answer.status, await answer.body.next()], [302, undefined]);
  });

  it("does not know what was delivered where the platform does not say why it failed", async () => {
    const send = fetchSend(host(async () => Promise.reject(new TypeError("Failed to fetch"))));
    await assert.rejects(send(post("http://x/")), says("closed", "unknown"));
  });
});
