// A relay with a guard in it, between two line transports; the fuzz run is both peers: text in, text out.
import { setImmediate } from "node:timers/promises";
import { createChain, type Chain } from "../../src/core/chain/chain.ts";
import { guardTransport, type GuardedTransport } from "../../src/core/guard/guard.ts";
import { relay, type Relay, type RelayEnd } from "../../src/core/guard/relay.ts";
import type { AttachOptions } from "../../src/core/guard/options.ts";
import { lineTransport, type ByteDuplex } from "../../src/core/transport/line-transport.ts";
import { guardedRelay, type Posture } from "../../src/gateway/guarded-relay.ts";
import { bytePipes } from "../support/byte-pipe.ts";
import { fakeHost, type FakeHost } from "../support/fake-host.ts";
import { MAX_BYTES } from "./breakage.ts";
import type { Side } from "./grammar.ts";

export interface Rig {
  readonly host: FakeHost;
  readonly relay: Relay;
  readonly log: readonly string[];
  /** Lines that have arrived at either end, and nobody has taken. */
  readonly arrived: Readonly<Record<Side, string[]>>;
  /** Exchanges in the guard's ledger; undefined where the gateway holds the guard. */
  inFlight(): number | undefined;
  /** True once the relay has ended by itself or by us. */
  ended(): boolean;
  /** The client's connection was given up, as what it sent cannot be followed: then it hears no more. */
  deaf(): boolean;
  write(from: Side, text: string): void;
  /** Lets everything that is ready happen. No time passes. */
  settle(): Promise<void>;
  /** Ends the client's side, lets time pass, and waits for the end. */
  finish(): Promise<void>;
}

export interface RigOptions {
  readonly posture: Posture;
  readonly guard?: AttachOptions;
  readonly fill?: (chain: Chain, host: FakeHost) => void;
  /** Let `guardedRelay` put the parts together; then nobody can look into the ledger. */
  readonly byGateway?: boolean;
  readonly chunkBytes?: number;
}

export function createRig({ posture, guard = {}, fill, byGateway = false, chunkBytes = 16_384 }: RigOptions): Rig {
  const host = fakeHost();
  const limits = { maxMessageBytes: MAX_BYTES };
  const chain = createChain({ host, limits });
  fill?.(chain, host);
  const log: string[] = [];
  const common = { host, limits, log: ({ message }: { message: string }) => void log.push(message) };
  const [client, downBytes] = bytePipes({ chunkBytes });
  const [server, upBytes] = bytePipes({ chunkBytes });
  const down = lineTransport(downBytes, { invalid: "answer", host, limits });
  const up = lineTransport(upBytes, { invalid: "drop", host, limits });
  // What guardedRelay makes, with the guard in our hands.
  let guarded: GuardedTransport | undefined;
  const wrap = (transport: typeof down, role: "client" | "server") =>
    (guarded = guardTransport(transport, { ...guard, ...common, role, chain: { current: () => chain } }));
  const running =
    byGateway
      ? guardedRelay(down, up, { chain, posture, guard: { ...guard, ...common }, relay: common })
      : relay(posture === "server" ? wrap(down, "server") : down, posture === "client" ? wrap(up, "client") : up, common);

  let ended: RelayEnd | undefined;
  void running.ended.then((end) => (ended = end));
  const arrived: Record<Side, string[]> = { client: [], server: [] };
  const ends: Record<Side, ByteDuplex> = { client, server };
  for (const side of ["client", "server"] as const) void collect(ends[side], arrived[side]);
  const settle = async () => {
    // Everything is promises: what is ready ends within one turn, two to be sure.
    await setImmediate();
    await setImmediate();
  };
  return {
    host,
    relay: running,
    log,
    arrived,
    inFlight: () => guarded?.inFlight,
    ended: () => ended !== undefined,
    deaf: () => ended?.by === "client" && ended.error !== undefined,
    write: (from, text) => void ends[from].write(Buffer.from(text)).catch(() => {}),
    settle,
    async finish() {
      await ends.client.close(Promise.resolve());
      await host.advance(6_000);
      await ends.server.close(Promise.resolve());
      await running.ended;
    },
  };
}

async function collect(from: ByteDuplex, into: string[]): Promise<void> {
  let rest = Buffer.alloc(0);
  for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      into.push(rest.subarray(0, end).toString());
      rest = rest.subarray(end + 1);
    }
  }
}
