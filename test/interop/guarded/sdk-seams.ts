// The places where a guard stands on an official SDK's side, in memory, for the vectors of guards. What the vector says is played on the SDK's own
// transports, as its protocol objects use them: pushed, in the order of their coming.
import { Client as Client2x, InMemoryTransport as InMemory2x } from "@modelcontextprotocol/client";
import { Client as Client1x } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemory1x } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1x } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2x } from "@modelcontextprotocol/server";
import { createQueue } from "../../../src/core/base/queue.ts";
import { guardClient, guardServer } from "../../../src/core/guard/attach.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { fromSdkTransport, toSdkTransport, type SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Arrival, Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import type { SeamParts } from "../../../src/conformance/own-guard.ts";
import type { SeamRow } from "../../conformance/play-seam.ts";

/** A transport of theirs, played by hand. */
function played(sdk: SdkTransport): Transport {
  const arrivals = createQueue<Arrival>();
  sdk.onmessage = (message) => void arrivals.push({ frame: { message: message as Message }, from: { transport: "memory", connection: "played" } });
  sdk.onclose = () => arrivals.close();
  return {
    send: ({ message }) => sdk.send(message),
    receive: () => arrivals.pull(),
    close: () => sdk.close(),
  };
}

/** The far end is started at once, as a peer that is there. */
function peerOf(far: SdkTransport): Transport {
  const peer = played(far);
  void far.start();
  return peer;
}

// Optional members that are undefined are no difference to them.
const pairs: Readonly<Record<"1.x" | "2.x", () => readonly [SdkTransport, SdkTransport]>> = {
  "1.x": () => InMemory1x.createLinkedPair() as unknown as [SdkTransport, SdkTransport],
  "2.x": () => InMemory2x.createLinkedPair() as unknown as [SdkTransport, SdkTransport],
};

const byHand = (line: "1.x" | "2.x"): SeamRow => ({
  name: `an in-memory transport of ${line}, guarded by hand`,
  open({ role, chain, options }) {
    const [near, far] = pairs[line]();
    const guarded = toSdkTransport(guardTransport(fromSdkTransport(near), { ...options, role, chain: { current: () => chain } }), { around: near });
    const app = played(guarded);
    void guarded.start();
    return { app, peer: peerOf(far) };
  },
});

/** Whatever is connected, its own protocol object is taken off the transport that it was given, once it is on it. */
const connectedTo = (what: string, role: "server" | "client", line: "1.x" | "2.x", connect: (parts: SeamParts, near: SdkTransport) => SdkTransport | undefined): SeamRow => ({
  name: `${what} of ${line}`,
  open(parts) {
    const [near, far] = pairs[line]();
    // A client that finds a session takes itself for connected before, and says nothing.
    if (role === "client") near.sessionId = "s";
    const guarded = connect(parts, near);
    if (guarded === undefined || guarded === near) throw new TypeError("nothing was guarded");
    return { app: played(guarded), peer: peerOf(far) };
  },
  inexpressible: (input) => (input.role === role ? undefined : `it guards a ${input.role}`),
});

// Their types of a transport differ from ours in optional members that are undefined.
export const SDK_SEAMS: readonly SeamRow[] = [
  byHand("1.x"),
  byHand("2.x"),
  connectedTo("guardServer on an McpServer", "server", "1.x", ({ chain, options }, near) => {
    const server = guardServer(new McpServer1x({ name: "s", version: "1" }), chain, options);
    void server.connect(near as never);
    return server.server.transport as unknown as SdkTransport;
  }),
  connectedTo("guardServer on an McpServer", "server", "2.x", ({ chain, options }, near) => {
    const server = guardServer(new McpServer2x({ name: "s", version: "1" }), chain, options);
    void server.connect(near as never);
    return server.server.transport as unknown as SdkTransport;
  }),
  connectedTo("guardClient on a Client", "client", "1.x", ({ chain, options }, near) => {
    const client = guardClient(new Client1x({ name: "c", version: "1" }), chain, options);
    void client.connect(near as never);
    return client.transport as unknown as SdkTransport;
  }),
  connectedTo("guardClient on a Client", "client", "2.x", ({ chain, options }, near) => {
    const client = guardClient(new Client2x({ name: "c", version: "1" }), chain, options);
    void client.connect(near as never);
    return client.transport as unknown as SdkTransport;
  }),
];
