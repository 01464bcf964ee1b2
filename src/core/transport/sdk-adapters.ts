import { describeError, LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { cloneJson } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { errorFrame, type InvalidFrame } from "../wire/frame.ts";
import { isErrorResponse, isRequest, isResult, type Message, type RequestId } from "../wire/message.ts";
import { readHandedOver, standIns } from "./handed-over.ts";
import { createInbox } from "./inbox.ts";
import { withParamHeaders } from "./sdk-param-headers.ts";
import { createRequestSignals } from "./sdk-request-signals.ts";
import { contextFromExtra, extraFromContext, plainContext, type SdkSendOptions, type SdkTransport } from "./sdk-shape.ts";
import { createRequestStreams } from "./sdk-streams.ts";
import { belowOf, carryOf, isCarry, originalOf, registerBelow, showThrough, STREAM_ABORTED, thrownBySdk } from "./sdk-through.ts";
import { closedError, notJson } from "./transport-errors.ts";
import type { Arrival, Route, Transport } from "./transport.ts";

export type { SdkSendOptions, SdkTransport } from "./sdk-shape.ts";

interface FromSdkOptions {
  readonly limits?: Partial<Limits>;
  readonly host?: Host;
  /** Told of what the wrapped transport reports without closing, and of whatever it pushes that is no message. What it throws is ignored. */
  readonly onError?: (error: Error) => void;
}

const FROM_OPTIONS: OptionTable<FromSdkOptions> = { limits: "an object", host: "an object", onError: "a function" };

/**
 * A transport of the official SDKs as one of ours; from here on it is ours alone. It is started by the first `send` or `receive`.
 * Pushed messages wait to be pulled; past `maxQueuedFrames` the connection is closed with `limit_exceeded`, as a push cannot be made to
 * wait. What is pushed and is no message never arrives: a broken request that has an id is answered with its error, a broken response that
 * has one arrives as a synthetic error response, the rest is dropped. `Route.related` becomes `relatedRequestId`; a `Route.carry` that
 * `toSdkTransport` made gives all send options back as they were, but for headers that mirror what was changed.
 * Where a cancelled request is to end by its own stream, it does.
 */
export function fromSdkTransport(sdk: SdkTransport, options: FromSdkOptions = {}): Transport {
  checkOptions(options, "the options of fromSdkTransport", FROM_OPTIONS);
  const limits = resolveLimits(options.limits);
  const inbox = createInbox(limits.maxQueuedFrames);
  const plain = plainContext();
  const streams = sdk.hasPerRequestStream === true ? createRequestStreams(options.host ?? detectHost(), limits.maxPendingRequests) : undefined;
  let started: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  // The one frame that we read: the wrapped transport must be told which version was agreed on.
  let initializeId: RequestId | undefined;

  const report = (error: Error) => {
    for (const observer of [options.onError, below.onError]) {
      try {
        observer?.(error);
      } catch {
        // An observer's fault is no reason to lose the connection.
      }
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
    for (const arrival of standIns(invalid, contextFromExtra(extra, plain))) deliver(arrival);
    if (id === undefined || answers === true) return;
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
    // In a promise, as it may throw.
    (started ??= new Promise<void>((settle) => settle(sdk.start())).catch((thrown: unknown) => {
      const error = thrownBySdk(`the wrapped transport did not start: ${describeError(thrown)}`, thrown);
      inbox.end(error);
      throw error;
    }));
  const below = { start, onError: undefined };
  registerBelow(sdk, below);

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
      if (route?.carry !== STREAM_ABORTED && streams?.ends(message) === true) return;
      await start();
      if (route?.carry === STREAM_ABORTED) return;
      if (isRequest(message) && message.method === "initialize") initializeId = message.id;
      const given = sendOptions(route, message);
      // One that came with the message ends the stream already.
      const requestSignal = given?.requestSignal === undefined ? streams?.open(message) : undefined;
      try {
        await sdk.send(message, requestSignal === undefined ? given : { ...given, requestSignal });
      } catch (thrown) {
        throw thrownBySdk(`the wrapped transport failed to send: ${describeError(thrown)}`, thrown);
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

function sendOptions(route: Route | undefined, message: Message): SdkSendOptions | undefined {
  if (isCarry(route?.carry)) return withParamHeaders(route.carry.options, route.carry.given, message);
  return route?.related === undefined ? undefined : { relatedRequestId: route.related };
}

interface ToSdkOptions<T extends SdkTransport> {
  readonly limits?: Partial<Limits>;
  /** The SDK's transport that `transport` is built on. All but its verbs and slots shows through: `sessionId`, its class, methods of its own. */
  readonly around?: T;
}

const TO_OPTIONS: OptionTable<ToSdkOptions<SdkTransport>> = { limits: "an object", around: "an object" };

/**
 * A transport of ours in the shape of the official SDKs, to be handed to their `connect`. Their `send` options travel in `Route`: the request
 * that a message belongs to as `related`, all of them as `carry`. `onclose` is called once, after everything was pushed.
 *
 * Around a transport that `fromSdkTransport` has wrapped it behaves as that one does: `start` and `send` reject with what it has thrown, `onerror` is
 * told what it reports, and aborting a request's own stream is a cancellation to whoever is in between.
 */
export function toSdkTransport<T extends SdkTransport = SdkTransport>(transport: Transport, options: ToSdkOptions<T> = {}): T {
  checkOptions(options, "the options of toSdkTransport", TO_OPTIONS);
  const { around, limits } = options;
  const { maxDepth, maxMessageBytes } = resolveLimits(limits);
  const below = belowOf(around);
  const signals = createRequestSignals((message) => transport.send({ message }, { carry: STREAM_ABORTED }));
  let started = false;
  let over = false;

  const finish = () => {
    if (over) return;
    over = true;
    signals.clear();
    try {
      sdk.onclose?.();
    } catch (thrown) {
      report(thrown);
    }
  };
  const report = (thrown: unknown) => {
    const original = originalOf(thrown);
    try {
      sdk.onerror?.(original instanceof Error ? original : closedError(describeError(original), original));
    } catch {
      // Their observer's fault; there is nobody else to tell.
    }
  };
  const pump = async () => {
    try {
      for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) {
        const { message } = arrival.frame;
        if (!("method" in message)) signals.release(message.id);
        try {
          sdk.onmessage?.(message, extraFromContext(arrival.from));
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
    async start() {
      if (started) throw new LocalError("conflict", "the transport is started already");
      started = true;
      if (below !== undefined) below.onError = report;
      void pump();
      await below?.start().catch((thrown: unknown) => {
        throw originalOf(thrown);
      });
    },
    async send(given, options) {
      let copy: unknown;
      try {
        copy = cloneJson(given, maxDepth, maxMessageBytes);
      } catch (thrown) {
        throw notJson(thrown);
      }
      // Their protocol object makes nothing but messages, and its types say so.
      const message = copy as Message;
      if (isRequest(message) && around?.hasPerRequestStream === true) signals.watch(message.id, options?.requestSignal);
      // An answer belongs to what it answers, as what was sent for that before it does; their servers take that for granted and do not say so.
      const related = options?.relatedRequestId ?? ("method" in message ? undefined : (message.id ?? undefined));
      const route = { ...(related !== undefined && { related }), carry: carryOf(options ?? {}, message) };
      await transport.send({ message }, route).catch((thrown: unknown) => {
        if (isRequest(message)) signals.release(message.id);
        throw originalOf(thrown);
      });
    },
    async close() {
      await transport.close();
      finish();
    },
  };
  // Without one, all that T can be is what its default says.
  return around === undefined ? (sdk as T) : showThrough(sdk, around);
}
