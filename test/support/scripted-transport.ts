import type { LocalError } from "../../src/core/base/errors.ts";
import { createQueue } from "../../src/core/base/queue.ts";
import type { Arrival, Route, Transport } from "../../src/core/transport/transport.ts";
import type { Message } from "../../src/core/wire/message.ts";

/** A transport whose other end is the test: it sees what is sent, and says what arrives. */
export interface ScriptedTransport extends Transport {
  /** Every frame that was accepted, with its route, as JSON would carry it. */
  readonly sent: { readonly message: Message; readonly route: Route | undefined }[];
  /** The reason that `close` was called with; `closes` counts the calls. */
  readonly closedWith: LocalError | undefined;
  readonly closes: number;
  deliver(message: unknown, extra?: Partial<Arrival>): void;
  /** The peer ends, in peace or (with an error) not. */
  end(broken?: unknown): void;
  /** Replaces what `send` does with a frame: a rejection refuses it, a pending promise holds it. */
  onSend: ((message: Message) => Promise<void>) | undefined;
}

export function scriptedTransport(): ScriptedTransport {
  const arrivals = createQueue<Arrival>();
  let broken: unknown;
  const transport: Omit<ScriptedTransport, "closedWith" | "closes"> & { closedWith: LocalError | undefined; closes: number } = {
    sent: [],
    closedWith: undefined,
    closes: 0,
    onSend: undefined,
    deliver: (message, extra) => void arrivals.push({ frame: { message: message as Message }, from: { transport: "memory", connection: "scripted" }, ...extra }),
    end(error) {
      broken = error;
      arrivals.close();
    },
    async send(frame, route) {
      const message = JSON.parse(JSON.stringify(frame.message)) as Message;
      await transport.onSend?.(message);
      transport.sent.push({ message, route });
    },
    async receive() {
      const arrival = await arrivals.pull();
      if (arrival === undefined && broken !== undefined) throw broken;
      return arrival;
    },
    async close(why) {
      transport.closes++;
      transport.closedWith = why;
      arrivals.close();
    },
  };
  return transport;
}

/** Two transports, each the other's peer; messages cross as JSON text. */
export function linkedTransports(): [ScriptedTransport, ScriptedTransport] {
  const pair: [ScriptedTransport, ScriptedTransport] = [scriptedTransport(), scriptedTransport()];
  pair.forEach((own, index) => {
    const other = pair[1 - index]!;
    own.onSend = async (message) => other.deliver(structuredClone(message));
    const close = own.close.bind(own);
    own.close = (why) => {
      other.end();
      return close(why);
    };
  });
  return pair;
}
