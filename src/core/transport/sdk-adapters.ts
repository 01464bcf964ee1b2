import { describeError, LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { cloneJson, isObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { errorFrame, type InvalidFrame } from "../wire/frame.ts";
import { isErrorResponse, isRequest, isResult, type Message, type RequestId } from "../wire/message.ts";
import { readHandedOver, standIn } from "./handed-over.ts";
import { createInbox, DONE } from "./inbox.ts";
import { contextFromExtra, extraFromContext, plainContext, type SdkSendOptions, type SdkTransport } from "./sdk-shape.ts";
import { createRequestStreams } from "./sdk-streams.ts";
import { closedError, notJson } from "./transport-errors.ts";
import type { Arrival, Route, Transport } from "./transport.ts";

export type { SdkSendOptions, SdkTransport } from "./sdk-shape.ts";

interface FromSdkOptions {
  readonly limits?: Partial<Limits>;
  readonly host?: Host;
  /** Told of what the wrapped transport reports without closing, and of whatever it pushes that is no message. What it throws is ignored. */
  readonly onError?: (error: Error) => void;
}

/**
 * A transport of the official SDKs as one of ours; from here on it is ours alone. It is started by the first `send` or `receive`.
 * Pushed messages wait to be pulled; past `maxQueuedFrames` the connection is closed with `limit_exceeded`, as a push cannot be made to
 * wait. What is pushed and is no message never arrives: a broken request that has an id is answered with its error, a broken response that
 * has one arrives as a synthetic error response, the rest is dropped. `Route.related` becomes `relatedRequestId`; a `Route.carry` that
 * `toSdkTransport` made gives its other send options back. Where a cancelled request is to end by its own stream, it does.
 */
export function fromSdkTransport(sdk: SdkTransport, options: FromSdkOptions = {}): Transport {
  const limits = resolveLimits(options.limits);
  const inbox = createInbox(limits.maxQueuedFrames);
  const plain = plainContext();
  const streams = sdk.hasPerRequestStream === true ? createRequestStreams(options.host ?? detectHost(), limits.maxPendingRequests) : undefined;
  let started: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  // The one frame that we read: the wrapped transport must be told which version was agreed on.
  let initializeId: RequestId | undefined;

  const report = (error: Error) => {
    try {
      options.onError?.(error);
    } catch {
      // An observer's fault is no reason to lose the connection.
    }
  };

  const arrive = (pushed: unknown, extra: unknown) => {
    if (inbox.size() >= limits.maxQueuedFrames) {
      inbox.end(new LocalError("limit_exceeded", `more than ${limits.maxQueuedFrames} messages wait to be pulled; the connection is closed`));
      void shut();
      return;
    }
    // Their in-memory transport hands over the sender's own object, and checks nothing.
    const { frame, invalid } = readHandedOver(pushed, limits);
    if (invalid !== undefined) return refuse(invalid, extra);
    const { message } = frame;
    learnVersion(message);
    if (streams !== undefined && (isResult(message) || isErrorResponse(message)) && message.id !== undefined && message.id !== null) streams.forget(message.id);
    deliver({ frame, from: contextFromExtra(extra, plain) });
  };

  // Refused after the end, when nobody waits for it.
  const deliver = (arrival: Arrival) => void inbox.put(arrival).catch(() => {});

  const refuse = (invalid: InvalidFrame, extra: unknown) => {
    const { error, id, answers } = invalid;
    report(new LocalError("invalid_message", `the wrapped transport pushed what is no message: ${error.message}`));
    if (id === undefined) return;
    if (answers === true) return deliver(standIn(invalid, id, contextFromExtra(extra, plain)));
    // In a promise, as their `send` may throw.
    new Promise((settle) => settle(sdk.send(errorFrame(id, error).message))).catch((thrown: unknown) => {
      report(closedError(`the wrapped transport failed to send: ${describeError(thrown)}`, thrown));
    });
  };

  const learnVersion = (message: Message) => {
    if (initializeId === undefined || !isResult(message) || message.id !== initializeId) return;
    initializeId = undefined;
    const version = message.result["protocolVersion"];
    if (typeof version === "string") sdk.setProtocolVersion?.(version);
  };

  // Their protocol object chains to what it finds in these slots, so we do as well.
  const { onmessage, onclose, onerror } = sdk;
  sdk.onmessage = (message, extra) => {
    arrive(message, extra);
    onmessage?.call(sdk, message, extra);
  };
  sdk.onclose = () => {
    inbox.end();
    onclose?.call(sdk);
  };
  sdk.onerror = (error) => {
    report(error);
    onerror?.call(sdk, error);
  };

  const start = () =>
    (started ??= Promise.resolve(sdk.start()).catch((thrown: unknown) => {
      const error = closedError(`the wrapped transport did not start: ${describeError(thrown)}`, thrown);
      inbox.end(error);
      throw error;
    }));

  const shut = () =>
    (closing ??= (async () => {
      streams?.clear();
      try {
        await sdk.close();
      } catch (thrown) {
        report(closedError(`the wrapped transport failed to close: ${describeError(thrown)}`, thrown));
      }
      inbox.end();
    })());

  return {
    async send(frame, route) {
      if (closing !== undefined || inbox.isEnded()) throw closedError();
      let message: Message;
      try {
        message = cloneJson(frame.message, limits.maxDepth, limits.maxMessageBytes);
      } catch (thrown) {
        throw notJson(thrown);
      }
      if (streams?.ends(message) === true) return;
      await start();
      if (isRequest(message) && message.method === "initialize") initializeId = message.id;
      const given = sendOptions(route);
      // One that came with the message ends the stream already.
      const requestSignal = given?.requestSignal === undefined ? streams?.open(message) : undefined;
      try {
        await sdk.send(message, requestSignal === undefined ? given : { ...given, requestSignal });
      } catch (thrown) {
        throw closedError(`the wrapped transport failed to send: ${describeError(thrown)}`, thrown);
      }
    },
    receive() {
      if (closing === undefined) start().catch(() => {});
      return inbox.receive();
    },
    close() {
      inbox.close();
      return shut();
    },
  };
}

function sendOptions(route: Route | undefined): SdkSendOptions | undefined {
  if (route === undefined) return undefined;
  const carried = isObject(route.carry) ? route.carry : {};
  return route.related === undefined ? carried : { ...carried, relatedRequestId: route.related };
}

interface ToSdkOptions {
  readonly limits?: Partial<Limits>;
  /** The SDK's transport that `transport` is built on: its `sessionId` shows through, and `setProtocolVersion` reaches it. */
  readonly around?: SdkTransport;
}

/**
 * A transport of ours in the shape of the official SDKs, to be handed to their `connect`. Their `send` options travel in `Route`: the request
 * that a message belongs to as `related`, all of them as `carry`. `onclose` is called once, after everything was pushed.
 */
export function toSdkTransport(transport: Transport, { around, limits }: ToSdkOptions = {}): SdkTransport {
  const { maxDepth, maxMessageBytes } = resolveLimits(limits);
  let started = false;
  let over = false;

  const finish = () => {
    if (over) return;
    over = true;
    try {
      sdk.onclose?.();
    } catch (thrown) {
      report(thrown);
    }
  };
  const report = (thrown: unknown) => {
    try {
      sdk.onerror?.(thrown instanceof Error ? thrown : closedError(describeError(thrown), thrown));
    } catch {
      // Their observer's fault; there is nobody else to tell.
    }
  };
  const pump = async () => {
    try {
      for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) {
        try {
          sdk.onmessage?.(arrival.frame.message, extraFromContext(arrival.from));
        } catch (thrown) {
          report(thrown);
        }
      }
    } catch (thrown) {
      report(thrown);
    }
    await transport.close();
    finish();
  };

  const sdk: SdkTransport = {
    start() {
      if (started) return Promise.reject(new LocalError("conflict", "the transport is started already"));
      started = true;
      void pump();
      return DONE;
    },
    async send(message, options) {
      let copy: unknown;
      try {
        copy = cloneJson(message, maxDepth, maxMessageBytes);
      } catch (thrown) {
        throw notJson(thrown);
      }
      const related = options?.relatedRequestId;
      const route: Route = { ...(related !== undefined ? { related } : {}), ...(options !== undefined ? { carry: options } : {}) };
      // Their protocol object makes nothing but messages, and its types say so.
      await transport.send({ message: copy as Message }, route);
    },
    async close() {
      await transport.close();
      finish();
    },
  };
  if (around !== undefined) {
    Object.defineProperty(sdk, "sessionId", { get: () => around.sessionId, enumerable: true });
    sdk.setProtocolVersion = (version) => around.setProtocolVersion?.(version);
  }
  return sdk;
}
