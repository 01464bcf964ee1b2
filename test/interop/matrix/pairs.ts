// Who is put together with whom, and over what.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InMemoryTransport as InMemory2x } from "@modelcontextprotocol/client";
import { InMemoryTransport as InMemory1x } from "@modelcontextprotocol/sdk/inMemory.js";
import type { SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { client1x } from "./client-1x.ts";
import { client2x } from "./client-2x.ts";
import { ours } from "./client-ours.ts";
import { asOfficial, asOurs, maybeWrapped, type ClientKind, type End, type Link } from "./driver.ts";
import { library } from "./library.ts";

export interface ServerKind {
  readonly label: string;
  readonly versions: readonly string[];
  readonly script: string;
  /** Serves one connection in this process; gives what ends it. */
  serve(end: End): Promise<() => Promise<unknown>>;
  /** Listens for HTTP in this process; `wrap` is put around each transport, in our form of it. */
  listen(wrap?: End["wrap"]): Promise<{ readonly url: string; close(): Promise<unknown> }>;
}

interface Served {
  close(): Promise<unknown>;
}

interface Program<Carrier> {
  serve(transport: Carrier): Served | Promise<Served>;
  listen(wrap: (transport: Carrier) => Carrier): ReturnType<ServerKind["listen"]>;
}

const script = (name: string): string => join(import.meta.dirname, "servers", name);
// The programs are JavaScript, as plain node runs them.
const program = async <Carrier>(name: string) => (await import(pathToFileURL(script(name)).href)) as Program<Carrier>;
const official = (label: string, versions: readonly string[], name: string): ServerKind => ({
  label,
  versions,
  script: script(name),
  async serve(end) {
    const served = await (await program<SdkTransport>(name)).serve(asOfficial(end));
    return () => served.close();
  },
  listen: async (wrap) => (await program<SdkTransport>(name)).listen((transport) => maybeWrapped(transport, wrap)),
});

export const CLIENTS: readonly ClientKind[] = [ours, client1x, client2x];
export const SERVERS: readonly ServerKind[] = [
  {
    label: "ours",
    versions: library.PROTOCOL_VERSIONS,
    script: script("ours.mjs"),
    async serve(end) {
      const served = await (await program<Transport>("ours.mjs")).serve(asOurs(end));
      return () => served.close();
    },
    listen: async (wrap = (transport) => transport) => (await program<Transport>("ours.mjs")).listen(wrap),
  },
  official("1.x", library.HANDSHAKE_VERSIONS, "official-1x.mjs"),
  official("2.x", library.PROTOCOL_VERSIONS, "official-2x.mjs"),
];

export interface Pair {
  readonly client: ClientKind;
  readonly server: ServerKind;
  readonly version: string;
}

export const PAIRS: readonly Pair[] = CLIENTS.flatMap((client) =>
  SERVERS.flatMap((server) => client.versions.filter((version) => server.versions.includes(version)).map((version) => ({ client, server, version }))),
);

export const WIRES = ["stdio", "memory"] as const;
export type Wire = (typeof WIRES)[number];

export interface Opened {
  readonly link: Link;
  close(): Promise<unknown>;
}

/** In memory each end goes through our adapters: once on our own side, there and back on an official one. */
export async function openWire(wire: Wire, pair: Pair): Promise<Opened> {
  return wire === "stdio" ? { link: startOf(pair.server), close: () => Promise.resolve() } : openMemory(pair);
}

/** The server's own command line, by plain node; behind `before`, where that is given. */
export function startOf({ script: program }: ServerKind, before: readonly string[] = []): Extract<Link, { kind: "stdio" }> {
  const [command, ...args] = [...before, process.execPath, program];
  // There is the program, at least.
  return { kind: "stdio", command: command!, args };
}

/** What is put into either end is ours. */
export async function openMemory({ client, server }: Pair, wraps: { readonly client?: End["wrap"]; readonly server?: End["wrap"] } = {}): Promise<Opened> {
  const pair = [client.label, server.label].includes("1.x") ? InMemory1x.createLinkedPair() : InMemory2x.createLinkedPair();
  // Optional members that are undefined are no difference to them.
  const [near, far] = pair as unknown as readonly [SdkTransport, SdkTransport];
  const end = (raw: SdkTransport, wrap: End["wrap"]): End => ({ raw, ...(wrap === undefined ? {} : { wrap }) });
  const close = await server.serve(end(far, wraps.server));
  return { link: { kind: "memory", end: end(near, wraps.client) }, close };
}
