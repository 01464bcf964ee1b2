import type { LocalError } from "../core/base/errors.ts";
import type { Arrival, Route, Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import { isErrorResponse, isNotification, isRequest, isResult, type ErrorMessage, type Message, type RequestId } from "../core/wire/message.ts";

/** A connection that knows what its client is owed, wherever it is: a guard may still judge a request that no face has seen, or an answer that one has given. */
export interface OwedTransport extends Transport {
  /** Settles when nothing is owed. */
  settled(): Promise<void>;
  /** Tells once what the client has got for a request, after whoever judges it: `undefined` where nothing has reached it, or will. */
  onAnswer(id: RequestId, told: (message: Message | undefined) => void): void;
}

/** Whatever is owed when this side closes is answered with the error. */
export function countOwed(inner: Transport, lastAnswer: () => ErrorMessage): OwedTransport {
  return new OwnOwedTransport(inner, lastAnswer);
}

// A class, as over HTTP there is one for each request, see `createQueue`.
class OwnOwedTransport implements OwedTransport {
  readonly #inner: Transport;
  readonly #lastAnswer: () => ErrorMessage;
  // Ids alone: what a table that was outgrown keeps of them is little.
  readonly #owed = new Set<RequestId>();
  // Nearly always none.
  #told: Map<RequestId, (message: Message | undefined) => void> | undefined;
  #nothing: Promise<void> | undefined;
  #onNothing: (() => void) | undefined;

  constructor(inner: Transport, lastAnswer: () => ErrorMessage) {
    this.#inner = inner;
    this.#lastAnswer = lastAnswer;
  }

  settled(): Promise<void> {
    if (this.#owed.size === 0) return Promise.resolve();
    return (this.#nothing ??= new Promise((resolve) => (this.#onNothing = resolve)));
  }

  onAnswer(id: RequestId, told: (message: Message | undefined) => void): void {
    if (this.#owed.has(id)) (this.#told ??= new Map()).set(id, told);
    else told(undefined);
  }

  async receive(): Promise<Arrival | undefined> {
    let arrival;
    try {
      arrival = await this.#inner.receive();
    } catch (thrown) {
      // Nobody is there any more.
      this.#clear();
      throw thrown;
    }
    const message = arrival?.frame.message;
    if (message === undefined) return arrival;
    if (isRequest(message)) this.#owed.add(message.id);
    else if (isNotification(message) && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") this.#drop(id);
    }
    return arrival;
  }

  send(frame: Frame, route?: Route): Promise<void> {
    const { message } = frame;
    const id = isResult(message) || isErrorResponse(message) ? message.id : undefined;
    const sent = this.#inner.send(frame, route);
    return id === undefined || id === null ? sent : this.#answered(id, message, sent);
  }

  close(why?: LocalError): Promise<void> {
    // What a peer does not take is dropped by the end of the connection.
    for (const id of this.#owed) this.#inner.send({ message: { ...this.#lastAnswer(), id } }, { related: id }).catch(() => {});
    this.#clear();
    return this.#inner.close(why);
  }

  async #answered(id: RequestId, message: Message, sent: Promise<void>): Promise<void> {
    let got: Message | undefined;
    try {
      await sent;
      got = message;
    } finally {
      this.#drop(id, got);
    }
  }

  #drop(id: RequestId, got?: Message): void {
    const told = this.#told?.get(id);
    if (told !== undefined) {
      this.#told?.delete(id);
      told(got);
    }
    if (this.#owed.delete(id) && this.#owed.size === 0) this.#settle();
  }

  #clear(): void {
    this.#owed.clear();
    for (const [id, told] of this.#told ?? []) {
      this.#told?.delete(id);
      told(undefined);
    }
    this.#settle();
  }

  #settle(): void {
    this.#onNothing?.();
    this.#nothing = this.#onNothing = undefined;
  }
}
