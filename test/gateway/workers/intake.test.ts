import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { createIntake } from "../../../src/gateway/workers/intake.ts";
import type { FromWorker } from "../../../src/gateway/workers/messages.ts";
import { listenHandler } from "../../../src/node/http-handler.ts";

async function rig() {
  const said: FromWorker[] = [];
  const accepting = createServer();
  await once(accepting.listen(0, "127.0.0.1"), "listening");
  const { port } = accepting.address() as AddressInfo;
  const accepted = async () => {
    const client = connect(port, "127.0.0.1");
    const [socket] = (await once(accepting, "connection")) as [Socket];
    return { client, socket };
  };
  return { said, intake: createIntake(port, (message) => said.push(message)), accepted, accepting };
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const piece of socket.setEncoding("latin1")) text += String(piece);
  return text;
}

const LATER = Number.MAX_SAFE_INTEGER;

describe("connections that the primary has accepted", () => {
  it("are served as those are that come by the port, and counted as long as they last", async () => {
    const { said, intake, accepted, accepting } = await rig();
    const server = await listenHandler(({ path }) => Promise.resolve({ status: 200, headers: [], body: path }), { intake, headerTimeoutMs: 50 });
    assert.equal(server.origin, `http://127.0.0.1:${intake.port}`);
    // Ends its side with the request, and still gets the answer.
    const half = await accepted();
    intake.offer(1, half.socket, LATER);
    half.client.end("GET /half HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(await textOf(half.client), /^HTTP\/1\.1 200 OK[^]*\/half$/);
    // Takes too long with its head.
    const slow = await accepted();
    intake.offer(2, slow.socket, LATER);
    slow.client.write("GET / HT");
    assert.match(await textOf(slow.client), /^HTTP\/1\.1 408/);
    const last = await accepted();
    intake.offer(3, last.socket, LATER);
    const closing = server.close();
    last.client.write("GET /last HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(await textOf(last.client), /connection: close[^]*\/last$/i);
    await closing;
    assert.deepEqual(said, [...[1, 2, 3].map((id) => ({ kind: "took", id, taken: true })), { kind: "shut" }]);
    accepting.close();
  });

  it("are left to the primary by a worker that takes none, and dropped where their client was cut off or they did not arrive", async () => {
    const { said, intake, accepted, accepting } = await rig();
    const taken: Socket[] = [];
    const early = await accepted();
    intake.offer(1, early.socket, LATER);
    intake.open((socket) => taken.push(socket));
    const late = await accepted();
    intake.offer(2, late.socket, Date.now() - 1);
    intake.offer(3, undefined, LATER);
    intake.close();
    const closed = await accepted();
    intake.offer(4, closed.socket, LATER);
    assert.deepEqual([taken, early.socket.destroyed, late.socket.destroyed, closed.socket.destroyed], [[], true, true, true]);
    assert.deepEqual(said.map((message) => (message.kind === "took" ? message.taken : message.kind)), [false, true, true, "shut", false]);
    for (const { client } of [early, late, closed]) client.destroy();
    accepting.close();
  });
});
