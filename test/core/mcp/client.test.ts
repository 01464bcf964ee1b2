import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Progress } from "../../../src/core/jsonrpc/outgoing.ts";
import { McpClient, type McpClientOptions } from "../../../src/core/mcp/client.ts";
import { McpServer, type McpServerOptions } from "../../../src/core/mcp/server.ts";
import { PROTOCOL_VERSIONS } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { linkedTransports } from "../../support/scripted-transport.ts";
import { tinySchema } from "../../support/tiny-schema.ts";

const ERAS = ["handshake", "stateless"] as const;

interface Parts {
  readonly era?: (typeof ERAS)[number] | "auto";
  readonly client?: McpClientOptions;
  readonly server?: McpServerOptions;
  prepare?(server: McpServer, client: McpClient): void;
}

async function connected({ era = "auto", client: clientOptions = {}, server: serverOptions = {}, prepare }: Parts) {
  const host = fakeHost();
  const server = new McpServer({ name: "s", version: "2" }, { host, ...serverOptions });
  const client = new McpClient({ name: "c", version: "1" }, { host, era, ...clientOptions });
  prepare?.(server, client);
  const [left, right] = linkedTransports();
  const connection = server.connect(right);
  await client.connect(left);
  return { host, server, client, connection, left, right };
}

for (const era of ERAS) {
  describe(`client and server in the ${era} era`, () => {
    test("list and call tools, and ping", async () => {
      const { client, host } = await connected({
        era,
        prepare: (server) => server.tool({ name: "greet", inputSchema: { type: "object" } }, ({ who }) => `hello ${String(who)}`),
      });
      assert.deepEqual(await client.listTools(), [{ name: "greet", inputSchema: { type: "object" } }]);
      assert.deepEqual((await client.callTool({ name: "greet", arguments: { who: "you" } })).content, [{ type: "text", text: "hello you" }]);
      await assert.rejects(client.callTool({ name: "constructor" }), { code: -32602, message: "Unknown tool: constructor" });
      await client.ping();
      await client.close();
      assert.equal(host.liveTimers, 0);
    });

    test("pass progress, and stop a tool whose call is given up", async () => {
      let stopped = false;
      const { client, host } = await connected({
        era,
        prepare: (server) =>
          server.tool({ name: "slow", inputSchema: { type: "object" } }, async (_args, { reportProgress, coreSignal }) => {
            await reportProgress(1, 2, "half");
            return await new Promise<string>((resolve) => coreSignal.onAbort(() => ((stopped = true), resolve("late"))));
          }),
      });
      const seen: unknown[] = [];
      const onProgress = ({ progress, total, message }: Progress) => seen.push([progress, total, message]);
      const call = assert.rejects(client.callTool({ name: "slow" }, { timeoutMs: 100, onProgress }), { code: "timeout" });
      await host.advance(100);
      await call;
      assert.deepEqual([seen, stopped], [[[1, 2, "half"]], true]);
      await client.ping();
    });

    test("announce extensions both ways", async () => {
      let seen: unknown;
      const { client } = await connected({
        era,
        prepare: (server, own) => {
          server.extension("com.example/a", { deep: true }).method("m", (_params, context) => void (seen = context.client.capabilities));
          own.extension("com.example/b").method("sampling/createMessage", () => ({}));
        },
      });
      await client.request("m");
      assert.deepEqual(client.serverCapabilities?.extensions, { "com.example/a": { deep: true } });
      // A handler of `method` answers requests, and without a handshake a server asks by its results.
      assert.deepEqual(seen, { extensions: { "com.example/b": {} }, ...(era === "handshake" ? { sampling: {} } : {}) });
    });

    test("send notifications, and wrap requests on both sides", async () => {
      const seen: string[] = [];
      const { client } = await connected({
        era,
        prepare: (server, own) => {
          server.notification("n", ({ x }) => void seen.push(`n ${String(x)}`)).method("m", () => ({ a: 1 }));
          server.use((next) => async (request) => ({ ...((await next(request)) as object), server: true }));
          own.useOutgoing((next) => async (call) => ({ ...(await next(call)), client: call.method }));
        },
      });
      await client.notify("n", { x: 1 });
      const { a, server, client: method } = await client.request("m");
      assert.deepEqual([a, server, method, seen], [1, true, "m", ["n 1"]]);
    });
  });
}

