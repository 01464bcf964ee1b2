import { ErrorCode, LocalError } from "../core/base/errors.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { OwnSignal, type Signal } from "../core/base/signal.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Arrival, PeerContext } from "../core/transport/transport.ts";
import { errorFrame, type Frame } from "../core/wire/frame.ts";
import { isRequest, type ErrorMessage, type RequestId, type RequestMessage, type ResultMessage } from "../core/wire/message.ts";
import { edited } from "./frame-text.ts";
import { reasonText } from "./frame-calls.ts";

/** A request of the peer's, with the text that it came in. */
export interface FrameRequest {
  readonly frame: Frame;
  readonly message: RequestMessage;
  /** Its params as the peer wrote them, where a guard has changed them too. */
  readonly sentParams: JsonObject;
  readonly from: PeerContext;
  /** The request of ours in whose exchange the peer sent this one. */
  readonly related: RequestId | undefined;
  /** Aborts when the peer cancels, when the connection ends, and once the answer is out. */
  readonly signal: Signal;
  /** Under the request's own id. The first one counts; after a cancellation nothing is sent. `source` is what the message was made from. */
  answer(message: ResultMessage | ErrorMessage, source?: Frame): void;
  /** For a request that its revision gives no answer to. */
  ignore(): void;
}

/** The peer's requests that are owed an answer. */
export interface FrameRequests {
  readonly size: number;
  /** Whether one of them came on a single channel, whose peer may still read when it has nothing more to say. */
  readonly onChannel: boolean;
  /** Answers that the transport has not accepted yet. */
  readonly answering: number;
  accept(arrival: Arrival, message: RequestMessage): void;
  /** False where nothing has that id. */
  cancel(id: RequestId, reason: unknown): boolean;
  endAll(error: LocalError): void;
}

export interface FrameRequestsParts {
  readonly limits: Limits;
  readonly log: Log;
  send(frame: Frame, related?: RequestId): Promise<void>;
  onRequest(request: FrameRequest): void;
  /** `size` or `answering` has become less. */
  onLess(): void;
}

// Shared, as an error costs a stack.
const ANSWERED = new LocalError("closed", "the request has been answered");

export function createFrameRequests({ limits, log, send, onRequest, onLess }: FrameRequestsParts): FrameRequests {
  const owed = new Map<RequestId, { readonly signal: OwnSignal; readonly from: PeerContext }>();
  let answering = 0;

  const take = (id: RequestId, signal?: OwnSignal): OwnSignal | undefined => {
    const found = owed.get(id)?.signal;
    // An id is free again with its answer: a later request may have it.
    if (found === undefined || (signal !== undefined && found !== signal)) return undefined;
    owed.delete(id);
    return found;
  };

  const write = (message: ResultMessage | ErrorMessage, id: RequestId, source: Frame | undefined): Frame => {
    try {
      return edited({ ...message, id }, source);
    } catch (error) {
      log({ level: "error", message: "an answer could not be written", error });
      return errorFrame(id, { code: ErrorCode.internalError, message: "Internal error" });
    }
  };

  const deliver = async (frame: Frame, id: RequestId) => {
    try {
      await send(frame, id);
    } catch (thrown) {
      if (thrown instanceof LocalError && thrown.code === "closed") return;
      log({ level: "warning", message: "an answer could not be sent; its asker gets an error in its place", error: thrown });
      await send(errorFrame(id, { code: ErrorCode.internalError, message: "The answer could not be passed on" }), id).catch(() => {});
    }
  };

  const refuse = (id: RequestId): boolean => {
    const refusal = owed.has(id)
      ? { code: ErrorCode.invalidRequest, message: `the request id ${JSON.stringify(id)} is in use` }
      : owed.size + answering >= limits.maxIncomingRequests
        ? { code: ErrorCode.internalError, message: "Too many requests in flight", data: { reason: "overloaded", delivery: "none" } }
        : undefined;
    if (refusal === undefined) return false;
    // A peer that takes no answers gets none.
    if (answering < 2 * limits.maxIncomingRequests) track(deliver(errorFrame(id, refusal), id));
    return true;
  };
  const track = (delivered: Promise<void>) => {
    answering++;
    void delivered.finally(() => {
      answering--;
      onLess();
    });
  };

  return {
    get size() {
      return owed.size;
    },
    get onChannel() {
      return [...owed.values()].some(({ from }) => from.transport !== "http");
    },
    get answering() {
      return answering;
    },
    accept({ frame, original, from, related }, message) {
      const { id } = message;
      if (refuse(id)) return;
      const signal = new OwnSignal();
      owed.set(id, { signal, from });
      onRequest({
        frame,
        message,
        sentParams: (original !== undefined && isRequest(original.message) ? original.message : message).params ?? {},
        from,
        related,
        signal,
        ignore: () => take(id, signal)?.fire(ANSWERED),
        answer(answer, source) {
          if (signal.aborted) return;
          take(id, signal);
          signal.fire(ANSWERED);
          track(deliver(write(answer, id, source), id));
          onLess();
        },
      });
    },
    cancel(id, reason) {
      const signal = take(id);
      if (signal === undefined) return false;
      signal.fire(new LocalError("aborted", reasonText(reason)));
      onLess();
      return true;
    },
    endAll(error) {
      for (const id of [...owed.keys()]) take(id)?.fire(error);
    },
  };
}
