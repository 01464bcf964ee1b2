// The wire of the matrix that is HTTP: over loopback, plain; with guards around the transports at both ends; and through a proxy that cuts connections.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { textOf, type Link, type MatrixClient } from "./driver.ts";
import { library } from "./library.ts";
import type { Opened, Pair } from "./pairs.ts";

/** Streamable HTTP is of 2025-03-26, so that there is none in the revision before. */
export const HTTP_SINCE = "2025-03-26";

type Wrap = (transport: Transport) => Transport;

export async function openHttp({ server }: Pair, wraps: { readonly client?: Wrap; readonly server?: Wrap } = {}): Promise<Opened> {
  const { url, close } = await server.listen(wraps.server);
  const link: Link = { kind: "http", url, ...(wraps.client === undefined ? {} : { wrap: wraps.client }) };
  return { link, close };
}

const WORDS = { client: "refused by the client's guard", server: "refused by the server's guard" } as const;

async function guard(role: "client" | "server"): Promise<Wrap> {
  const hooks = [{ events: ["tools/call"], phase: "request" as const }];
  const chain = await library.localChain([
    library.validator({ name: "no-word", hooks }, ({ payload }) =>
      JSON.stringify(payload).includes(WORDS[role]) ? library.deny(WORDS[role]) : library.allow(),
    ),
  ]);
  return (transport) => library.guardTransport(transport, { role, chain: { current: () => chain } });
}

export const openGuarded = async (pair: Pair): Promise<Opened> => openHttp(pair, { client: await guard("client"), server: await guard("server") });

/** That a pair which was opened by `openGuarded` is guarded at each end that has a transport to guard. */
export async function assertGuarded(client: MatrixClient, { server }: Pair, version: string): Promise<void> {
  assert.equal(textOf(await client.call("echo", { text: "let through" })), "let through");
  // The 2.x line makes its stateless transports itself, within its handler.
  const ends = server.label === "2.x" && version >= "2026" ? (["client"] as const) : (["client", "server"] as const);
  for (const end of ends) {
    const refusal = await client.call("echo", { text: WORDS[end] }).then((result) => (result["isError"] === true ? JSON.stringify(result) : "answered"), String);
    assert.match(refusal, /Interceptor validation failed/, `the ${end}'s guard`);
  }
}

export interface Cutting extends Opened {
  /** Ends all connections, and gives their number; new ones can be made. */
  cut(): number;
}

/** A pair with a proxy between that can cut. */
export async function openCutting(pair: Pair): Promise<Cutting> {
  const { url, close } = await pair.server.listen();
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: own } = proxy.address() as AddressInfo; // it listens on a port
  const cut = () => {
    const open = [...sockets];
    for (const socket of open) socket.destroy();
    // Each has two ends here.
    return open.length / 2;
  };
  return {
    link: { kind: "http", url: `http://127.0.0.1:${own}/mcp` },
    cut,
    async close() {
      proxy.close();
      await close();
      cut();
    },
  };
}

/** Cuts all connections while a call is being answered by a stream, and then lets the call end. */
export async function assertResumes(client: MatrixClient, cut: () => number): Promise<void> {
  const told: number[] = [];
  let connections = 0;
  let released: Promise<unknown> | undefined;
  const release = async () => {
    // A client may not have noticed yet that its idle connections are gone, and what it sends on one fails.
    for (let attempt = 1; ; attempt++) {
      try {
        return textOf(await client.call("release", {}));
      } catch (thrown) {
        if (attempt === 10) throw thrown;
        await pause(50);
      }
    }
  };
  const onProgress = ({ progress }: { readonly progress: number }) => {
    if (told.push(progress) < 3) return;
    connections = cut();
    released = release();
    // Whoever awaits it hears of it.
    released.catch(() => {});
  };
  const result = await client.call("progress", { steps: 3 }, { onProgress });
  assert.ok(connections > 0, "there was nothing to cut");
  assert.equal(await released, "released");
  assert.equal(textOf(result), "done");
  assert.deepEqual(told, [1, 2, 3]);
}
