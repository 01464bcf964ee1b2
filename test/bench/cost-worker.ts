// Guards one request with chains of all shapes, and writes what each has cost, as JSON. Runs under cost-hooks.mjs.
import { createChain } from "../../src/core/client/local-chain.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { guardTransport } from "../../src/core/guard/guard.ts";
import { mutator, validator, type Interceptor } from "../../src/core/interceptor/define.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { SHAPES, type Cost, type Shape } from "./cost-model.ts";

// What cost-hooks.mjs counts.
const { cost: copies } = globalThis as unknown as { cost: { clones: number; containers: number } };

const HOOKS = [{ events: ["tools/call"], phase: "request" }] as const;
// As many objects as cost-model.ts says.
const PARAMS = { name: "echo", arguments: { text: "hello" } };

async function measure({ validators, mutators, changes, mode, where, promised }: Shape): Promise<Cost> {
  let invocations = 0;
  let timers = 0;
  let messages = 0;
  const fake = fakeHost();
  const host = {
    ...fake,
    setTimer(callback: () => void, ms: number) {
      timers++;
      return fake.setTimer(callback, ms);
    },
  };
  const given = <T>(output: T): T | Promise<T> => (promised ? Promise.resolve(output) : output);
  const interceptors: Interceptor[] = [];
  for (let at = 0; at < validators; at++) {
    interceptors.push(validator({ name: `v-${at}`, hooks: HOOKS, mode }, () => given(++invocations > 0)));
  }
  for (let at = 0; at < mutators; at++) {
    interceptors.push(
      mutator({ name: `m-${at}`, hooks: HOOKS, mode }, ({ payload }) => {
        invocations++;
        return given(changes && at === 0 ? { ...payload, name: "echo2" } : payload);
      }),
    );
  }

  const chain = createChain({ host });
  if (where === "in process") chain.add(interceptors);
  else {
    const [clientEnd, serverEnd] = memoryPair();
    const server = new McpServer({ name: "interceptors", version: "1.0.0" }, { host });
    hostInterceptors(server, interceptors);
    const client = new McpClient({ name: "guard", version: "1.0.0" }, { host });
    // Both ends answer each other while they connect.
    await Promise.all([server.connect(serverEnd), client.connect(counting(clientEnd, () => messages++))]);
    await chain.addSource(clientSource(client, { label: "remote" }));
  }

  const sent: unknown[] = [];
  let deliver: (arrived: boolean) => void = () => {};
  const asked = new Promise<boolean>((resolve) => (deliver = resolve));
  let asks = 1;
  const inner: Transport = {
    async send(frame) {
      sent.push(frame.message);
    },
    async receive() {
      if (!(await asked) || asks-- === 0) return undefined;
      return { frame: { message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: PARAMS } }, from: { transport: "memory", connection: "c" } };
    },
    async close() {},
  };
  const guard = guardTransport(inner, { role: "server", host, chain: { current: () => chain } });
  const received = guard.receive();
  await settle();
  const before = { ...copies, timers, messages };
  deliver(true);
  const arrival = await received;
  await settle();
  if (arrival === undefined || sent.length > 0) throw new TypeError("the request has not passed");
  return {
    invocations,
    messages: messages - before.messages,
    clones: copies.clones - before.clones,
    containers: copies.containers - before.containers,
    timers: timers - before.timers,
  };
}

function counting(transport: Transport, count: () => void): Transport {
  return {
    send(frame, route) {
      count();
      return transport.send(frame, route);
    },
    async receive() {
      const arrival = await transport.receive();
      if (arrival !== undefined) count();
      return arrival;
    },
    close: (why) => transport.close(why),
  };
}

const costs: { shape: Shape; cost: Cost }[] = [];
for (const shape of SHAPES) costs.push({ shape, cost: await measure(shape) });
console.log(JSON.stringify(costs));
process.exit(0);
