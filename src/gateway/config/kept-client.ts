import { describeError, LocalError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import { cloneJson } from "../../core/base/json.ts";
import { createSignal, type Signal } from "../../core/base/signal.ts";
import type { InterceptorSource } from "../../core/chain/source.ts";
import type { McpClient } from "../../core/mcp/client.ts";
import { createBackOff } from "../back-off.ts";

/** A connection to an interceptor server, which is made again where it was lost: by the next invocation, and spaced where that goes on. */
export interface KeptClient {
  /** The one that stands. */
  readonly current: McpClient | undefined;
  /** That, or another one. Rejects with `closed` while nothing can be had, and with what the attempt rejects with. */
  get(): Promise<McpClient>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface KeptClientParts {
  readonly first: McpClient;
  readonly connect: (signal: Signal) => Promise<McpClient>;
  readonly host: Host;
  readonly log: (message: string) => void;
}

/** A connection that has lasted for so long has not failed by being lost. */
const STABLE_MS = 10_000;

export function keepClient({ first, connect, host, log }: KeptClientParts): KeptClient {
  const backOff = createBackOff(host);
  let current: McpClient | undefined;
  let connecting: Promise<McpClient> | undefined;
  let closed = false;
  const stop = createSignal();

  const end = (client: McpClient) => client.close().catch((thrown: unknown) => log(describeError(thrown)));
  const take = (client: McpClient) => {
    const since = host.now();
    current = client;
    void client.closed.then(() => {
      if (current === client) current = undefined;
      if (closed) return;
      if (host.now() - since >= STABLE_MS) backOff.succeeded();
      backOff.failed();
      log("the connection was lost; the next message that needs it makes another");
    });
    return client;
  };
  const again = async (): Promise<McpClient> => {
    try {
      const client = await connect(stop.signal);
      if (!closed) return take(client);
      await end(client);
    } catch (thrown) {
      backOff.failed();
      throw thrown;
    } finally {
      connecting = undefined;
    }
    throw new LocalError("closed", "the connection to the interceptor server was given back");
  };
  take(first);

  return {
    get current() {
      return current;
    },
    async get() {
      if (current !== undefined) return current;
      if (closed) throw new LocalError("closed", "the connection to the interceptor server was given back");
      const { waitMs } = backOff;
      if (connecting === undefined && waitMs > 0) throw new LocalError("closed", `the interceptor server was lost; it is tried again in ${waitMs} ms`);
      return (connecting ??= again());
    },
    async close() {
      closed = true;
      stop.abort(new LocalError("closed", "the connection to the interceptor server was given back"));
      const pending = connecting?.catch(() => {});
      if (current !== undefined) await end(current);
      await pending;
      stop.dispose();
    },
  };
}

/** The interceptors behind a kept connection; `sourceOf` makes the source of one connection. What was lost on its way has failed, and is not sent again. */
export function keptSource(label: string, kept: KeptClient, sourceOf: (client: McpClient) => InterceptorSource): InterceptorSource {
  let of: McpClient | undefined;
  let source: InterceptorSource;
  const behind = (client: McpClient): InterceptorSource => {
    if (of !== client) source = sourceOf(client);
    of = client;
    return source;
  };
  return {
    label,
    remote: true,
    list: async (signal) => behind(await kept.get()).list(signal),
    invoke(params, signal) {
      if (kept.current !== undefined) return behind(kept.current).invoke(params, signal);
      // The caller's payload is the caller's again once this has returned.
      const own = cloneJson(params);
      return kept.get().then((client) => {
        if (signal.aborted) throw signal.reason;
        return behind(client).invoke(own, signal);
      });
    },
  };
}
