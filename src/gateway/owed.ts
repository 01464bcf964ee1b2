import type { Transport } from "../core/transport/transport.ts";
import { isErrorResponse, isNotification, isRequest, isResult, type ErrorMessage, type RequestId } from "../core/wire/message.ts";

/** What a client is owed on one connection, wherever it is: a guard may still judge a request that no face has seen, or an answer that one has given. */
export interface Owed {
  /** The connection. Whatever is owed when this side closes it is answered with the error. */
  readonly transport: Transport;
  /** Settles when nothing is owed. */
  settled(): Promise<void>;
}

export function countOwed(inner: Transport, lastAnswer: () => ErrorMessage): Owed {
  const owed = new Set<RequestId>();
  let nothing: Promise<void> | undefined;
  let onNothing: (() => void) | undefined;
  const settle = () => {
    onNothing?.();
    nothing = onNothing = undefined;
  };
  const drop = (id: RequestId) => {
    if (owed.delete(id) && owed.size === 0) settle();
  };
  const clear = () => {
    owed.clear();
    settle();
  };

  const transport: Transport = {
    async receive() {
      let arrival;
      try {
        arrival = await inner.receive();
      } catch (thrown) {
        // Nobody is there any more.
        clear();
        throw thrown;
      }
      const message = arrival?.frame.message;
      if (message === undefined) return arrival;
      if (isRequest(message)) owed.add(message.id);
      else if (isNotification(message) && message.method === "notifications/cancelled") {
        const id = message.params?.["requestId"];
        if (typeof id === "string" || typeof id === "number") drop(id);
      }
      return arrival;
    },
    send(frame, route) {
      const { message } = frame;
      const id = isResult(message) || isErrorResponse(message) ? message.id : undefined;
      const sent = inner.send(frame, route);
      if (id === undefined || id === null) return sent;
      return sent.finally(() => drop(id));
    },
    close(why) {
      // What a peer does not take is dropped by the end of the connection.
      for (const id of owed) inner.send({ message: { ...lastAnswer(), id } }, { related: id }).catch(() => {});
      clear();
      return inner.close(why);
    },
  };
  return {
    transport,
    settled: () => (owed.size === 0 ? Promise.resolve() : (nothing ??= new Promise((resolve) => (onNothing = resolve)))),
  };
}
