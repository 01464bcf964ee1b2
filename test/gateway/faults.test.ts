// src/gateway: whatever an upstream does, every request is answered exactly once, and nothing is left behind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChain } from "../../src/core/client/local-chain.ts";
import { mutator } from "../../src/core/interceptor/define.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import type { Gateway, UpstreamTarget } from "../../src/gateway/plan.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { seededRandom } from "../support/random.ts";
import { gatewayFor } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, STATELESS, type RawEnd } from "./raw.ts";

const SEED = 20260728;
const QUESTION = { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } };

/** An upstream that answers the lifecycle, and does to each call what chance says. Every word of a payload that it sends is `unguarded`. */
function chaotic(version: string, roll: (sides: number) => number): { readonly target: UpstreamTarget; readonly deeds: Map<string, number> } {
  const deeds = new Map<string, number>();
  const serve = async (transport: Transport) => {
    const end = rawEnd(transport);
    // Calls that wait for the client's word, by the id of the question.
    const asking = new Map<unknown, unknown>();
    let questions = 0;
    const result = (id: unknown, more: JsonObject = {}) => end.send({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "unguarded" }], ...more } }).catch(() => {});
    const deed = (name: string) => void deeds.set(name, (deeds.get(name) ?? 0) + 1);
    for (let text = await end.next(); text !== undefined; text = await end.next()) {
      const { id, method, params = {} } = JSON.parse(text) as { id?: unknown; method?: string; params?: JsonObject };
      if (method === "server/discover") await end.send({ jsonrpc: "2.0", id, result: { resultType: "complete", supportedVersions: [version], capabilities: { tools: {} } } });
      else if (method === "initialize") await end.send({ jsonrpc: "2.0", id, result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "chaos", version: "1" } } });
      else if (method === undefined && asking.has(id)) {
        await result(asking.get(id));
        asking.delete(id);
      } else if (method === "tools/call") {
        const answered = params["inputResponses"] !== undefined;
        switch (answered ? 0 : roll(9)) {
          case 0:
          case 1:
            await result(id);
            break;
          case 2:
            deed("twice");
            await result(id);
            await result(id);
            break;
          case 3:
            deed("error");
            await end.send({ jsonrpc: "2.0", id, error: { code: -32000, message: "unguarded", data: "unguarded" } });
            break;
          case 4:
            deed("dies");
            await end.end();
            return;
          case 5:
            deed("silent");
            break;
          case 6:
            deed("asks");
            if (version === STATELESS) await end.send({ jsonrpc: "2.0", id, result: { resultType: "input_required", inputRequests: { k: QUESTION } } });
            else {
              const question = `q${++questions}`;
              asking.set(question, id);
              await end.send({ jsonrpc: "2.0", id: question, ...QUESTION });
            }
            break;
          case 7:
            deed("malformed");
            await end.send({ jsonrpc: "2.0", id, result: { resultType: "input_required", inputRequests: { k: { method: 5 } } } }).catch(() => {});
            break;
          default:
            deed("nobody's");
            await result(4_711);
            await result("1");
            await end.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 99, progress: 1, message: "unguarded" } }).catch(() => {});
            await result(id, { structuredContent: { x: "unguarded" } });
        }
      }
    }
  };
  return {
    target: {
      connect() {
        const [near, far] = memoryPair();
        void serve(far);
        return near;
      },
    },
    deeds,
  };
}

interface Tally {
  readonly answers: Map<unknown, number>;
  readonly texts: string[];
  asked: number;
}

/** A client that answers what it is asked, goes on with what waits for it, and counts what comes. */
function counting(end: RawEnd, stateless: boolean): { readonly tally: Tally; call(id: string, more?: JsonObject): Promise<void> } {
  const tally: Tally = { answers: new Map(), texts: [], asked: 0 };
  const call = async (id: string, more: JsonObject = {}) => {
    tally.answers.set(id, tally.answers.get(id) ?? 0);
    const _meta = stateless ? (JSON.parse(metaOf({ elicitation: {} })) as JsonObject) : undefined;
    await end.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", ...more, ...(_meta === undefined ? {} : { _meta }) } });
  };
  const listen = async () => {
    for (let text = await end.next(); text !== undefined; text = await end.next()) {
      const message = JSON.parse(text) as { id?: unknown; method?: string; result?: JsonObject };
      if (message.method !== undefined) {
        if (message.id !== undefined) {
          tally.asked++;
          await end.send({ jsonrpc: "2.0", id: message.id, result: { action: "decline" } }).catch(() => {});
        }
        continue;
      }
      tally.answers.set(message.id, (tally.answers.get(message.id) ?? 0) + 1);
      tally.texts.push(text);
      if (message.result?.["resultType"] !== "input_required") continue;
      tally.asked++;
      const keys = Object.keys(message.result["inputRequests"] as object);
      const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "decline" }]));
      const state = message.result["requestState"];
      await call(`${String(message.id)}+`, { inputResponses, ...(state === undefined ? {} : { requestState: state }) });
    }
  };
  void listen();
  return { tally, call };
}

