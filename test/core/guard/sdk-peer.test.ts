import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer } from "../../../src/core/guard/attach.ts";
import { guardSdkTransport } from "../../../src/core/guard/sdk-peer.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { fromSdkTransport, toSdkTransport, type SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

const denies = (name: string, event: string) => {
  const host = fakeHost();
  const chain = createChain({ host });
  chain.add([validator({ name, hooks: [{ events: [event], phase: "request" }] }, () => deny("no"))]);
  return chain;
};

/** As their protocol objects are: whatever they are connected to is theirs. */
class TheirPeer {
  transport: SdkTransport | undefined;
  readonly got: unknown[] = [];
  async connect(transport: SdkTransport, options?: unknown): Promise<unknown> {
    this.transport = transport;
    transport.onmessage = (message) => void this.got.push(message);
    await transport.start();
    return options;
  }
}
class TheirMcpServer {
  readonly server = new TheirPeer();
  connect(transport: SdkTransport): Promise<unknown> {
    return this.server.connect(transport);
  }
}

function wire(): { readonly raw: SdkTransport; readonly far: Transport; readonly back: Message[] } {
  const [near, far] = memoryPair();
  const back: Message[] = [];
  void (async () => {
    for (let arrival = await far.receive(); arrival !== undefined; arrival = await far.receive()) back.push(arrival.frame.message);
  })();
  return { raw: toSdkTransport(near), far, back };
}

const request = (id: number, method: string): Message => ({ jsonrpc: "2.0", id, method, params: {} });

test("a server of theirs is guarded on whatever it is connected to, however it is reached", async () => {
  for (const reach of ["outer", "inner"] as const) {
    const mcp = new TheirMcpServer();
    assert.equal(guardServer(mcp, denies("no", "acme/do")), mcp);
    const { raw, far, back } = wire();
    await (reach === "outer" ? mcp.connect(raw) : mcp.server.connect(raw));
    await far.send({ message: request(1, "acme/do") });
    await far.send({ message: request(2, "acme/other") });
    await settle();
    assert.deepEqual(mcp.server.got, [request(2, "acme/other")]);
    assert.deepEqual(back.map((message) => "error" in message && message.error.code), [-32602]);
    await far.close();
  }
});

test("a client of theirs is guarded, and what its connect takes and gives beside the transport is left alone", async () => {
  const client = guardClient(new TheirPeer(), denies("no", "acme/do"));
  const { raw, far, back } = wire();
  const options = { timeout: 1 };
  assert.equal(await client.connect(raw, options), options);
  await client.transport?.send(request(1, "acme/do"));
  await client.transport?.send(request(2, "acme/other"));
  await settle();
  assert.deepEqual(back, [request(2, "acme/other")]);
  assert.equal((client.got[0] as { error: { code: number } }).error.code, -32602);
  await far.close();
});

test("of two guards on one of theirs the last is next to it, as on ours", async () => {
  const seen: string[] = [];
  const noting = (name: string) => {
    const chain = createChain({ host: fakeHost() });
    chain.add([validator({ name, hooks: [{ events: ["acme/do"], phase: "request" }] }, () => (seen.push(name), true))]);
    return chain;
  };
  const server = guardServer(guardServer(new TheirPeer(), noting("first")), noting("last"));
  const { raw, far } = wire();
  await server.connect(raw);
  await far.send({ message: request(1, "acme/do") });
  await settle();
  assert.deepEqual(seen, ["first", "last"]);
  await far.close();
});

test("each connection has a guard of its own", async () => {
  const server = guardServer(new TheirPeer(), denies("no", "acme/do"));
  for (let times = 0; times < 2; times++) {
    const { raw, far, back } = wire();
    await server.connect(raw);
    await far.send({ message: request(1, "acme/do") });
    await settle();
    assert.equal(back.length, 1);
    await far.close();
  }
  assert.deepEqual(server.got, []);
});

test("a transport of theirs can be guarded by itself", async () => {
  const { raw, far, back } = wire();
  const guarded = guardSdkTransport(raw, denies("no", "acme/do"), { role: "server" });
  const transport = fromSdkTransport(guarded);
  const arrived = transport.receive();
  await far.send({ message: request(1, "acme/do") });
  await far.send({ message: request(2, "acme/other") });
  assert.deepEqual((await arrived)?.frame.message, request(2, "acme/other"));
  assert.equal(back.length, 1);
  await transport.close();
});
