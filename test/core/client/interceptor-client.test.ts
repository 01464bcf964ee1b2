import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { clientSource } from "../../../src/core/client/interceptor-client.ts";
import { createChain } from "../../../src/core/client/local-chain.ts";
import type { InvokeParams } from "../../../src/core/wire/gen/interceptors.ts";
import { connected, descriptor, listing } from "./kit.ts";
import { NEVER } from "../../support/never.ts";

const names = (listed: readonly unknown[]) => listed.map((item) => (item as { readonly name: string }).name);
const PARAMS: InvokeParams = { name: "a", event: "tools/call", phase: "request", payload: { name: "echo" } };
const ANSWER = { type: "validation", interceptor: "a", phase: "request", durationMs: 1, valid: true };

describe("the list of a connected server", () => {
  test("is drained page by page, in order", async () => {
    const { client, host } = await connected(
      listing({ "": { interceptors: [descriptor("a")], nextCursor: "2" }, "2": { interceptors: [], nextCursor: "3" }, "3": { interceptors: [descriptor("b"), descriptor("c")] } }),
    );
    assert.deepEqual(names(await clientSource(client, { label: "s" }).list()), ["a", "b", "c"]);
    assert.equal(host.liveTimers, 0);
  });

  test("ends with an error where a cursor repeats, and past the limits of pages and interceptors", async () => {
    const loop = await connected(listing({ "": { interceptors: [], nextCursor: "x" }, x: { interceptors: [], nextCursor: "x" } }));
    await assert.rejects(clientSource(loop.client, { label: "s" }).list(), { code: "invalid_message", message: /cursor that it has given before/ });

    let page = 0;
    const endless = await connected((server) => void server.method("interceptors/list", () => ({ interceptors: [descriptor(`i${page}`)], nextCursor: `${++page}` })));
    await assert.rejects(clientSource(endless.client, { label: "s", limits: { maxPages: 5 } }).list(), { code: "limit_exceeded", message: /more than 5 pages/ });
    assert.equal(page, 5);
    await assert.rejects(clientSource(endless.client, { label: "s", limits: { maxInterceptors: 3 } }).list(), { code: "limit_exceeded", message: /more than 3 interceptors/ });
  });

  test("is asked for under the other spelling on -32601 alone, once, and the answer is remembered", async () => {
    const asked: string[] = [];
    const { client } = await connected((server) => {
      server.use((next) => (request) => {
        if (request.method.startsWith("interceptor")) asked.push(request.method);
        return next(request);
      });
      listing({ "": { interceptors: [descriptor("a")] } }, "interceptor/list")(server);
      server.method("interceptors/invoke", () => ANSWER);
    });
    const source = clientSource(client, { label: "s" });
    assert.deepEqual(names(await source.list()), ["a"]);
    await source.list();
    await source.invoke(PARAMS, NEVER);
    await source.invoke(PARAMS, NEVER);
    assert.deepEqual(asked, ["interceptors/list", "interceptor/list", "interceptor/list", "interceptor/invoke", "interceptors/invoke", "interceptors/invoke"]);
  });

  test("fails with what the server said, without a second try, for any other error", async () => {
    let asked = 0;
    const { client } = await connected((server) => {
      server.method("interceptors/list", () => {
        asked++;
        throw new RpcError(-32602, "not today");
      });
      server.method("interceptor/list", () => assert.fail("the other spelling must not be tried"));
    });
    await assert.rejects(clientSource(client, { label: "s" }).list(), { code: -32602, message: "not today" });
    assert.equal(asked, 1);
  });

  test("a canonical method that has worked and is gone is not looked for elsewhere", async () => {
    let gone = false;
    const { client } = await connected((server) => {
      server.method("interceptors/list", () => {
        if (gone) throw new RpcError(-32601, "gone");
        return { interceptors: [] };
      });
      server.method("interceptor/list", () => assert.fail("must not be tried"));
    });
    const source = clientSource(client, { label: "s" });
    await source.list();
    gone = true;
    await assert.rejects(source.list(), { code: "unsupported" });
  });

  test("a server without the methods is told apart from one with an empty list", async () => {
    const { client } = await connected();
    await assert.rejects(clientSource(client, { label: "policies" }).list(), { code: "unsupported", message: '"policies" hosts no interceptors: it knows neither interceptors/list nor interceptor/list' });
    const empty = await connected(listing({ "": { interceptors: [] } }));
    assert.deepEqual(await clientSource(empty.client, { label: "s" }).list(), []);
  });

  test("a server that announces interceptors and does not list them is told as such", async () => {
    const { client } = await connected((server) => void server.extension("io.modelcontextprotocol/interceptors", { supportedEvents: ["*"] }));
    await assert.rejects(clientSource(client, { label: "s" }).list(), { code: "unsupported", message: /^"s" announces interceptors and does not list them/ });
  });

  test("a malformed list is an error that names the server and the place, and so is one refused descriptor where a chain reads the list", async () => {
    const cases: readonly (readonly [JsonObject, RegExp])[] = [
      [{}, /list of "s" is malformed.*interceptors/],
      [{ interceptors: {} }, /list of "s" is malformed.*must be a list/],
      [{ interceptors: [], nextCursor: 2 }, /nextCursor must be a string/],
      // Also where an item of another dialect hides it from the strict check.
      [{ interceptors: [descriptor("a", { mode: "" })], nextCursor: 2 }, /nextCursor|mode/],
      [{ interceptors: [descriptor("ok"), { name: "odd", type: "validation", hooks: [] }] }, /interceptor "odd" of "s": .*hooks/],
      [{ interceptors: [descriptor("odd", { type: "oracle" })] }, /interceptor "odd" of "s".*oracle/],
      [{ interceptors: ["odd"] }, /interceptor without a name of "s"/],
    ];
    for (const [page, expected] of cases) {
      const { client } = await connected(listing({ "": page }));
      await assert.rejects(createChain().addServer(client, { label: "s" }), expected, JSON.stringify(page));
    }
  });
});

