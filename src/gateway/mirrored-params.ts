import type { Host } from "../core/base/host.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { principalKey } from "../core/http/authentication.ts";
import type { ToolParams } from "../core/http/http-server-options.ts";
import { NO_PARAMS, paramHeadersOf, type ParamHeader } from "../core/http/param-headers.ts";
import { memoryPair } from "../core/transport/memory.ts";
import type { PeerContext, Transport } from "../core/transport/transport.ts";
import { isResult, type RequestMessage } from "../core/wire/message.ts";

/** Which arguments of tools calls repeat in headers, as callers were told: after the last mutator of a list. The same for all callers. */
export interface MirroredParams extends ToolParams {
  /** Takes note of a `tools/list` result that goes by. */
  note(result: JsonObject): void;
}

export interface MirroredParamsParts {
  readonly host: Host;
  readonly limits: Limits;
  /** Serves a guarded connection, whose lists are noted. */
  serve(transport: Transport): void;
}

/** So long a call waits for a list that it is to be held to. */
const LIST_MS = 10_000;
/** So long a list that was asked for is as good as another one. */
const FRESH_MS = 5_000;
const MAX_CALLERS = 1_000;

/**
 * Learns from lists that go by. A call of a tool that no list had, or one that does not fit (another replica may have told its caller of another schema), has the
 * tools listed as its caller would list them: by the same principal, through the guard. Not more than once in a while for each principal, and never as a
 * condition: where there is no list to be had, what is known counts.
 */
export function createMirroredParams({ host, limits, serve }: MirroredParamsParts): MirroredParams {
  // In the order in which they were last listed.
  const tools = new Map<string, readonly ParamHeader[]>();
  // When callers last had the tools listed, and what they wait for; in that order.
  const callers = new Map<string, { readonly at: number; readonly listing: Promise<void> | undefined }>();

  const note = (result: JsonObject) => {
    const list = ownMember(result, "tools");
    for (const tool of Array.isArray(list) ? list : []) {
      const name: unknown = isObject(tool) ? ownMember(tool, "name") : undefined;
      if (!isObject(tool) || typeof name !== "string") continue;
      tools.delete(name);
      // Clients leave a tool out whose schema is refused, so that nobody sends its headers.
      tools.set(name, paramHeadersOf(ownMember(tool, "inputSchema")).headers ?? NO_PARAMS);
    }
    dropOldest(tools, limits.maxMirroredTools);
  };

  const list = async (call: RequestMessage, from: PeerContext): Promise<void> => {
    const [near, far] = memoryPair({ limits });
    const cancel = host.setTimer(() => void near.close(), LIST_MS);
    serve({ ...far, receive: async () => withSender(await far.receive(), from) });
    const given = ownMember(call.params ?? {}, "_meta");
    const { progressToken: _not, ...meta } = isObject(given) ? given : {};
    try {
      let params: JsonObject = { _meta: meta };
      for (let page = 1; page <= limits.maxPages; page++) {
        await near.send({ message: { jsonrpc: "2.0", id: page, method: "tools/list", params } });
        const cursor = await cursorAfter(near, page);
        if (cursor === undefined) return;
        params = { cursor, _meta: meta };
      }
    } catch {
      // It took too long, or the gateway ends.
    } finally {
      cancel();
      await near.close();
    }
  };

  return {
    note,
    of: (tool) => tools.get(tool),
    learn(call, from) {
      const key = principalKey(from.principal);
      const before = callers.get(key);
      if (before?.listing !== undefined) return before.listing;
      const at = host.now();
      if (before !== undefined && at - before.at < FRESH_MS) return undefined;
      const listing = list(call, from).finally(() => callers.set(key, { at, listing: undefined }));
      callers.delete(key);
      callers.set(key, { at, listing });
      dropOldest(callers, MAX_CALLERS);
      return listing;
    },
  };
}

/** Reads up to the answer, and gives where the list goes on. */
async function cursorAfter(transport: Transport, page: number): Promise<string | undefined> {
  for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) {
    const { message } = arrival.frame;
    if (!("id" in message) || message.id !== page) continue;
    const cursor = isResult(message) ? ownMember(message.result, "nextCursor") : undefined;
    return typeof cursor === "string" ? cursor : undefined;
  }
  return undefined;
}

function withSender(arrival: Awaited<ReturnType<Transport["receive"]>>, from: PeerContext) {
  return arrival === undefined ? undefined : { ...arrival, from };
}

function dropOldest(map: Map<string, unknown>, size: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= size) return;
    map.delete(oldest);
  }
}