describe("client and server agree", () => {
  // Rows: what the client speaks. Columns: what the server speaks. The newest common revision wins, or there is none.
  const sets = [...PROTOCOL_VERSIONS.map((version) => [version]), [...PROTOCOL_VERSIONS], PROTOCOL_VERSIONS.slice(1), ["2026-07-28", "2025-03-26"]];
  for (const ours of sets) {
    test(`where the client speaks ${ours.join(", ")}`, async () => {
      for (const theirs of sets) {
        const common = PROTOCOL_VERSIONS.filter((version) => ours.includes(version) && theirs.includes(version));
        // By initialize a client offers its newest revision only, and takes the server's newest or leaves.
        const handshakes = { ours: ours.filter((v) => v !== "2026-07-28"), theirs: theirs.filter((v) => v !== "2026-07-28") };
        const asked = handshakes.ours[0] ?? "";
        const offered = handshakes.theirs.includes(asked) ? asked : (handshakes.theirs[0] ?? "");
        const expected = common[0] === "2026-07-28" ? common[0] : handshakes.ours.includes(offered) ? offered : undefined;
        const attempt = connected({ client: { versions: ours }, server: { versions: theirs } }).then(
          ({ client }) => client.protocolVersion,
          (error: { code?: unknown }) => (assert.equal(error.code, "unsupported", `${ours.join()} with ${theirs.join()}: ${String(error)}`), undefined),
        );
        assert.equal(await attempt, expected, `${ours.join()} with ${theirs.join()}`);
      }
    });
  }
});

describe("a server asks its client", () => {
  test("in the handshake era, by handlers that get a context; an unknown method is an error, ping is answered", async () => {
    const seen: unknown[] = [];
    const { connection, client } = await connected({
      era: "handshake",
      prepare: (server, own) => {
        server.method("m", async (_params, { request }) => ({ answer: await request("roots/list") }));
        own.method("roots/list", (_params, { era, protocolVersion, method, signal }) => {
          seen.push(era, protocolVersion, method, signal.aborted);
          return { roots: [] };
        });
      },
    });
    assert.deepEqual((await client.request("m")).answer, { roots: [] });
    assert.deepEqual(seen, ["handshake", "2025-11-25", "roots/list", false]);
    await assert.rejects(connection.request("constructor"), { code: -32601 });
    assert.deepEqual(await connection.request("ping"), {});
  });
});

describe("results that the client refuses", () => {
  const answering = (result: JsonObject) =>
    connected({ era: "stateless", prepare: (server) => server.method("m", () => result), client: { resultTypes: ["com.example/known"] } });

  test("are those of an unknown type", async () => {
    for (const resultType of ["toString", "Complete", 5]) {
      const { client } = await answering({ resultType });
      await assert.rejects(client.request("m"), { code: "invalid_message" });
    }
  });
  test("are not those of a type that it was told of", async () => {
    const { client } = await answering({ resultType: "com.example/known" });
    assert.equal((await client.request("m")).resultType, "com.example/known");
  });
});