describe("a server that knows the other spelling alone", () => {
  test("is asked in it by each of several first calls that run side by side", async () => {
    const { client } = await connected((server) => {
      listing({ "": { interceptors: [descriptor("a"), descriptor("b"), descriptor("c")] } })(server);
      server.method("interceptors/invoke", ({ name }) => ({ ...ANSWER, interceptor: name }));
    });
    const chain = createChain();
    await chain.addServer(client, { label: "s" });
    const { status, results } = await chain.execute({ event: "tools/call", phase: "request", payload: { name: "echo" } });
    assert.deepEqual([status, results.map(({ valid }) => valid)], ["success", [true, true, true]]);
  });

  test("is remembered where its first answer is an error, and asked anew where there was no answer", async () => {
    const asked: string[] = [];
    const failures = [new RpcError(-32603, "broken")];
    const { client } = await connected((server) => {
      server.use((next) => (request) => {
        if (request.method.startsWith("interceptor")) asked.push(request.method);
        return next(request);
      });
      server.method("interceptors/invoke", () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return ANSWER;
      });
    });
    const source = clientSource(client, { label: "s" });
    const gone = createSignal();
    const abandoned = source.invoke(PARAMS, gone.signal);
    gone.abort(new Error("given up"));
    await assert.rejects(async () => abandoned, { code: "aborted" });
    await assert.rejects(async () => source.invoke(PARAMS, NEVER), { code: -32603 });
    assert.equal(((await source.invoke(PARAMS, NEVER)) as { type: string }).type, "validation");
    assert.deepEqual(asked, ["interceptor/invoke", "interceptor/invoke", "interceptors/invoke", "interceptors/invoke"]);
  });
});

test("an invocation sends what the chain passed at that moment, whatever becomes of it before the client sends", async () => {
  const seen: unknown[] = [];
  const { client } = await connected((server) =>
    void server.method("interceptors/invoke", ({ payload }) => {
      seen.push(payload);
      return ANSWER;
    }),
  );
  // Middleware may wait; so may the second spelling, which this server wants.
  client.useOutgoing((next) => async (request) => {
    await Promise.resolve();
    return next(request);
  });
  const source = clientSource(client, { label: "s" });
  const payload = { name: "echo", arguments: { deep: ["original"] } };
  const params = { ...PARAMS, payload };
  for (const _time of [1, 2]) {
    const answer = source.invoke(params, NEVER);
    payload.arguments.deep[0] = "changed afterwards";
    assert.equal(((await answer) as { type: string }).type, "validation");
    payload.arguments.deep[0] = "original";
  }
  assert.deepEqual(seen, [{ name: "echo", arguments: { deep: ["original"] } }, { name: "echo", arguments: { deep: ["original"] } }]);
});

test("a source can be made before its client is connected, and says then that it is not", async () => {
  const { client, connection } = await connected();
  await connection.close();
  await client.closed;
  const source = clientSource(client, { label: "s" });
  await assert.rejects(source.list(), { code: "closed" });
  await assert.rejects(async () => source.invoke(PARAMS, NEVER), { code: "closed" });
});
