// What the tests of the chain share: a chain on a fake host that keeps its log and its events, and sources that do as they are told.
import { createChain, type Chain, type ChainOptions } from "../../../src/core/chain/chain.ts";
import type { ChainEvent } from "../../../src/core/chain/events.ts";
import type { ChainLog } from "../../../src/core/chain/report.ts";
import type { InterceptorSource } from "../../../src/core/chain/source.ts";
import type { Signal } from "../../../src/core/base/signal.ts";
import { mutator, validator, type Declaration, type Interceptor } from "../../../src/core/interceptor/define.ts";
import type { InterceptorDescriptor, InvokeParams, InvokeResult } from "../../../src/core/wire/gen/interceptors.ts";
import { fakeHost, type FakeHost } from "../../support/fake-host.ts";

export interface Rig {
  readonly host: FakeHost;
  readonly chain: Chain;
  readonly logged: ChainLog[];
  readonly observed: ChainEvent[];
}

export function rig(options: ChainOptions = {}): Rig {
  const host = fakeHost();
  const logged: ChainLog[] = [];
  const observed: ChainEvent[] = [];
  const chain = createChain({ host, log: (entry) => logged.push(entry), observe: (event) => observed.push(event), ...options });
  return { host, chain, logged, observed };
}

export const CALL = { event: "tools/call", phase: "request", payload: { name: "echo", arguments: {} } } as const;
export const BOTH_PHASES = [
  { events: ["tools/call"], phase: "request" },
  { events: ["tools/call"], phase: "response" },
] as const;

type Members = Omit<Declaration, "hooks">;
type Loose<Payload> = (input: { readonly payload: Payload; readonly signal: { readonly aborted: boolean } }) => unknown;

/** A validator on both phases of tools/call whose handler may return anything. */
export function validates(members: Members, handler: Loose<unknown>): Interceptor {
  return validator({ hooks: BOTH_PHASES, ...members }, handler as () => boolean);
}

/** A mutator on both phases of tools/call whose handler may return anything. */
export function mutates(members: Members, handler: Loose<Record<string, unknown>>): Interceptor {
  return mutator({ hooks: BOTH_PHASES, ...members }, handler as () => never);
}

/** A promise with its handles. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

export interface RemoteSource extends InterceptorSource {
  readonly calls: { readonly params: InvokeParams; readonly signal: Signal }[];
}

/** A source as a connection would be; `answer` stands for the server. */
export function remoteSource(
  label: string,
  descriptors: readonly InterceptorDescriptor[],
  answer: (params: InvokeParams) => unknown,
): RemoteSource {
  const calls: RemoteSource["calls"] = [];
  return {
    label,
    remote: true,
    calls,
    list: async () => descriptors,
    invoke(params, signal) {
      // As on a wire: what the server sees is a copy, and so is what it answers.
      calls.push({ params: JSON.parse(JSON.stringify(params)) as InvokeParams, signal });
      return answer(params) as Promise<InvokeResult>;
    },
  };
}
