import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settle } from "../../support/fake-host.ts";
import { failed, notification, result, rig, standIn, type Rig } from "./client-kit.ts";

const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
const answer = result(0, { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "s", version: "1" } });

/** A rig whose server refused `initialize` with `status`, and was asked for a stream. */
async function refused(status: number, options: Parameters<typeof rig>[0] = {}) {
  const open = rig(options);
  (await open.post(initialize)).respond(status, { text: "no", type: "text/plain" });
  return { ...open, get: await open.http.next() };
}

async function connected(data = "/messages?s=1"): Promise<Rig & { stream: ReturnType<Awaited<ReturnType<typeof refused>>["get"]["stream"]> }> {
  const open = await refused(405);
  const stream = open.get.stream();
  stream.write(`event: endpoint\ndata: ${data}\n\n`);
  const post = await open.http.next();
  assert.deepEqual(post.body, initialize);
  post.respond(202, { text: "Accepted" });
  stream.message(answer);
  assert.deepEqual(await open.only(), answer);
  return { ...open, stream };
}

describe("a server of HTTP+SSE (2024-11-05)", () => {
  for (const status of [400, 404, 405]) {
    it(`is found after a POST that is answered ${status}, and answers on its one stream`, async () => {
      const { get, http, only, done } = await refused(status);
      assert.deepEqual([get.method, get.url, get.headers.get("accept")], ["GET", "https://server.example/mcp", "text/event-stream"]);
      const stream = get.stream();
      stream.write(": hi\n\nevent: endpoint\ndata: messages/?session_id=7\n\n");
      const post = await http.next();
      assert.deepEqual([post.method, post.url, post.body], ["POST", "https://server.example/messages/?session_id=7", initialize]);
      post.respond(202);
      stream.message(answer);
      assert.deepEqual(await only(), answer);
      await done();
      assert.equal(stream.cancelled, true);
    });
  }

  it("gets everything at its endpoint, and its own messages arrive", async () => {
    const { stream, post, arrived, http, done } = await connected();
    const initialized = await post(notification("notifications/initialized"));
    assert.equal(initialized.url, "https://server.example/messages?s=1");
    initialized.respond(202);
    assert.equal(await http.waiting(), 0, "there is no other stream");
    (await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).respond(202);
    stream.message({ jsonrpc: "2.0", id: 1, method: "roots/list" });
    stream.message(notification("notifications/progress", { progressToken: 1, progress: 1 }));
    stream.message(result(1));
    assert.deepEqual((await arrived()).map(({ frame }) => ("method" in frame.message ? frame.message.method : frame.message.id)), ["roots/list", "notifications/progress", 1]);
    (await post(result(1))).respond(202);
    await done();
  });

  it("has an error stand in for a request that its endpoint refuses", async () => {
    const { post, only, done } = await connected();
    (await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).respond(413);
    assert.deepEqual([standIn(await only()).delivery], ["none"]);
    (await post({ jsonrpc: "2.0", id: 2, method: "tools/list" })).fail("unknown");
    assert.deepEqual([standIn(await only()).delivery], ["unknown"]);
    await done();
  });

  it("ends the connection with its stream", async () => {
    const { stream, transport, done } = await connected();
    stream.cut();
    await settle();
    await assert.rejects(transport.receive(), { code: "closed" });
    await assert.rejects(transport.send({ message: initialize as never }), { code: "closed" });
    await done();
  });

  it("may name a whole URL of its own origin, in any case, and no other", async () => {
    for (const [named, url] of [
      ["HTTPS://Server.Example/m", "HTTPS://Server.Example/m"],
      ["../x", "https://server.example/x"],
      ["https://elsewhere.example/m", undefined],
      ["http://server.example/m", undefined],
      ["https://server.example.evil/m", undefined],
      ["https://server.example@evil/m", undefined],
      ["//evil/m", undefined],
      ["javascript:alert(1)", undefined],
    ] as const) {
      const { get, http, arrived, done } = await refused(405);
      get.stream().write(`event: endpoint\ndata: ${named}\n\n`);
      if (url !== undefined) assert.equal((await http.next()).url, url);
      else {
        assert.equal(await http.waiting(), 0, named);
        assert.equal(standIn((await arrived())[0]!.frame.message).httpStatus, 405);
      }
      await done();
    }
  });

  it("is none where the GET is refused, is no stream, breaks, ends, or names nothing in time; the first refusal stands", async () => {
    const ways: ((parts: Awaited<ReturnType<typeof refused>>) => Promise<void>)[] = [
      async ({ get }) => get.respond(405),
      async ({ get }) => get.json({}),
      async ({ get }) => get.fail("unknown"),
      async ({ get }) => get.stream().end(),
      async ({ get }) => get.stream().cut(),
      async ({ get, host }) => {
        get.stream().write("data: {}\n\n: waiting\n\n");
        await host.advance(10_000);
      },
    ];
    for (const way of ways) {
      const parts = await refused(404);
      await way(parts);
      const [arrival, ...more] = await parts.arrived();
      assert.deepEqual(more, []);
      assert.deepEqual(standIn(arrival!.frame.message), { delivery: "none", httpStatus: 404, message: "the server answered HTTP 404" });
      assert.equal(parts.get.aborted, true);
      // The connection is none the worse for it.
      (await parts.post(initialize)).json(answer);
      assert.deepEqual(await parts.only(), answer);
      await parts.done();
    }
  });

  it("is not looked for where the POST was answered otherwise, by a newer server, or when told not to", async () => {
    for (const [code, status] of [[-32022, 400], [-32020, 400], [-32601, 404], [-32000, 200]] as const) {
      const { post, http, only, done } = rig();
      (await post(initialize)).json(failed(0, code), { status });
      assert.equal("error" in (await only()), true);
      assert.equal(await http.waiting(), 0);
      await done();
    }
    for (const [status, options] of [[401, {}], [500, {}], [405, { legacySse: false }]] as const) {
      const { post, http, only, done } = rig(options);
      (await post(initialize)).respond(status);
      assert.equal(standIn(await only()).httpStatus, status);
      assert.equal(await http.waiting(), 0);
      await done();
    }
  });

  it("is looked for where an older error came with the refusal, which stands if there is none", async () => {
    const { post, http, only, done } = rig();
    (await post(initialize)).json(failed(null, -32000, "no session"), { status: 400 });
    (await http.next()).respond(404);
    assert.deepEqual(await only(), failed(0, -32000, "no session"));
    await done();
  });
});
