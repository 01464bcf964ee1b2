import assert from "node:assert/strict";
import { test } from "node:test";
import { directSend } from "../../../src/core/http/direct-send.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { transportContract } from "../../support/transport-contract.ts";
import { modern, URL_OF_SERVER } from "./client-kit.ts";

// A session, which is one connection for both sides.
for (const near of ["client", "server"] as const) {
  transportContract({
    name: `HTTP, in a session, from the ${near}`,
    backPressure: false,
    endsWithPeer: false,
    async open() {
      const http = createHttpServer({ allowedHosts: ["server.example"] });
      const client = httpTransport({ url: URL_OF_SERVER, send: directSend(http.handle) });
      const server = await openSession(client, () => http.accept());
      return { ...(near === "client" ? { near: client, far: server } : { near: server, far: client }), release: () => http.close() };
    },
  });
}

async function openSession(client: Transport, accept: () => Promise<Transport | undefined>): Promise<Transport> {
  const carry = async (from: Transport, to: Transport, message: Message) => {
    await from.send({ message });
    assert.deepEqual((await to.receive())?.frame.message, message);
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const initialize = { jsonrpc: "2.0", id: "open", method: "initialize", params } as const;
  await client.send({ message: initialize });
  const server = await accept();
  assert.ok(server !== undefined);
  assert.deepEqual((await server.receive())?.frame.message, initialize);
  await carry(server, client, { jsonrpc: "2.0", id: "open", result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } } });
  await carry(client, server, { jsonrpc: "2.0", method: "notifications/initialized" });
  return server;
}

test("without sessions each request has a transport of its own on the server, over with the answer, so that there is no pair to hold to the contract", async () => {
  const http = createHttpServer({ allowedHosts: ["server.example"] });
  const client = httpTransport({ url: URL_OF_SERVER, send: directSend(http.handle) });
  for (const id of [1, 2]) {
    await client.send({ message: modern(id, "test/echo") as unknown as Message });
    const server = await http.accept();
    assert.ok(server !== undefined);
    const arrival = await server.receive();
    assert.deepEqual(arrival?.frame.message, modern(id, "test/echo"));
    await server.send({ message: { jsonrpc: "2.0", id, result: {} } });
    assert.equal(await server.receive(), undefined);
    assert.deepEqual((await client.receive())?.frame.message, { jsonrpc: "2.0", id, result: {} });
  }
  await client.close();
  await http.close();
});
