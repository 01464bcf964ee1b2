// A peer over each transport whose other end is bare: what names its request and is no answer to it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createPeer, type Peer } from "../../../src/core/jsonrpc/peer.ts";
import { lineTransport } from "../../../src/core/transport/line-transport.ts";
import { fromSdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { portTransport } from "../../../src/web/message-port.ts";
import { BROKEN_ANSWERS, CUT_ANSWERS, NO_ANSWERS } from "../../support/broken-answers.ts";
import { bytePipes } from "../../support/byte-pipe.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedHttp, type ScriptedStream } from "../../support/scripted-http.ts";

interface Subject {
  readonly transport: Transport;
  /** What the other end says, on the stream of the last request where there is one. */
  say(text: string): Promise<void>;
}

const SUBJECTS: Readonly<Record<string, { readonly text: boolean; open(): Subject }>> = Object.fromEntries([
  ...(["drop", "answer"] as const).map((invalid) => [`lines, as ${invalid === "drop" ? "a client" : "a server"}`, { text: true, open: () => lines(invalid) }] as const),
  ["a port", { text: false, open: port }],
  ["a transport of the SDK", { text: false, open: sdk }],
  ["a stream over HTTP", { text: true, open: http }],
]);

function lines(invalid: "drop" | "answer"): Subject {
  const [near, far] = bytePipes({ chunkBytes: 1_000 });
  return { transport: lineTransport(near, { invalid }), say: (text) => far.write(new TextEncoder().encode(`${text}\n`)) };
}

function port(): Subject {
  let heard: (event: { data: unknown }) => void = () => {};
  const transport = portTransport({
    postMessage() {},
    close() {},
    addEventListener: (type: string, listener: (event: { data: unknown }) => void) => void (type === "message" && (heard = listener)),
    removeEventListener() {},
  });
  return { transport, say: async (text) => heard({ data: text.startsWith('"') ? text : JSON.parse(text) }) };
}

function sdk(): Subject {
  const bare = { start: async () => {}, send: async () => {}, close: async () => {}, onmessage: undefined as ((message: unknown) => void) | undefined };
  return { transport: fromSdkTransport(bare), say: async (text) => bare.onmessage?.(JSON.parse(text)) };
}

function http(): Subject {
  const server = scriptedHttp();
  let stream: ScriptedStream | undefined;
  return {
    transport: httpTransport({ url: "https://server.example/mcp", send: server.send, host: fakeHost() }),
    async say(text) {
      if ((await server.waiting()) > 0) stream = (await server.next()).stream();
      stream?.write(`data: ${text}\n\n`);
    },
  };
}

/** A peer with one request in flight, and how that has ended so far. */
async function asking(open: () => Subject) {
  const subject = open();
  const host = fakeHost();
  const peer = createPeer(subject.transport, { handler: () => ({}), host, requestTimeoutMs: 1_000 });
  let id: unknown;
  const ends: unknown[] = [];
  const ask = async () => {
    peer.request("tools/call", {}, { onId: (given) => (id = given) }).then(
      (result) => ends.push(result),
      (error: unknown) => ends.push(error),
    );
    await settle();
  };
  await ask();
  return { ...subject, peer, host, ends, ask, id: () => id };
}

async function over(peer: Peer): Promise<void> {
  const closed = peer.close();
  await settle();
  await closed;
}

for (const [name, { text, open }] of Object.entries(SUBJECTS)) {
  describe(`over ${name}`, { concurrency: true }, () => {
    for (const [what, write] of Object.entries({ ...BROKEN_ANSWERS, ...(text ? CUT_ANSWERS : {}) })) {
      // An object has each member once.
      if (!text && (what === "members twice" || what === "a result twice")) continue;
      it(`${what} ends the request that it names, at once and once; its true answer is dropped`, async () => {
        const { peer, say, ends, ask, id, host } = await asking(open);
        const first = id();
        await say(write(first));
        await settle();
        assert.equal(ends.length, 1, "it waits");
        const error = ends[0] as RpcError;
        assert.ok(error instanceof RpcError, String(error));
        assert.ok(error.code === -32600 || error.code === -32700, String(error.code));
        assert.equal((error.data as { delivery?: unknown }).delivery, "unknown");
        await ask();
        await say(write(first));
        await say(`{"jsonrpc":"2.0","id":${JSON.stringify(first)},"result":{"late":true}}`);
        await say(`{"jsonrpc":"2.0","id":${JSON.stringify(id())},"result":{"own":true}}`);
        await settle();
        assert.deepEqual(ends.slice(1), [{ own: true }]);
        await over(peer);
        assert.equal(host.liveTimers, 0);
      });
    }
    for (const [what, write] of Object.entries(NO_ANSWERS)) {
      if (!text && (what === "two ids" || what === "a batch that is no JSON")) continue;
      it(`${what} ends no request`, async () => {
        const { peer, say, ends, id } = await asking(open);
        await say(write(id()));
        await settle();
        assert.deepEqual(ends, []);
        await say(`{"jsonrpc":"2.0","id":${JSON.stringify(id())},"result":{"own":true}}`);
        await settle();
        assert.deepEqual(ends, [{ own: true }]);
        await over(peer);
      });
    }
  });
}
