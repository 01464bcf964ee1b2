import assert from "node:assert/strict";
import type { JsonObject } from "../../src/core/base/json.ts";
import { resolveLimits } from "../../src/core/base/limits.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { decodeFrame, encodeFrame } from "../../src/core/wire/frame.ts";
import { META } from "../../src/core/wire/versions.ts";
import type { UpstreamTarget } from "../../src/gateway/plan.ts";

/** One end of a connection that speaks in texts: what a peer of no library writes and reads. */
export interface RawEnd {
  send(text: string | JsonObject): Promise<void>;
  /** The text of the next message; undefined at the end. */
  next(): Promise<string | undefined>;
  /** The next message that is no notification of progress or the like: a request or a response. */
  message(): Promise<JsonObject>;
  end(): Promise<void>;
  /** Every text that has arrived and that `next` has not given yet. */
  readonly waiting: readonly string[];
}

export function rawEnd(transport: Transport): RawEnd {
  const waiting: string[] = [];
  let puller: ((text: string | undefined) => void) | undefined;
  let over = false;
  const pump = async () => {
    for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) {
      const text = encodeFrame(arrival.frame);
      if (puller === undefined) waiting.push(text);
      else puller(text);
      puller = undefined;
    }
    over = true;
    puller?.(undefined);
  };
  void pump();
  const next = (): Promise<string | undefined> => {
    if (waiting.length > 0) return Promise.resolve(waiting.shift());
    return over ? Promise.resolve(undefined) : new Promise((resolve) => (puller = resolve));
  };
  return {
    async send(given) {
      const { frame, invalid } = decodeFrame(typeof given === "string" ? given : JSON.stringify(given), resolveLimits());
      assert.ok(frame, JSON.stringify(invalid));
      await transport.send(frame);
    },
    next,
    async message() {
      const text = await next();
      assert.ok(text !== undefined, "the connection has ended");
      return JSON.parse(text) as JsonObject;
    },
    end: () => transport.close(),
    waiting,
  };
}

/** An upstream that the test plays, connection by connection. */
export interface RawUpstream {
  readonly target: UpstreamTarget;
  readonly connections: RawEnd[];
  /** Waits for a connection and greets on it, as a server of an era. */
  greet(version: string, capabilities?: JsonObject): Promise<RawEnd>;
}

export function rawUpstream(): RawUpstream {
  const connections: RawEnd[] = [];
  const waiters: ((end: RawEnd) => void)[] = [];
  let taken = 0;
  return {
    connections,
    target: {
      connect() {
        const [near, far] = memoryPair();
        const end = rawEnd(far);
        connections.push(end);
        waiters.shift()?.(end);
        return near;
      },
    },
    async greet(version, capabilities = { tools: {} }) {
      const end = connections[taken] ?? (await new Promise<RawEnd>((resolve) => waiters.push(resolve)));
      taken++;
      for (;;) {
        const { id, method } = await end.message();
        const stateless = version >= "2026-07-28";
        if (method === "server/discover" && !stateless) {
          await end.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
        } else if (method === "server/discover") {
          await end.send({ jsonrpc: "2.0", id, result: { resultType: "complete", supportedVersions: [version], capabilities, _meta: { [META.serverInfo]: { name: "raw", version: "1" } } } });
          return end;
        } else if (method === "initialize") {
          await end.send({ jsonrpc: "2.0", id, result: { protocolVersion: version, capabilities, serverInfo: { name: "raw", version: "1" } } });
          assert.match(String(await end.next()), /notifications\/initialized/);
          return end;
        } else assert.fail(`unexpected ${String(method)}`);
      }
    },
  };
}

export const HANDSHAKE = "2025-11-25";
export const STATELESS = "2026-07-28";

/** `_meta` of a stateless request, as text. */
export function metaOf(capabilities: JsonObject = {}, more: JsonObject = {}): string {
  return JSON.stringify({ [META.protocolVersion]: STATELESS, [META.clientCapabilities]: capabilities, ...more });
}

/** A raw client that has opened a session. */
export async function opened(end: RawEnd, capabilities: JsonObject = {}, version = HANDSHAKE): Promise<JsonObject> {
  await end.send({ jsonrpc: "2.0", id: "init", method: "initialize", params: { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } } });
  const answer = await end.message();
  assert.equal(answer["id"], "init");
  assert.ok(answer["result"], JSON.stringify(answer));
  await end.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return answer["result"] as JsonObject;
}
