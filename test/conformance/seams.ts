// Every place of this package where a guard can stand, for the vectors to be played on.
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { guardClient, guardServer } from "../../src/core/guard/attach.ts";
import { guardTransport } from "../../src/core/guard/guard.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { fromSdkTransport, toSdkTransport } from "../../src/core/transport/sdk-adapters.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { transportSeam, type GuardSeam, type SeamParts } from "../../src/conformance/own-guard.ts";
import type { GuardVector } from "../../src/conformance/vector.ts";
import { guardedRelay } from "../../src/gateway/guarded-relay.ts";
import { bytePipes } from "../support/byte-pipe.ts";
import { scriptedTransport } from "../support/scripted-transport.ts";
import type { SeamRow } from "./play-seam.ts";

const onlyFor = (role: "server" | "client") => (input: GuardVector["input"]) => (input.role === role ? undefined : `it guards a ${input.role}`);

const pairOf = (lines: boolean): [Transport, Transport] => {
  if (!lines) return memoryPair();
  const [near, far] = bytePipes({ chunkBytes: 1000 });
  return [lineTransport(near, { invalid: "drop" }), lineTransport(far, { invalid: "drop" })];
};

/**
 * The transport that a server or client talks through once it is guarded, with the application taken off: a vector's application does what
 * none of ours would (answer twice, say), so the vector plays on what `connect` has made.
 */
function onPeer(guardIt: (parts: SeamParts, onto: McpServer | McpClient) => unknown): GuardSeam {
  return (parts) => {
    const [peer, inner] = memoryPair();
    const idle = scriptedTransport();
    let guarded: Transport | undefined;
    const takeOff = (transport: Transport) => {
      guarded = transport;
      return idle;
    };
    if (parts.role === "server") {
      const server = new McpServer({ name: "s", version: "1" }, { host: parts.host });
      guardIt(parts, server);
      server.wrapTransport(takeOff).connect(inner);
    } else {
      const client = new McpClient({ name: "c", version: "1" }, { host: parts.host });
      guardIt(parts, client);
      // What the client itself says goes to the idle transport, which never answers.
      client.wrapTransport(takeOff).connect(inner).catch(() => {});
    }
    if (guarded === undefined) throw new TypeError("nothing was connected");
    return { app: guarded, peer };
  };
}

/** The relay between two connections: the application is at the far end of one, whoever talks to it at the far end of the other. */
function relaySeam(lines: boolean): GuardSeam {
  return ({ role, chain, options, host }) => {
    const [down, client] = pairOf(lines);
    const [up, server] = pairOf(lines);
    guardedRelay(down, up, { chain, posture: role, guard: options, relay: { host } });
    return role === "server" ? { app: server, peer: client } : { app: client, peer: server };
  };
}

export const SEAMS: readonly SeamRow[] = [
  { name: "guardTransport, in memory", open: transportSeam },
  {
    name: "guardTransport, on lines of text",
    open({ role, chain, options }) {
      const [peer, inner] = pairOf(true);
      return { app: guardTransport(inner, { ...options, role, chain: { current: () => chain } }), peer };
    },
  },
  {
    name: "guardServer on an McpServer",
    open: onPeer(({ chain, options }, server) => guardServer(server, chain, options)),
    inexpressible: onlyFor("server"),
  },
  {
    name: "guardClient on an McpClient",
    open: onPeer(({ chain, options }, client) => guardClient(client, chain, options)),
    inexpressible: onlyFor("client"),
  },
  { name: "guardedRelay, posture server", open: relaySeam(false), inexpressible: onlyFor("server") },
  { name: "guardedRelay, posture client", open: relaySeam(false), inexpressible: onlyFor("client") },
  { name: "guardedRelay, posture server, on lines of text", open: relaySeam(true), inexpressible: onlyFor("server") },
  { name: "guardedRelay, posture client, on lines of text", open: relaySeam(true), inexpressible: onlyFor("client") },
  {
    name: "both adapters of the official SDKs' shape",
    open({ role, chain, options }) {
      const [peer, inner] = memoryPair();
      const below = fromSdkTransport(toSdkTransport(inner));
      const guard = guardTransport(below, { ...options, role, chain: { current: () => chain } });
      return { app: fromSdkTransport(toSdkTransport(guard)), peer };
    },
  },
];
