import assert from "node:assert/strict";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import type { Gateway, GatewayPlan, UpstreamPlan } from "../../src/gateway/plan.ts";
import { faceTransport, gatewayFor, type Way } from "../gateway/kit.ts";
import { HANDSHAKE, opened, rawEnd, rawUpstream, STATELESS, type RawEnd } from "../gateway/raw.ts";
import { metaOf } from "./kit.ts";

export const ERAS: readonly Era[] = ["handshake", "stateless"];

/** A client of one era, message by message. */
export interface PairClient {
  readonly end: RawEnd;
  /** A request; the `_meta` that its era needs is added. */
  ask(id: number | string, method: string, params?: JsonObject, meta?: JsonObject): Promise<void>;
  call(id: number | string, meta?: JsonObject, params?: JsonObject): Promise<void>;
  cancel(requestId: unknown, more?: JsonObject): Promise<void>;
  /** Everything that has come and was not read, as messages. */
  waiting(): JsonObject[];
}

export interface PairOptions {
  readonly way?: Way;
  readonly clients?: number;
  /** What each client announces. */
  readonly client?: JsonObject;
  readonly server?: JsonObject;
  readonly plan?: Partial<GatewayPlan>;
  readonly upstream?: Partial<UpstreamPlan>;
}

export interface Pair {
  readonly gateway: Gateway;
  /** The upstream's end of the one connection that all share. */
  readonly server: RawEnd;
  readonly clients: readonly [PairClient, PairClient];
  /** Ends the gateway, and the clients' connections, which over HTTP look for another one. */
  close(): Promise<void>;
}

/** A gateway between clients of one era and a server of another that the test plays, over one connection to it. */
export async function pairOf(face: Era, up: Era, { way = "memory", clients = 2, client = {}, server = { tools: {} }, plan = {}, upstream = {} }: PairOptions = {}): Promise<Pair> {
  const raw = rawUpstream();
  const gateway = await gatewayFor(raw.target, plan, { era: up, sharing: "shared", ...upstream });
  const greeted = raw.greet(up === "handshake" ? HANDSHAKE : STATELESS, server);
  const made: PairClient[] = [];
  for (let number = 0; number < clients; number++) {
    const end = rawEnd(faceTransport(gateway, way));
    if (face === "handshake") await opened(end, client);
    else {
      await end.send({ jsonrpc: "2.0", id: "first", method: "server/discover", params: { _meta: metaOf(client) } });
      assert.ok((await end.message())["result"]);
    }
    const ask: PairClient["ask"] = (id, method, params = {}, meta = {}) => {
      const _meta = face === "handshake" ? meta : metaOf(client, meta);
      return end.send({ jsonrpc: "2.0", id, method, params: Object.keys(_meta).length === 0 ? params : { ...params, _meta } });
    };
    made.push({
      end,
      ask,
      call: (id, meta, params = {}) => ask(id, "tools/call", { name: "t", ...params }, meta),
      cancel: (requestId, more = {}) => end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, ...more } as JsonObject }),
      waiting: () => end.waiting.map((text) => JSON.parse(text) as JsonObject),
    });
  }
  const played = await greeted;
  const [first] = made;
  // Over HTTP a stateless call is held to the tool's schema, which the gateway asks for where no list has gone by.
  if (face === "stateless" && way === "http" && server["tools"] !== undefined && first !== undefined) {
    await first.ask("tools", "tools/list");
    const { id } = await played.message();
    await played.send(result(id, { ...(up === "stateless" ? { resultType: "complete" } : {}), tools: [{ name: "t", inputSchema: { type: "object" } }] }));
    assert.ok((await first.end.message())["result"]);
  }
  // As many as were asked for; a test that asks for one takes one.
  const close = async () => {
    await gateway.close();
    for (const { end } of made) await end.end();
  };
  return { gateway, server: played, clients: made as [PairClient, PairClient], close };
}

export const result = (id: unknown, value: JsonObject = { resultType: "complete", content: [] }): JsonObject => ({ jsonrpc: "2.0", id: id as number, result: value });
export const metaIn = ({ params }: JsonObject): JsonObject => ((params as JsonObject)["_meta"] ?? {}) as JsonObject;
