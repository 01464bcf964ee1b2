import { BriefMap } from "../base/brief-map.ts";
import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../base/errors.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { OwnSignal, type Signal } from "../base/signal.ts";
import { isThenable } from "../base/thenable.ts";
import type { Arrival, PeerContext, Route } from "../transport/transport.ts";
import type { ErrorObject, Message, RequestId, RequestMessage } from "../wire/message.ts";
import type { Log } from "./log.ts";
import type { CallOptions, RequestOptions } from "./outgoing.ts";
import type { PeerStats } from "./peer.ts";

/** A request of the peer's, for as long as it is handled. A spread copy works like the original. */
export interface IncomingRequest {
  /** The peer's own id, value and type: `1` and `"1"` are two requests. */
  readonly id: RequestId;
  readonly method: string;
  /** `{}` where the message has none. The receiver's to keep; nobody else holds it. */
  readonly params: JsonObject;
  readonly from: PeerContext;
  /** The request of ours in whose exchange the peer sent this one. */
  readonly related: RequestId | undefined;
  /** Aborts when the peer cancels, when the connection ends, and once the answer is out. */
  readonly signal: Signal;
  /**
   * Sends within this request's exchange; after its end nothing is sent, and it resolves (2026-07-28, basic/transports/stdio, Cancellation).
   * A rejection that nobody looks at is not reported as unhandled.
   */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Asks the peer within this request's exchange; given up when this request ends. */
  request(method: string, params?: JsonObject, options?: Omit<RequestOptions, "related">): Promise<JsonObject>;
  /**
   * Tells the peer how far the work is. Nothing is sent where the peer did not ask, after the end, or where `progress` has not
   * grown (MCP wants it to). Never rejects.
   */
  reportProgress(progress: number, total?: number, message?: string): Promise<void>;
}

/** The peer's requests that are being handled. */
export interface Incoming {
  stats(): Pick<PeerStats, "incoming" | "running" | "answering" | "refused">;
  accept(arrival: Arrival, message: RequestMessage): void;
  /** False where nothing has that id. */
  cancel(id: RequestId, reason: unknown): boolean;
  close(error: LocalError): void;
}

