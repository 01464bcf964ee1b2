import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSignal } from "../../../../src/core/base/signal.ts";
import type { ServerContext } from "../../../../src/core/mcp/context.ts";
import { McpServer } from "../../../../src/core/mcp/server.ts";
import { META, PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";
import { rawClient, type RawClient } from "../../../support/raw-client.ts";

const INFO = { name: "s", version: "1" };
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

function logging() {
  const server = new McpServer(INFO, { host: fakeHost(), capabilities: { logging: {} } });
  server.tool({ name: "t", inputSchema: { type: "object" } }, async (_args, { log }) => {
    for (const level of LEVELS) await log(level, { level }, level === "error" ? "db" : undefined);
    return "done";
  });
  return server;
}
const levels = ({ notifications }: RawClient) => notifications.filter(({ method }) => method === "notifications/message").map(({ params }) => params.level);

for (const version of PROTOCOL_VERSIONS.filter((known) => known !== "2026-07-28")) {
  describe(`logging in ${version}`, () => {
    test("sends all before a level is set, and what is at or above it afterwards", async () => {
      const client = await rawClient(logging(), { version });
      assert.deepEqual((client.described.capabilities as { logging?: object }).logging, {});
      await client.send("tools/call", { name: "t" });
      assert.deepEqual(levels(client), LEVELS);
      assert.deepEqual(client.notifications[4]?.params, { level: "error", logger: "db", data: { level: "error" } });
      assert.deepEqual(client.notifications[0]?.params, { level: "debug", data: { level: "debug" } });
      client.notifications.length = 0;
      assert.deepEqual(await client.send("logging/setLevel", { level: "error" }), {});
      await client.send("tools/call", { name: "t" });
      assert.deepEqual(levels(client), ["error", "critical", "alert", "emergency"]);
    });

    test("refuses a level that is none", async () => {
      const client = await rawClient(logging(), { version });
      for (const level of ["loud", "", 5, null, undefined, "constructor"]) {
        assert.equal((await client.failure("logging/setLevel", { level })).code, -32602, String(level));
      }
    });
  });
}

test("each session has a level of its own, and the server's log goes to sessions alone", async () => {
  const server = logging();
  const loud = await rawClient(server, { version: "2025-11-25" });
  const quiet = await rawClient(server, { version: "2024-11-05" });
  const stateless = await rawClient(server, { version: "2026-07-28" });
  await quiet.send("logging/setLevel", { level: "alert" });
  server.log("info", "hello", "main");
  server.log("alert", "fire");
  await settle();
  assert.deepEqual([levels(loud), levels(quiet), stateless.notifications], [["info", "alert"], ["alert"], []]);
  assert.deepEqual(loud.notifications[0]?.params, { level: "info", logger: "main", data: "hello" });
  await quiet.connection.close();
  server.log("alert", "again");
});

for (const version of PROTOCOL_VERSIONS) {
  test(`${version}: nothing is logged or told for a request that was answered or cancelled; the server's own log goes on`, async () => {
    const server = new McpServer(INFO, { host: fakeHost(), capabilities: { logging: {} } });
    const contexts: ServerContext[] = [];
    server.tool({ name: "quick", inputSchema: { type: "object" } }, (_args, context) => (contexts.push(context), "done"));
    server.tool({ name: "stuck", inputSchema: { type: "object" } }, (_args, context) => (contexts.push(context), new Promise(() => {})));
    const client = await rawClient(server, { version });
    const _meta = { [META.logLevel]: "debug", progressToken: 1 };
    await client.send("tools/call", { name: "quick", _meta });
    const given = createSignal();
    const stateless = version === "2026-07-28";
    const meta = { ..._meta, ...(stateless ? { [META.protocolVersion]: version, [META.clientCapabilities]: {} } : {}) };
    const stuck = client.peer.request("tools/call", { name: "stuck", _meta: meta }, { signal: given.signal });
    await settle();
    given.abort("enough");
    await assert.rejects(stuck, { code: "aborted" });
    await settle();
    assert.deepEqual(contexts.map(({ coreSignal }) => coreSignal.aborted), [true, true]);
    for (const { log, notify, reportProgress } of contexts) await Promise.all([log("error", "late"), notify("notifications/late"), reportProgress(1)]);
    await settle();
    assert.deepEqual(client.notifications, []);
    server.log("error", "still here");
    await settle();
    assert.deepEqual(levels(client), stateless ? [] : ["error"]);
  });
}

describe("logging in 2026-07-28", () => {
  test("is for requests that ask for it, by a level of their own", async () => {
    const client = await rawClient(logging(), { version: "2026-07-28" });
    await client.send("tools/call", { name: "t" });
    assert.deepEqual(client.notifications, []);
    await client.send("tools/call", { name: "t", _meta: { [META.logLevel]: "critical" } });
    assert.deepEqual(levels(client), ["critical", "alert", "emergency"]);
    assert.equal((await client.failure("logging/setLevel", { level: "info" })).code, -32601);
  });

  test("refuses a request whose level is none", async () => {
    const client = await rawClient(logging(), { version: "2026-07-28" });
    for (const level of ["loud", 5, null, {}]) {
      assert.equal((await client.failure("tools/call", { name: "t", _meta: { [META.logLevel]: level } })).code, -32602);
    }
  });
});

test("a server that has not announced it cannot log, and hears so at once", async () => {
  const server = new McpServer(INFO, { host: fakeHost() });
  server.tool({ name: "t", inputSchema: { type: "object" } }, (_args, { log }) => {
    void log("info", "x");
  });
  const client = await rawClient(server, { version: "2025-11-25" });
  assert.match(JSON.stringify(await client.send("tools/call", { name: "t" })), /give it the capability logging/);
  assert.throws(() => server.log("info", "x"), { code: "unsupported" });
  assert.throws(() => logging().log("loud" as never, "x"), { code: "invalid_argument" });
});

test("a message that cannot be sent harms nobody", async () => {
  const server = new McpServer(INFO, { host: fakeHost(), capabilities: { logging: {} } });
  server.tool({ name: "t", inputSchema: { type: "object" } }, async (_args, { log }) => {
    await log("info", NaN);
    await log("info", () => {});
    return "done";
  });
  const client = await rawClient(server, { version: "2025-11-25" });
  assert.equal((await client.send("tools/call", { name: "t" })).isError, undefined);
});

test("a session that takes nothing misses what the server logs, past a bound, and gets what comes once it reads again", async () => {
  const server = new McpServer(INFO, { host: fakeHost(), capabilities: { logging: {} }, limits: { maxQueuedFrames: 3 } });
  const client = await rawClient(server, { version: "2025-11-25" });
  for (let number = 1; number <= 1_000; number++) server.log("info", number);
  const heard = () => client.notifications.map(({ params }) => params.data);
  await settle();
  assert.deepEqual(heard(), [1, 2, 3]);
  server.log("info", "again");
  await settle();
  assert.deepEqual(heard(), [1, 2, 3, "again"]);
});
