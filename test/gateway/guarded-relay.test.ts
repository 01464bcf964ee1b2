import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { createChain, deny, McpClient, memoryPair, validator } from "mcp-interceptors";
import { guardedRelay, wrapServer, type Posture } from "mcp-interceptors/gateway";
import type { Message } from "../../src/core/wire/message.ts";
import { settle } from "../support/fake-host.ts";
import { call, textResult } from "../support/guarded-pair.ts";
import { bundle } from "../support/bundle.ts";

const noShell = validator({ name: "no-shell", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "shell" ? deny("no") : true));

test("a guarded relay judges on the side that its posture names, and carries the rest", async () => {
  for (const posture of ["client", "server"] satisfies Posture[]) {
    const [client, down] = memoryPair();
    const [up, server] = memoryPair();
    const chain = createChain();
    const directions: string[] = [];
    chain.add(noShell);
    const relay = guardedRelay(down, up, { chain, posture, guard: { record: ({ role, direction }) => void directions.push(`${role} ${direction}`) } });
    await client.send({ message: call(1, "shell") });
    await client.send({ message: call(2, "echo") });
    assert.equal(((await client.receive())?.frame.message as { error: { code: number } }).error.code, -32602);
    assert.deepEqual((await server.receive())?.frame.message, call(2, "echo"));
    await server.send({ message: textResult(2, "hi") });
    assert.deepEqual((await client.receive())?.frame.message as Message, textResult(2, "hi"));
    assert.deepEqual(new Set(directions), new Set([posture === "client" ? "client sending" : "server receiving"]));
    await relay.close();
    await settle();
    assert.equal(await client.receive(), undefined);
  }
});

test("a program wraps a server that it starts", async () => {
  const [near, down] = memoryPair();
  const chain = createChain();
  chain.add(validator({ name: "read-only", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name.startsWith("delete_") ? deny("read only") : true)));
  const args = [bundle(fileURLToPath(new URL("../../examples/upstream.ts", import.meta.url)))];
  const wrapped = await wrapServer(down, { command: process.execPath, args, stderr: "ignore" }, { chain });
  const client = new McpClient({ name: "c", version: "1" });
  await client.connect(near);
  assert.ok((await client.listTools()).length > 0);
  await assert.rejects(client.callTool({ name: "delete_contact", arguments: { id: 1 } }), { code: -32602 });
  await client.close();
  assert.deepEqual((await wrapped.ended).by, "client");
  assert.notEqual(await wrapped.server.exited, undefined);
});

test("what is no options is refused at once, and nothing is started for it", async () => {
  const chain = createChain();
  const transport = () => memoryPair()[0];
  for (const given of [undefined, null, 5, []]) {
    const wrong = [given, ...(given === undefined ? [] : [{ chain, guard: given }, { chain, relay: given }])];
    for (const options of wrong) assert.throws(() => guardedRelay(transport(), transport(), options as never), { code: "invalid_argument" }, JSON.stringify(options));
  }
  for (const options of [null, { chain, guard: null }]) await assert.rejects(wrapServer(transport(), { command: "no-such-command" }, options as never), { code: "invalid_argument" });
});
