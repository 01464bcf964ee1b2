import { BriefMap } from "../core/base/brief-map.ts";
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

interface Owed {
  readonly signal: OwnSignal;
  readonly from: PeerContext;
}

/** The peer's requests that are owed an answer. A class, as over HTTP there is one for each request: see `createQueue`. */
export class FrameRequests {
  readonly #parts: FrameRequestsParts;
  readonly #owed = new BriefMap<RequestId, Owed>();
  #answering = 0;

  constructor(parts: FrameRequestsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#owed.size;
  }

  /** Whether one of them came on a single channel, whose peer may still read when it has nothing more to say. */
  get onChannel(): boolean {
    return this.#owed.values().some(({ from }) => from.transport !== "http");
  }

  /** Answers that the transport has not accepted yet. */
  get answering(): number {
    return this.#answering;
  }

  accept({ frame, original, from, related }: Arrival, message: RequestMessage): void {
    const { id } = message;
    if (this.#refuse(id)) return;
    const signal = new OwnSignal();
    this.#owed.set(id, { signal, from });
    this.#parts.onRequest({
      frame,
      message,
      sentParams: (original !== undefined && isRequest(original.message) ? original.message : message).params ?? {},
      from,
      related,
      signal,
      ignore: () => this.#take(id, signal)?.fire(ANSWERED),
      answer: (answer, source) => {
        if (signal.aborted) return;
        this.#take(id, signal);
        signal.fire(ANSWERED);
        this.#track(this.#deliver(this.#write(answer, id, source), id));
        this.#parts.onLess();
      },
    });
  }

  /** False where nothing has that id. */
  cancel(id: RequestId, reason: unknown): boolean {
    const signal = this.#take(id);
    if (signal === undefined) return false;
    signal.fire(new LocalError("aborted", reasonText(reason)));
    this.#parts.onLess();
    return true;
  }

  endAll(error: LocalError): void {
    for (const id of this.#owed.keys()) this.#take(id)?.fire(error);
  }

  #take(id: RequestId, signal?: OwnSignal): OwnSignal | undefined {
    const found = this.#owed.get(id)?.signal;
    // An id is free again with its answer: a later request may have it.
    if (found === undefined || (signal !== undefined && found !== signal)) return undefined;
    this.#owed.delete(id);
    return found;
  }

  #write(message: ResultMessage | ErrorMessage, id: RequestId, source: Frame | undefined): Frame {
    try {
      return edited({ ...message, id }, source);
    } catch (error) {
      this.#parts.log({ level: "error", message: "an answer could not be written", error });
      return errorFrame(id, { code: ErrorCode.internalError, message: "Internal error" });
    }
  }

  async #deliver(frame: Frame, id: RequestId): Promise<void> {
    const { send, log } = this.#parts;
    try {
      await send(frame, id);
    } catch (thrown) {
      if (thrown instanceof LocalError && thrown.code === "closed") return;
      log({ level: "warning", message: "an answer could not be sent; its asker gets an error in its place", error: thrown });
      await send(errorFrame(id, { code: ErrorCode.internalError, message: "The answer could not be passed on" }), id).catch(() => {});
    }
  }

  #refuse(id: RequestId): boolean {
    const { maxIncomingRequests } = this.#parts.limits;
    const refusal = this.#owed.has(id)
      ? { code: ErrorCode.invalidRequest, message: `the request id ${JSON.stringify(id)} is in use` }
      : this.#owed.size + this.#answering >= maxIncomingRequests
        ? { code: ErrorCode.internalError, message: "Too many requests in flight", data: { reason: "overloaded", delivery: "none" } }
        : undefined;
    if (refusal === undefined) return false;
    // A peer that takes no answers gets none.
    if (this.#answering < 2 * maxIncomingRequests) this.#track(this.#deliver(errorFrame(id, refusal), id));
    return true;
  }

  #track(delivered: Promise<void>): void {
    this.#answering++;
    // Never rejects.
    void delivered.then(() => {
      this.#answering--;
      this.#parts.onLess();
    });
  }
}
