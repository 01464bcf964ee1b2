import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Transport } from "../core/transport/transport.ts";
import { isErrorResponse, isResult, type ErrorMessage, type Message, type RequestId, type ResultMessage } from "../core/wire/message.ts";

/** One run of an adapter, spoken to in strict turns: a call, its one answer. */
export interface AdapterSession {
  /** The result of a call. Rejects where it is answered with an error, and where the session is broken; may never settle. */
  call(id: RequestId, method: string, params: JsonObject): Promise<JsonObject>;
  /** Why nothing more can come of this session: the other side ended, or said what is no answer. */
  readonly broken: LocalError | undefined;
  /** Told from outside of what is no message at all. */
  breakOff(why: string): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly id: RequestId;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (why: LocalError) => void;
  answer?: ResultMessage | ErrorMessage;
}

/** `transport` is the session's from here on. */
export function adapterSession(transport: Transport, host: Pick<Host, "setTimer">): AdapterSession {
  let broken: LocalError | undefined;
  let waiting: Waiting | undefined;
  // Calls that nobody waits for any more; an answer may come all the same, once.
  const givenUp = new Set<RequestId>();

  const breakOff = (why: string, cause?: unknown) => {
    broken ??= new LocalError("closed", why, cause === undefined ? {} : { cause });
    waiting?.reject(broken);
    waiting = undefined;
  };
  const settle = (mine: Waiting) => {
    // It may have been broken off meanwhile, by a second answer say.
    if (waiting !== mine || mine.answer === undefined) return;
    waiting = undefined;
    if (isResult(mine.answer)) return mine.resolve(mine.answer.result);
    const { code, message } = mine.answer.error;
    mine.reject(new LocalError("invalid_message", `it answered with the error ${code}: ${message}`));
  };
  const take = (message: Message) => {
    if (!isResult(message) && !isErrorResponse(message)) return breakOff(`it sent what is no answer: ${start(message)}`);
    if (waiting === undefined || message.id !== waiting.id) {
      if (message.id == null || !givenUp.delete(message.id)) breakOff(`it sent an answer that nobody waits for: ${start(message)}`);
    } else if (waiting.answer !== undefined) {
      breakOff(`it answered twice: ${start(message)}`);
    } else {
      const mine = waiting;
      mine.answer = message;
      // A second answer that was sent in the same breath is read by then.
      host.setTimer(() => settle(mine), 0);
    }
  };
  const pump = async () => {
    try {
      for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) take(arrival.frame.message);
      breakOff("it ended");
    } catch (thrown) {
      breakOff(describeError(thrown), thrown);
    }
  };
  void pump();

  return {
    get broken() {
      return broken;
    },
    breakOff,
    call(id, method, params) {
      if (broken !== undefined) return Promise.reject(broken);
      if (waiting !== undefined && waiting.answer === undefined) givenUp.add(waiting.id);
      return new Promise((resolve, reject) => {
        const mine: Waiting = { id, resolve, reject };
        waiting = mine;
        // Where it cannot be sent, the end of the other side is news that arrives by itself; a message that is too long does not.
        transport.send({ message: { jsonrpc: "2.0", id, method, params } }).catch((thrown: unknown) => {
          if (waiting === mine) breakOff(`it could not be called: ${describeError(thrown)}`, thrown);
        });
      });
    },
    close: () => transport.close(),
  };
}

const SHOWN_CHARS = 200;

function start(message: Message): string {
  return JSON.stringify(message).slice(0, SHOWN_CHARS);
}
