import { isObject, type JsonObject } from "../../src/core/base/json.ts";
import { RpcError } from "../../src/core/base/errors.ts";
import { createPeer, type Peer } from "../../src/core/jsonrpc/peer.ts";
import type { McpServer, ServerConnection } from "../../src/core/mcp/server.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { PeerContext, Transport } from "../../src/core/transport/transport.ts";
import { isStatelessVersion, META } from "../../src/core/wire/versions.ts";
import { bytePipes } from "./byte-pipe.ts";
import { fakeHost } from "./fake-host.ts";

export interface RawClientOptions {
  readonly version: string;
  readonly capabilities?: JsonObject;
  /** Answers what the server asks, as a request or in an `input_required` result. */
  readonly answer?: (method: string, params: JsonObject) => JsonObject;
  /** Bytes in pieces, as over stdio, in place of memory. */
  readonly lines?: boolean;
  /** What the server's transport says of us. */
  readonly principal?: PeerContext["principal"];
}

/** A client that does no more than the wire, of one revision; the test sees all of it. */
export interface RawClient {
  readonly peer: Peer;
  readonly connection: ServerConnection;
  /** What `initialize` or `server/discover` said. */
  readonly described: JsonObject;
  readonly notifications: { readonly method: string; readonly params: JsonObject }[];
  /** One request; a stateless one gets its `_meta`. */
  send(method: string, params?: JsonObject): Promise<JsonObject>;
  /** As `send`, and sends again with answers while the result is `input_required`. */
  call(method: string, params?: JsonObject): Promise<JsonObject>;
  /** The code and message of the error that a request gets. */
  failure(method: string, params?: JsonObject): Promise<{ code: number; message: string; data: unknown }>;
}

export async function rawClient(server: McpServer, options: RawClientOptions): Promise<RawClient> {
  const { version, capabilities = {}, answer = () => ({}), principal } = options;
  const [near, far] = options.lines === true ? linePair() : memoryPair();
  const connection = server.connect(principal === undefined ? far : asSeen(far, principal));
  const notifications: RawClient["notifications"] = [];
  const peer = createPeer(near, {
    host: fakeHost(),
    handler: ({ method, params }) => answer(method, params),
    onNotification: ({ method, params }) => void notifications.push({ method, params }),
  });
  const stateless = isStatelessVersion(version);
  const meta = { [META.protocolVersion]: version, [META.clientCapabilities]: capabilities };
  const send = (method: string, params: JsonObject = {}) =>
    peer.request(method, stateless ? { ...params, _meta: { ...meta, ...(isObject(params._meta) ? params._meta : {}) } } : params, { timeoutMs: Infinity });
  const described = stateless
    ? await send("server/discover")
    : await peer.request("initialize", { protocolVersion: version, capabilities, clientInfo: { name: "c", version: "1" } });
  if (!stateless) await peer.notify("notifications/initialized");
  return {
    peer,
    connection,
    described,
    notifications,
    send,
    async call(method, params = {}) {
      let result = await send(method, params);
      for (let round = 0; result.resultType === "input_required" && round < 10; round++) {
        const requests = Object.entries(result.inputRequests as Record<string, { method: string; params?: JsonObject }>);
        const inputResponses = Object.fromEntries(requests.map(([key, request]) => [key, answer(request.method, request.params ?? {})]));
        result = await send(method, { ...params, inputResponses, requestState: result.requestState });
      }
      return result;
    },
    async failure(method, params) {
      const outcome: unknown = await send(method, params).catch((error: unknown) => error);
      if (!(outcome instanceof RpcError)) throw outcome instanceof Error ? outcome : new TypeError(`${method} has not failed: ${JSON.stringify(outcome)}`);
      return { code: outcome.code, message: outcome.message, data: outcome.data };
    },
  };
}

function linePair(): [Transport, Transport] {
  const [near, far] = bytePipes();
  return [lineTransport(near, { invalid: "drop" }), lineTransport(far, { invalid: "answer" })];
}

function asSeen(transport: Transport, principal: NonNullable<PeerContext["principal"]>): Transport {
  return {
    send: (frame, route) => transport.send(frame, route),
    close: (why) => transport.close(why),
    async receive() {
      const arrival = await transport.receive();
      return arrival === undefined ? undefined : { ...arrival, from: { ...arrival.from, principal } };
    },
  };
}
