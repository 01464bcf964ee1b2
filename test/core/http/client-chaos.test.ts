import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { directSend } from "../../../src/core/http/direct-send.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import type { ByteSource, HttpHandler, HttpSend } from "../../../src/core/http/exchange.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer, type HttpServer } from "../../../src/core/http/http-server.ts";
import { serve } from "../../../src/core/http/serve.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { URL_OF_SERVER } from "./client-kit.ts";

// A network that loses requests, answers and the ends of streams, in front of servers that forget their sessions. Whatever it does, each call
// settles, and runs at most once.

/** Requests of the network's own choosing fail before or after the server has them; streams are cut after some bytes. */
function badNetwork(handle: HttpHandler, random: Random, rate: () => number): HttpSend {
  const direct = directSend(handle);
  const lost = (delivery: "none" | "unknown") => new LocalError("closed", "lost", { details: { delivery } });
  return async (call) => {
    if (random.next() < rate() / 2) throw lost("none");
    const answer = await direct(call);
    if (random.next() < rate() / 2) {
      answer.body.cancel();
      throw lost("unknown");
    }
    if (random.next() >= rate()) return answer;
    let left = random.below(120);
    const body: ByteSource = {
      async next() {
        const chunk = left > 0 ? await answer.body.next() : undefined;
        if (left > 0 && chunk === undefined) return undefined;
        const piece = chunk?.subarray(0, left) ?? new Uint8Array();
        left -= piece.length;
        if (piece.length > 0) return piece;
        answer.body.cancel();
        throw lost("unknown");
      },
      cancel: () => answer.body.cancel(),
    };
    return { ...answer, body };
  };
}

function newServer(host: FakeHost, runs: Map<string, number>): HttpServer {
  const http = createHttpServer({ host, allowedHosts: ["server.example"], eventStore: memoryEventStore(), retryMs: 50 });
  const server = new McpServer({ name: "s", version: "1" }, { host });
  server.tool({ name: "once", inputSchema: { type: "object" } }, async ({ nonce }, { reportProgress }) => {
    runs.set(String(nonce), (runs.get(String(nonce)) ?? 0) + 1);
    for (let step = 1; step <= 3; step++) await reportProgress(step);
    return String(nonce);
  });
  void serve(server, http);
  return http;
}

async function play(era: "stateless" | "handshake", seed: number): Promise<Record<string, number>> {
  const random = seededRandom(seed);
  const host = fakeHost();
  const runs = new Map<string, number>();
  const servers = [newServer(host, runs)];
  let rate = 0;
  const client = new McpClient({ name: "c", version: "1" }, { era, host, requestTimeoutMs: 600_000 });
  const send = badNetwork((request) => servers.at(-1)!.handle(request), random, () => rate);
  await client.connect(httpTransport({ url: URL_OF_SERVER, send, host, maxReconnects: 3 }));
  rate = 0.3;
  const counts: Record<string, number> = { answered: 0, none: 0, unknown: 0 };
  let waiting = 0;
  for (let round = 0; round < 12; round++) {
    for (let index = random.below(6); index >= 0; index--) {
      const nonce = `${round}-${index}`;
      waiting++;
      client.callTool({ name: "once", arguments: { nonce } }, random.next() < 0.5 ? { onProgress: () => {} } : {}).then(
        ({ content }) => {
          waiting--;
          counts["answered"]!++;
          assert.deepEqual(content, [{ type: "text", text: nonce }]);
          assert.equal(runs.get(nonce), 1, `${nonce} was answered, and has run once`);
        },
        (error: unknown) => {
          waiting--;
          assert.ok(error instanceof RpcError && isObject(error.data), String(error));
          const { delivery } = error.data;
          assert.ok(delivery === "none" || delivery === "unknown", JSON.stringify(error.data));
          counts[delivery]!++;
          if (delivery === "none") assert.equal(runs.get(nonce), undefined, `${nonce} was not delivered, and has not run`);
        },
      );
    }
    await host.advance(random.below(400));
    if (random.next() < 0.2) servers.push(newServer(host, runs));
  }
  for (let minute = 0; minute < 20 && waiting > 0; minute++) await host.advance(60_000);
  assert.equal(waiting, 0, "every call settles");
  for (const [nonce, count] of runs) assert.equal(count, 1, `${nonce} has run ${count} times`);
  // The network has got well, and so has the connection.
  rate = 0;
  await settle();
  await client.callTool({ name: "once", arguments: { nonce: "last" } });
  await client.close();
  for (const server of servers) {
    const closed = server.close();
    await host.advance(60_000);
    await closed;
  }
  assert.equal(host.liveTimers, 0, "no timer is left");
  return counts;
}

for (const era of ["stateless", "handshake"] as const) {
  describe(`a client on a bad network, ${era}`, () => {
    it("settles each call, and has none run twice", async () => {
      const total: Record<string, number> = { answered: 0, none: 0, unknown: 0 };
      for (let seed = 1; seed <= 6; seed++) {
        const thrown: unknown[] = [];
        const onRejection = (reason: unknown) => thrown.push(reason);
        process.on("unhandledRejection", onRejection);
        try {
          const counts = await play(era, seed);
          for (const [name, count] of Object.entries(counts)) total[name]! += count;
          assert.deepEqual(thrown, []);
        } catch (cause) {
          throw new assert.AssertionError({ message: `seed ${seed}: ${String(cause)}` });
        } finally {
          process.off("unhandledRejection", onRejection);
        }
      }
      for (const [name, count] of Object.entries(total)) assert.ok(count > 10, `${name}: ${count}`);
    });
  });
}