export interface IncomingParts {
  readonly limits: Limits;
  readonly log: Log;
  readonly exposeErrors: boolean;
  handle(request: IncomingRequest): unknown;
  send(message: Message, route?: Route): Promise<void>;
  request(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject>;
  /** The peer takes no answers, and asks on. */
  flooded(error: LocalError): void;
}

interface Exchange {
  readonly id: RequestId;
  readonly method: string;
  /** Aborted once it is over (answered, cancelled or cut off): nothing more is sent for it. */
  readonly signal: OwnSignal;
  lastProgress: number;
}

// Shared, as an error costs a stack, and most signals end this way with nobody listening.
const ANSWERED = new LocalError("closed", "the request has been answered");

export function createIncoming({ limits, log, exposeErrors, handle, send, request, flooded }: IncomingParts): Incoming {
  // As a Map it tells the ids 1 and "1" apart.
  const table = new BriefMap<RequestId, Exchange>();
  let running = 0;
  let answering = 0;
  let refused = 0;

  const answered = () => void answering--;
  const answer = (id: RequestId, message: Message) => {
    answering++;
    send(message).then(answered, (error: unknown) => {
      answering--;
      if (error instanceof LocalError && error.code === "closed") return;
      log({ level: "error", message: "an answer could not be sent; the peer gets an error in its place", details: { id }, error });
      send(failure(id, internalError(error, exposeErrors))).catch((again: unknown) =>
        log({ level: "error", message: "no answer could be sent", details: { id }, error: again }),
      );
    });
  };

  const end = (exchange: Exchange, reason: unknown) => {
    table.delete(exchange.id);
    try {
      exchange.signal.fire(reason);
    } catch (thrown) {
      log({ level: "error", message: "a listener of a request's signal failed", error: thrown });
    }
  };

  const finish = (exchange: Exchange, message: Message) => {
    // The id is free before the peer can have read the answer.
    end(exchange, ANSWERED);
    answer(exchange.id, message);
  };
  const succeed = (exchange: Exchange, result: unknown) => {
    if (result !== undefined && !isObject(result)) {
      return fail(exchange, new LocalError("not_json", "the handler's result is no JSON object"));
    }
    running--;
    if (!exchange.signal.aborted) finish(exchange, { jsonrpc: "2.0", id: exchange.id, result: result ?? {} });
  };
  const fail = (exchange: Exchange, thrown: unknown) => {
    running--;
    if (exchange.signal.aborted) return;
    const { id, method } = exchange;
    if (!isInstance(thrown, RpcError)) log({ level: "error", message: `the handler of ${method} failed`, details: { id }, error: thrown });
    finish(exchange, failure(id, errorOf(thrown, exposeErrors)));
  };

  const refuse = (id: RequestId, code: number, message: string) => {
    refused++;
    if (answering >= 2 * limits.maxIncomingRequests) {
      return flooded(new LocalError("limit_exceeded", "the peer sends requests and takes no answers (maxIncomingRequests)"));
    }
    answer(id, failure(id, { code, message }));
  };

  return {
    stats: () => ({ incoming: table.size, running, answering, refused }),
    accept(arrival, message) {
      const { id, method } = message;
      if (table.has(id)) return refuse(id, ErrorCode.invalidRequest, `the request id ${JSON.stringify(id)} is in use`);
      if (running + answering >= limits.maxIncomingRequests) return refuse(id, ErrorCode.internalError, "too many requests in flight");
      const exchange: Exchange = { id, method, signal: new OwnSignal(), lastProgress: -Infinity };
      table.set(id, exchange);
      running++;
      try {
        const outcome = handle(toRequest(exchange, arrival, message, { send, request, log }));
        // A result that is there already saves the turns of a promise.
        if (!isThenable(outcome)) succeed(exchange, outcome);
        else Promise.resolve(outcome).then((result) => succeed(exchange, result), (thrown: unknown) => fail(exchange, thrown));
      } catch (thrown) {
        fail(exchange, thrown);
      }
    },
    cancel(id, reason) {
      const exchange = table.get(id);
      if (exchange === undefined) return false;
      // Nobody may cancel the handshake (MCP basic/utilities/cancellation).
      if (exchange.method === "initialize") return true;
      end(exchange, new LocalError("aborted", "the peer has cancelled the request", { cause: reason }));
      return true;
    },
    close(error) {
      for (const exchange of table.values()) end(exchange, error);
    },
  };
}

function toRequest(
  exchange: Exchange,
  { from, related }: Arrival,
  { id, method, params = {} }: RequestMessage,
  { send, request, log }: Pick<IncomingParts, "send" | "request" | "log">,
): IncomingRequest {
  const route: Route = { related: id };
  return {
    id,
    method,
    params,
    from,
    related,
    signal: exchange.signal,
    notify(method, params) {
      if (exchange.signal.aborted) return Promise.resolve();
      const sent = send(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params }, route);
      sent.catch(() => {});
      return sent;
    },
    request: (method, params, options) => request(method, params, { ...options, related: id, parent: exchange.signal }),
    async reportProgress(progress, total, message) {
      const progressToken = isObject(params["_meta"]) ? params["_meta"]["progressToken"] : undefined;
      if ((typeof progressToken !== "string" && typeof progressToken !== "number") || exchange.signal.aborted) return;
      if (!(progress > exchange.lastProgress && progress < Infinity)) return;
      exchange.lastProgress = progress;
      const report: JsonObject = { progressToken, progress };
      if (total !== undefined) report["total"] = total;
      if (message !== undefined) report["message"] = message;
      try {
        await send({ jsonrpc: "2.0", method: "notifications/progress", params: report }, route);
      } catch (error) {
        log({ level: "debug", message: "progress could not be sent", details: { id }, error });
      }
    },
  };
}

function failure(id: RequestId, error: ErrorObject): Message {
  return { jsonrpc: "2.0", id, error };
}

// What a handler throws may quote anything, so that its text stays on this side unless the owner wants it out.
function errorOf(thrown: unknown, expose: boolean): ErrorObject {
  try {
    if (isInstance(thrown, RpcError) && Number.isSafeInteger(thrown.code)) return thrown.toJson();
  } catch {
    // Whoever threw it has put members of its own in the place of ours.
  }
  return internalError(thrown, expose);
}

function internalError(thrown: unknown, expose: boolean): ErrorObject {
  return { code: ErrorCode.internalError, message: expose ? `Internal error: ${describeError(thrown)}` : "Internal error" };
}
