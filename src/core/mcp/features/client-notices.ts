import type { JsonObject } from "../../base/json.ts";
import { callDetached, type Log } from "../../jsonrpc/log.ts";
import { checkLogMessageParams, type LogMessageParams, type SubscriptionFilter } from "../../wire/gen/mcp.ts";

/** The lists whose changes a server tells. */
export type ListKind = "tools" | "prompts" | "resources";

/** Who wants to hear what, over all connections of a client. */
export interface Notices {
  onListChanged(kind: ListKind, listener: () => unknown): () => void;
  onResourceUpdated(listener: (uri: string) => unknown): () => void;
  onLog(listener: (message: LogMessageParams) => unknown): () => void;
  onElicitationComplete(listener: (elicitationId: string) => unknown): () => void;
  onNotification(listener: (method: string) => unknown): () => void;
  /** Tells who listens for any notification, before it is dispatched. */
  heard(method: string): void;
  /** A page has been opened, the end of which the server may tell, once. */
  expectElicitation(elicitationId: string): void;
  /** The lists that somebody listens for, as a subscription's filter has them. */
  listFilter(): SubscriptionFilter;
  /** Calls who listens. What a listener throws is logged, and stops no other. */
  dispatch(method: string, params: JsonObject): void;
}

/** What a notification says has changed: a list, or one resource. */
export type Change = { readonly list: ListKind } | { readonly uri: string };

const LISTS: ReadonlyMap<string, ListKind> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/list_changed", "resources"],
]);

/** The change that a notification tells, or `undefined` where it tells none. */
export function changeIn(method: string, params: JsonObject): Change | undefined {
  const list = LISTS.get(method);
  if (list !== undefined) return { list };
  return method === "notifications/resources/updated" && typeof params["uri"] === "string" ? { uri: params["uri"] } : undefined;
}

/** `maxElicitations` bounds the pages whose end is waited for: above it the oldest are forgotten. */
export function createNotices(log: Log, maxElicitations: number, interestChanged: () => void): Notices {
  const lists = { tools: listeners<void>(), prompts: listeners<void>(), resources: listeners<void>() };
  const updates = listeners<string>();
  const logs = listeners<LogMessageParams>();
  const completions = listeners<string>();
  const anything = listeners<string>();
  const elicitations = new Set<string>();

  function listeners<Value>() {
    const set = new Set<{ readonly call: (value: Value) => unknown }>();
    return {
      get size() {
        return set.size;
      },
      add(call: (value: Value) => unknown): () => void {
        // A wrapper of its own, so that one function added twice is two listeners.
        const entry = { call };
        set.add(entry);
        interestChanged();
        return () => {
          if (set.delete(entry)) interestChanged();
        };
      },
      tell(what: string, value: Value): void {
        for (const { call } of [...set]) callDetached(log, `a listener for ${what}`, () => call(value));
      },
    };
  }

  return {
    onListChanged: (kind, listener) => lists[kind].add(() => listener()),
    onResourceUpdated: updates.add,
    onLog: logs.add,
    onElicitationComplete: completions.add,
    onNotification: anything.add,
    heard: (method) => anything.tell("notifications", method),
    expectElicitation(elicitationId) {
      elicitations.add(elicitationId);
      for (const oldest of elicitations) if (elicitations.size > maxElicitations) elicitations.delete(oldest);
    },
    listFilter() {
      const filter: SubscriptionFilter = {};
      if (lists.tools.size > 0) filter.toolsListChanged = true;
      if (lists.prompts.size > 0) filter.promptsListChanged = true;
      if (lists.resources.size > 0) filter.resourcesListChanged = true;
      return filter;
    },
    dispatch(method, params) {
      const change = changeIn(method, params);
      if (change !== undefined) {
        if ("list" in change) lists[change.list].tell(`changes of ${change.list}`, undefined);
        else updates.tell("updates of resources", change.uri);
      } else if (method === "notifications/message") {
        const found = checkLogMessageParams(params);
        // The check has just found it so.
        if (found === undefined) logs.tell("log messages", params as unknown as LogMessageParams);
        else log({ level: "warning", message: `a log message of the server's is malformed: ${found.reason}` });
      } else if (method === "notifications/elicitation/complete") {
        // Ids that are unknown, or done with, are to be ignored (2025-11-25, client/elicitation).
        const { elicitationId: id } = params;
        if (typeof id === "string" && elicitations.delete(id)) completions.tell("completed elicitations", id);
      }
    },
  };
}
