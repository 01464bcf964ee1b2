// A server or client of the official SDKs that is connected, or on its way there, is refused: no guard gets between it and its transport any more.
import assert from "node:assert/strict";
import { it } from "node:test";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client as Client2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { library } from "../matrix/library.ts";

const NAME = { name: "x", version: "1" };

async function refusesWhileConnected(
  server: Server1 | Server2,
  client: Client1 | Client2,
  connectServer: () => Promise<void>,
  connectClient: () => Promise<void>,
): Promise<void> {
  const chain = await library.localChain([]);
  const late = { code: "conflict", message: /guard it before it connects/ };
  const refused = () => {
    assert.throws(() => library.guardServer(server, chain), late);
    assert.throws(() => library.guardServer(server.server, chain), late);
  };
  const serving = connectServer();
  refused();
  await serving;
  refused();
  const connecting = connectClient();
  assert.throws(() => library.guardClient(client, chain), late);
  await connecting;
  assert.throws(() => library.guardClient(client, chain), late);
  await client.close();
  await server.close();
  assert.equal(library.guardServer(server, chain), server);
  assert.equal(library.guardClient(client, chain), client);
}

it("refuses what is connected by 1.x, and takes it again once it is closed", async () => {
  const [near, far] = Memory1.createLinkedPair();
  const [server, client] = [new Server1(NAME), new Client1(NAME)];
  await refusesWhileConnected(server, client, () => server.connect(far), () => client.connect(near));
});

it("refuses what is connected by 2.x, and takes it again once it is closed", async () => {
  const [near, far] = Memory2.createLinkedPair();
  const [server, client] = [new Server2(NAME), new Client2(NAME)];
  await refusesWhileConnected(server, client, () => server.connect(far), () => client.connect(near));
});