const guarded = mutator({ name: "guarded", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => JSON.parse(JSON.stringify(payload).replaceAll("unguarded", "seen")) as typeof payload);

function face(gateway: Gateway): RawEnd {
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  return rawEnd(near);
}

describe("an upstream that does what chance says", () => {
  for (const [version, era] of [[HANDSHAKE, "handshake"], [STATELESS, "stateless"]] as const) {
    for (const sharing of ["session", "shared"] as const) {
      it(`in the ${era} era, ${sharing}: each request has one answer, and no byte goes round the guard`, async () => {
        const random = seededRandom(SEED);
        const host = fakeHost();
        const { target, deeds } = chaotic(version, (sides) => random.below(sides));
        const chain = createChain();
        chain.add(guarded);
        const gateway = await gatewayFor(target, { host, chain: () => chain }, { era, sharing, callTimeoutMs: 5_000, backOff: { firstMs: 10, longestMs: 10 } });
        const clients: ReturnType<typeof counting>[] = [];
        for (const stateless of [false, false, true, true]) {
          const end = face(gateway);
          if (!stateless) await opened(end, { elicitation: {} });
          clients.push(counting(end, stateless));
        }
        for (let round = 0; round < 40; round++) {
          await Promise.all(clients.map((client, index) => client.call(`${index}-${round}`)));
          await settle();
          if (round % 4 === 3) await host.advance(1 + random.below(3_000));
        }
        await host.advance(20_000);
        // States are sealed in real threads, and so in real time.
        const waits = () => clients.some(({ tally }) => [...tally.answers.values()].includes(0));
        for (let turn = 0; turn < 2_000 && waits(); turn++) await host.advance(50);
        for (const { tally } of clients) {
          const wrong = [...tally.answers].filter(([, count]) => count !== 1);
          assert.deepEqual(wrong, [], `seed ${SEED}`);
          assert.ok(tally.answers.size >= 40);
          assert.deepEqual(tally.texts.filter((text) => text.includes("unguarded")), []);
        }
        // Chance must have had its say, or the test has seen nothing.
        for (const what of ["twice", "error", "dies", "silent", "asks", "malformed", "nobody's"]) assert.ok((deeds.get(what) ?? 0) > 0, what);
        assert.ok(clients.some(({ tally }) => tally.asked > 0));
        const closing = gateway.close();
        await host.advance(30_000);
        await closing;
        const { faces, calls, parked } = gateway.stats();
        assert.deepEqual([faces, calls, parked, host.liveTimers], [0, 0, 0, 0]);
      });
    }
  }
});

describe("a client that leaves in the middle", () => {
  it("has its calls cancelled, and what comes after that goes nowhere", async () => {
    const up = rawUpstream();
    const host = fakeHost();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake", sharing: "shared" });
    const leaving = face(gateway);
    const staying = face(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(leaving), opened(staying)]);
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } });
    await leaving.send(call(1));
    const first = await server.message();
    await staying.send(call(1));
    const second = await server.message();
    await leaving.end();
    // It may still read, for a while.
    await host.advance(5_000);
    assert.deepEqual(((await server.message())["params"] as JsonObject)["requestId"], first["id"]);
    await server.send({ jsonrpc: "2.0", id: first["id"], result: { content: [] } });
    await server.send({ jsonrpc: "2.0", id: second["id"], result: { content: [{ type: "text", text: "mine" }] } });
    assert.match(String(await staying.next()), /mine/);
    await settle();
    assert.deepEqual([staying.waiting, gateway.stats().calls, gateway.stats().faces], [[], 0, 1]);
    await gateway.close();
  });
});
