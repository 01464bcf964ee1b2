import { createChain, type Chain } from "../../src/core/chain/chain.ts";
import { guardTransport, type GuardedTransport } from "../../src/core/guard/guard.ts";
import type { Decision } from "../../src/core/guard/decision.ts";
import type { GuardOptions } from "../../src/core/guard/options.ts";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Arrival, Transport } from "../../src/core/transport/transport.ts";
import type { Message } from "../../src/core/wire/message.ts";
import { fakeHost, settle, type FakeHost } from "./fake-host.ts";

/** A guarded connection in memory, seen as messages from both ends: what reaches the peer, and what reaches the application. */
export interface GuardedPair {
  readonly host: FakeHost;
  readonly chain: Chain;
  readonly guard: GuardedTransport;
  readonly peerEnd: Transport;
  readonly decisions: Decision[];
  readonly log: string[];
  /** All that has arrived at either end so far. */
  readonly atPeer: Message[];
  readonly atApp: Message[];
  /** Sends from either end, and lets everything that is ready happen. */
  fromPeer(...messages: Message[]): Promise<void>;
  fromApp(...messages: Message[]): Promise<void>;
}

export function guardedPair(interceptors: readonly Interceptor[], options: Partial<GuardOptions> & { readonly chain?: never; readonly chainOf?: (host: FakeHost) => Chain } = {}): GuardedPair {
  const host = fakeHost();
  const chain = options.chainOf?.(host) ?? createChain({ host });
  if (interceptors.length > 0) chain.add(interceptors);
  const [peerEnd, inner] = memoryPair();
  const decisions: Decision[] = [];
  const log: string[] = [];
  const { chainOf: _chainOf, ...rest } = options;
  const guard = guardTransport(inner, {
    role: "server",
    host,
    observe: (event) => void ("decision" in event && decisions.push(event.decision)),
    log: ({ level, message }) => log.push(`${level}: ${message}`),
    ...rest,
    chain: { current: () => chain },
  });
  const atPeer: Message[] = [];
  const atApp: Message[] = [];
  const collect = async (from: Transport, into: Message[]) => {
    for (let arrival: Arrival | undefined; (arrival = await from.receive().catch(() => undefined)) !== undefined; ) into.push(arrival.frame.message);
  };
  void collect(peerEnd, atPeer);
  void collect(guard, atApp);
  const sendAll = async (to: Transport, messages: readonly Message[]) => {
    for (const message of messages) void to.send({ message }).catch((error: unknown) => log.push(`send: ${String(error)}`));
    await settle();
  };
  return {
    host,
    chain,
    guard,
    peerEnd,
    decisions,
    log,
    atPeer,
    atApp,
    fromPeer: (...messages) => sendAll(peerEnd, messages),
    fromApp: (...messages) => sendAll(guard, messages),
  };
}

export const call = (id: string | number, name = "echo", args: Record<string, unknown> = {}): Message => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
export const textResult = (id: string | number, text: string): Message => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] },
});
export const notice = (method: string, params?: Record<string, unknown>): Message =>
  params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
