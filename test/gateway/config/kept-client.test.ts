import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSignal } from "../../../src/core/base/signal.ts";
import { clientSource } from "../../../src/core/client/interceptor-client.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../../src/core/server/interceptor-server.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { keepClient, keptSource } from "../../../src/gateway/config/kept-client.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

async function rig() {
  const host = fakeHost();
  const ends: Transport[] = [];
  let dead = false;
  const connect = async () => {
    if (dead) throw new RangeError("spawn failed");
    const server = new McpServer({ name: "policies", version: "1" }, { host });
    hostInterceptors(server, [validator({ name: "passes", hooks: [{ events: ["*"], phase: "request" }] }, () => true)], { host });
    const [near, far] = memoryPair();
    ends.push(far);
    void server.connect(far);
    const client = new McpClient({ name: "c", version: "1" }, { host });
    await client.connect(near);
    return client;
  };
  const log: string[] = [];
  const kept = keepClient({ first: await connect(), connect, host, log: (message) => void log.push(message) });
  const source = keptSource("policies", kept, (client) => clientSource(client, { label: "policies" }));
  const stop = createSignal();
  const invoke = async () => source.invoke({ name: "passes", event: "tools/call", phase: "request", payload: { name: "t" } }, stop.signal);
  const lose = async () => {
    await ends.at(-1)?.close();
    await settle();
  };
  return { host, kept, ends, log, invoke, lose, die: (now: boolean) => void (dead = now) };
}

describe("a kept connection to an interceptor server", () => {
  it("is made again once, by whoever needs it first, and lost ones in a row are spaced", async () => {
    const { host, kept, ends, log, invoke, lose } = await rig();
    await invoke();
    await lose();
    await Promise.all([invoke(), invoke(), invoke()]);
    assert.deepEqual([ends.length, log.length], [2, 1]);
    await lose();
    await assert.rejects(invoke(), { code: "closed", message: "the interceptor server was lost; it is tried again in 250 ms" });
    await host.advance(250);
    await invoke();
    // What has lasted begins anew.
    await host.advance(10_000);
    await lose();
    await invoke();
    assert.equal(ends.length, 4);
    await kept.close();
    assert.equal(kept.current, undefined);
    assert.equal(log.length, 3);
  });

  it("that cannot be made again says why, and is tried again later; given back, it is not", async () => {
    const { host, kept, invoke, lose, die, ends } = await rig();
    die(true);
    await lose();
    await assert.rejects(invoke(), /spawn failed/);
    await assert.rejects(invoke(), { code: "closed", message: /tried again in 250 ms/ });
    die(false);
    await host.advance(250);
    await invoke();
    await kept.close();
    await assert.rejects(invoke(), { code: "closed", message: /given back/ });
    assert.equal(ends.length, 2);
    assert.equal(host.liveTimers, 0);
  });
});
