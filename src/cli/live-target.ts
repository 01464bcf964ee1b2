import { describeError, LocalError } from "../core/base/errors.ts";
import { createSignal } from "../core/base/signal.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { McpClient } from "../core/mcp/client.ts";
import type { Target } from "../conformance/target.ts";
import { connectServer } from "../node/chain.ts";
import { nodeHost } from "../node/host.ts";

export interface LiveTarget {
  readonly target: Target;
  /** Ends the server. */
  close(): Promise<void>;
}

// A server that keeps crashing is started this often, so that one bad vector does not spoil the rest.
const MAX_STARTS = 20;

/** An interceptor server on stdio as a target. It is started at the first call, and again after it went; one that does not start stays so. */
export function liveTarget(words: readonly [string, ...string[]], connectTimeoutMs: number): LiveTarget {
  const [command, ...args] = words;
  let starts = 0;
  let current: Promise<McpClient> | undefined;

  const connect = async (): Promise<McpClient> => {
    const abort = createSignal();
    const stopTimer = nodeHost().setTimer(() => abort.abort(new LocalError("timeout", `no connection in ${connectTimeoutMs} ms`)), connectTimeoutMs);
    try {
      return await connectServer({ command, args }, abort.signal);
    } finally {
      stopTimer();
      abort.dispose();
    }
  };

  const call = async (params: JsonObject, method: string): Promise<JsonObject> => {
    if (current === undefined) {
      starts++;
      current = connect();
    }
    const mine = current;
    const client = await mine;
    try {
      return await client.request(method, params);
    } catch (thrown) {
      // The next vector gets a new server.
      if (thrown instanceof LocalError && thrown.code === "closed" && current === mine && starts < MAX_STARTS) {
        current = undefined;
        await client.close();
      }
      throw thrown instanceof LocalError ? new LocalError(thrown.code, `the server: ${describeError(thrown)}`, { cause: thrown }) : thrown;
    }
  };

  return {
    target: { list: call, invoke: call },
    async close() {
      const client = await current?.catch(() => undefined);
      await client?.close();
    },
  };
}
