import type { Host, PlatformSignal } from "../base/host.ts";
import { platformSignal } from "../base/host.ts";
import { isObject, ownMember } from "../base/json.ts";
import { createSignal, type SignalSource } from "../base/signal.ts";
import { isNotification, isRequest, type Message, type RequestId } from "../wire/message.ts";
import { isStatelessVersion, META } from "../wire/versions.ts";

/** Cancellation of an SDK's transport on which each stateless request has a stream of its own (`hasPerRequestStream`). */
export interface RequestStreams {
  /** The signal that ends a request's stream; `undefined` for what has none, and past `max` of them. */
  open(message: Message): PlatformSignal | undefined;
  /** Whether `message` is a cancellation, and has ended its request's stream: then it is not to be sent. */
  ends(message: Message): boolean;
  /** The request with this id is over. */
  forget(id: RequestId): void;
  clear(): void;
}

/**
 * In 2026-07-28 a request over HTTP is cancelled by closing its stream, and such a transport leaves that to a signal in the options of `send`. Their
 * protocol object knows; here a cancellation is always a frame, so that a guard in between sees it.
 */
export function createRequestStreams(host: Host, max: number): RequestStreams {
  const open = new Map<RequestId, SignalSource>();
  return {
    open(message) {
      if (!isRequest(message) || open.size >= max) return undefined;
      const meta = message.params === undefined ? undefined : ownMember(message.params, "_meta");
      if (!isObject(meta) || !isStatelessVersion(ownMember(meta, META.protocolVersion))) return undefined;
      const source = createSignal();
      open.set(message.id, source);
      return platformSignal(source.signal, host);
    },
    ends(message) {
      if (!isNotification(message) || message.method !== "notifications/cancelled") return false;
      const id = message.params?.["requestId"];
      const source = typeof id === "string" || typeof id === "number" ? open.get(id) : undefined;
      if (source === undefined) return false;
      // It has just been looked up by it.
      open.delete(id as RequestId);
      source.abort("the request was cancelled");
      return true;
    },
    forget: (id) => void open.delete(id),
    clear: () => open.clear(),
  };
}
