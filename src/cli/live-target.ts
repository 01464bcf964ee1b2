import { deliveryOf } from "../core/base/delivery.ts";
import { describeError, LocalError, RpcError } from "../core/base/errors.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { ServerTarget } from "../core/client/local-chain.ts";
import type { McpClient } from "../core/mcp/client.ts";
import { NoOutcome } from "../conformance/no-outcome.ts";
import type { Target } from "../conformance/target.ts";
import { connectServer, type ConnectServerOptions } from "../node/chain.ts";
import { nodeHost } from "../node/host.ts";

export interface LiveTarget {
  readonly target: Target;
  /** Ends the server where it was started for this, else the connection. */
  close(): Promise<void>;
}

// A command that keeps crashing is started this often, so that one bad vector does not spoil the rest.
const MAX_STARTS = 20;
// A server that owes an answer, or has given none that could be read, may be well but for that.
const PING_MS = 1000;
const RETRY_MS = 200;

/**
 * An interceptor server as a target: a command on stdio, or behind a URL. `target.ready` connects to it, and again after it went or hung: a
 * command is started anew, one behind a URL is waited for, up to `timeoutMs`. One that cannot be had stays so. `versions` are the revisions that may be
 * spoken; the newest that both sides know unless said.
 */
export function liveTarget(server: ServerTarget, timeoutMs: number, options: Pick<ConnectServerOptions, "versions"> = {}): LiveTarget {
  const host = nodeHost();
  let starts = 0;
  let current: McpClient | undefined;
  // Why it is not asked for any more.
  let gone: NoOutcome | undefined;
  // Whether the last call ended in a way that a server which is gone would cause.
  let doubtful = false;
  let inFlight: Promise<unknown> | undefined;

  const within = async <T>(ms: number, what: string, work: (signal: Signal) => Promise<T>): Promise<T> => {
    const late = createSignal();
    const stopTimer = host.setTimer(() => late.abort(new LocalError("timeout", `${what} in ${ms} ms`)), ms);
    try {
      return await work(late.signal);
    } catch (thrown) {
      throw late.signal.aborted ? late.signal.reason : thrown;
    } finally {
      stopTimer();
      late.dispose();
    }
  };

  const connect = async (): Promise<void> => {
    const again = starts++ > 0;
    const until = host.now() + timeoutMs;
    for (;;) {
      try {
        current = await within(timeoutMs, "no connection", (signal) => connectServer(server, signal, options));
        return;
      } catch (thrown) {
        // Where there has never been a server none is on its way up: a wrong URL is told at once.
        if ("command" in server || !again || host.now() >= until) {
          gone = broken(describeError(thrown), thrown);
          return;
        }
        await new Promise<void>((resolve) => void host.setTimer(resolve, RETRY_MS));
      }
    }
  };

  const lives = async (client: McpClient): Promise<boolean> => {
    try {
      await within(Math.min(PING_MS, timeoutMs), "no answer to a ping", (signal) => client.ping({ signal }));
      return true;
    } catch (thrown) {
      return isAnswer(thrown);
    }
  };

  const ready = async (kind: string): Promise<void> => {
    if ((kind !== "list" && kind !== "invoke") || gone !== undefined) return;
    const mayBeGone = doubtful || inFlight !== undefined;
    doubtful = false;
    inFlight = undefined;
    if (current !== undefined && mayBeGone && !(await lives(current))) {
      await current.close();
      current = undefined;
    }
    if (current !== undefined) return;
    if ("command" in server && starts === MAX_STARTS) gone = broken(`it has been started ${MAX_STARTS} times, and no more`);
    else await connect();
  };

  const call = async (params: JsonObject, method: string): Promise<JsonObject> => {
    if (current === undefined) throw gone ?? broken("it is not connected");
    const answering = current.request(method, params);
    inFlight = answering;
    try {
      return await answering;
    } catch (thrown) {
      if (isAnswer(thrown)) throw thrown;
      doubtful = true;
      throw broken(describeError(thrown), thrown);
    } finally {
      if (inFlight === answering) inFlight = undefined;
    }
  };

  return {
    target: { ready, list: call, invoke: call },
    async close() {
      await current?.close();
    },
  };
}

// A vector may expect an error of the server's, but none that our transport made up.
function isAnswer(thrown: unknown): boolean {
  return thrown instanceof RpcError && deliveryOf(thrown) === undefined;
}

function broken(what: string, cause?: unknown): NoOutcome {
  return new NoOutcome("broken", `the server: ${what}`, cause);
}