describe("listTools", () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const pages = (answer: (cursor: unknown) => JsonObject, client: McpClientOptions = {}) =>
    connected({ client, prepare: (server) => server.method("tools/list", ({ cursor }) => answer(cursor)).method("tools/call", () => ({ content: [] })) });

  test("drains the pages, an empty cursor included", async () => {
    const { client } = await pages((cursor) => (cursor === undefined ? { tools: [tool("a")], nextCursor: "" } : cursor === "" ? { tools: [], nextCursor: "z" } : { tools: [tool("b")] }));
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ["a", "b"]);
  });
  test("ends with an error where a cursor repeats, or the pages do not end", async () => {
    const { client } = await pages((cursor) => ({ tools: [], nextCursor: cursor === "a" ? "b" : "a" }));
    await assert.rejects(client.listTools(), { code: "invalid_message", message: /twice/ });
    let turn = 0;
    const { client: bounded } = await pages(() => ({ tools: [], nextCursor: String(++turn) }), { limits: { maxPages: 3 } });
    await assert.rejects(bounded.listTools(), { code: "limit_exceeded" });
    assert.equal(turn, 3);
    turn = 0;
    const { client: within } = await pages(() => ({ tools: [], ...(++turn < 3 ? { nextCursor: String(turn) } : {}) }), { limits: { maxPages: 3 } });
    assert.deepEqual(await within.listTools(), []);
  });
  for (const result of [{}, { tools: {} }, { tools: [5] }, { tools: [{ name: "x" }] }, { tools: [{ name: 5, inputSchema: {} }] }, { tools: [], nextCursor: 5 }]) {
    test(`refuses ${JSON.stringify(result)}`, async () => {
      const { client } = await pages(() => result);
      await assert.rejects(client.listTools(), { code: "invalid_message" });
    });
  }
});

describe("callTool", () => {
  const output = { type: "object", required: ["a"] };
  const calling = async (result: JsonObject, outputSchema: JsonObject = output) => {
    const parts = await connected({
      era: "handshake",
      client: { compileSchema: tinySchema },
      prepare: (server) => server.method("tools/list", () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] })).method("tools/call", () => result),
    });
    return parts;
  };

  test("holds structured content to the schema that was listed, until the list changes", async () => {
    const { client, connection } = await calling({ content: [], structuredContent: { b: 1 } });
    assert.deepEqual((await client.callTool({ name: "t" })).structuredContent, { b: 1 });
    await client.listTools();
    await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message", message: /must have a/ });
    await connection.notify("notifications/tools/list_changed");
    await settle();
    assert.deepEqual((await client.callTool({ name: "t" })).structuredContent, { b: 1 });
  });
  test("forgets the schema of a tool that is listed anew without one", async () => {
    let listings = 0;
    const { client } = await connected({
      client: { compileSchema: tinySchema },
      prepare: (server) =>
        server
          .method("tools/list", () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, ...(++listings === 1 ? { outputSchema: output } : {}) }] }))
          .method("tools/call", () => ({ content: [] })),
    });
    await client.listTools();
    await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message" });
    await client.listTools();
    assert.deepEqual((await client.callTool({ name: "t" })).content, []);
  });
  test("wants structured content where a schema was listed", async () => {
    const { client } = await calling({ content: [] });
    await client.listTools();
    await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message", message: /structuredContent/ });
  });
  test("gives back what fits, what failed, and what a broken schema cannot judge", async () => {
    for (const [result, schema] of [
      [{ content: [], structuredContent: { a: 1 } }, output],
      [{ content: [], isError: true }, output],
      [{ content: [] }, { broken: 1 }],
    ] as const) {
      const { client } = await calling(result, schema);
      await client.listTools();
      assert.deepEqual(await client.callTool({ name: "t" }), result);
    }
  });
  for (const result of [{}, { content: "x" }, { content: [5] }, { content: [{ text: "no type" }] }]) {
    test(`refuses the result ${JSON.stringify(result)}`, async () => {
      const { client } = await calling(result);
      await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message" });
    });
  }
});

test("transport wrappers of a client see every frame, the lifecycle's included", async () => {
  const methods: string[] = [];
  const { client } = await connected({
    era: "handshake",
    prepare: (_server, own) =>
      own.wrapTransport((inner) => ({
        send: (frame, route) => ("method" in frame.message && methods.push(frame.message.method), inner.send(frame, route)),
        receive: () => inner.receive(),
        close: (why) => inner.close(why),
      })),
  });
  await client.ping();
  assert.deepEqual(methods, ["initialize", "notifications/initialized", "ping"]);
});

test("names that a client answers or announces are taken once", () => {
  const client = new McpClient({ name: "c", version: "1" }).method("roots/list", () => ({ roots: [] })).extension("a.b/c");
  for (const again of [() => client.method("roots/list", () => ({})), () => client.method("ping", () => ({})), () => client.extension("a.b/c")]) assert.throws(again, { code: "conflict" });
});
