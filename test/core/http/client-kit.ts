import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { httpTransport, type HttpTransportOptions } from "../../../src/core/http/http-client.ts";
import type { LogEntry } from "../../../src/core/jsonrpc/log.ts";
import type { Arrival, Transport } from "../../../src/core/transport/transport.ts";
import type { Message, RequestId } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";
import { scriptedHttp, type ScriptedCall, type ScriptedHttp } from "../../support/scripted-http.ts";

export const URL_OF_SERVER = "https://server.example/mcp";

export interface Rig {
  readonly http: ScriptedHttp;
  readonly host: FakeHost;
  readonly transport: Transport;
  readonly logged: LogEntry[];
  /** Sends and gives the server's side of it. */
  post(message: JsonObject): Promise<ScriptedCall>;
  /** What has arrived by now, in order. */
  arrived(): Promise<Arrival[]>;
  /** The one message that has arrived by now. */
  only(): Promise<Message>;
  /** Closes, answers what that sends, and checks that nothing is left. */
  done(): Promise<void>;
}

export function rig(options: Partial<HttpTransportOptions> = {}): Rig {
  const http = scriptedHttp();
  const host = fakeHost();
  const logged: LogEntry[] = [];
  const transport = httpTransport({ url: URL_OF_SERVER, send: http.send, host, log: (entry) => logged.push(entry), ...options });
  const arrivals: Arrival[] = [];
  let broken: unknown;
  const pump = async () => {
    for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) arrivals.push(arrival);
  };
  pump().catch((thrown: unknown) => (broken = thrown));
  const arrived = async () => {
    await settle();
    return arrivals.splice(0);
  };
  return {
    http,
    host,
    transport,
    logged,
    async post(message) {
      await transport.send({ message: message as unknown as Message });
      return await http.next();
    },
    arrived,
    async only() {
      const all = await arrived();
      assert.equal(all.length, 1, `${all.length} arrivals: ${JSON.stringify(all)}${broken === undefined ? "" : String(broken)}`);
      return all[0]!.frame.message;
    },
    async done() {
      const closed = transport.close();
      await settle();
      for (const call of http.calls) if (call.method === "DELETE") call.respond(405);
      await closed;
      await settle();
      assert.equal(host.liveTimers, 0, "timers are left");
    },
  };
}

export const STATELESS = "2026-07-28";

/** A request of revision 2026-07-28. */
export function modern(id: RequestId, method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { [META.protocolVersion]: STATELESS, [META.clientCapabilities]: {} } } };
}

export const result = (id: RequestId, value: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id, result: value });
export const failed = (id: RequestId | null, code: number, message = "no"): JsonObject => ({ jsonrpc: "2.0", id, error: { code, message } });
export const notification = (method: string, params?: JsonObject): JsonObject => ({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });

/** What a stand-in error says. */
export function standIn(message: Message): { delivery: unknown; httpStatus: unknown; message: string } {
  assert.ok("error" in message, JSON.stringify(message));
  const data = message.error.data as { delivery?: unknown; httpStatus?: unknown };
  return { delivery: data.delivery, httpStatus: data.httpStatus, message: message.error.message };
}

/** A rig whose session `s1` is open, `notifications/initialized` sent; its GET stream waits in `stream`. */
export async function inSession(options: Partial<HttpTransportOptions> = {}, version = "2025-11-25"): Promise<Rig & { readonly stream: ScriptedCall }> {
  const open = rig(options);
  const first = await open.post({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
  first.json(result(0, { protocolVersion: version, capabilities: {}, serverInfo: { name: "s", version: "1" } }), { headers: { "mcp-session-id": "s1" } });
  await open.arrived();
  const second = await open.post(notification("notifications/initialized"));
  second.respond(202, { text: "Accepted", type: "text/plain" });
  return { ...open, stream: await open.http.next() };
}
