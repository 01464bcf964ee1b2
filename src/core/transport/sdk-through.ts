import type { LocalError } from "../base/errors.ts";
import type { Message } from "../wire/message.ts";
import type { SdkSendOptions, SdkTransport } from "./sdk-shape.ts";
import { closedError } from "./transport-errors.ts";

// What the two adapters on one wrapped transport tell each other past our own contract, which has no place for it: whoever holds the
// outer one is to notice nothing of what is in between.

/** A wrapped transport as `fromSdkTransport` sees it, for the `toSdkTransport` that is built around it. */
export interface Below {
  /** Starts it, at most once. Rejects with a `LocalError` that {@link originalOf} knows. */
  start(): Promise<void>;
  /** Told what the wrapped transport reports without closing. */
  onError: ((error: Error) => void) | undefined;
}

const belows = new WeakMap<SdkTransport, Below>();
const originals = new WeakMap<object, unknown>();

export function registerBelow(sdk: SdkTransport, below: Below): void {
  belows.set(sdk, below);
}

export function belowOf(sdk: SdkTransport | undefined): Below | undefined {
  return sdk === undefined ? undefined : belows.get(sdk);
}

/** What our side gets where a wrapped transport has thrown. */
export function thrownBySdk(what: string, thrown: unknown): LocalError {
  const error = closedError(what, thrown);
  originals.set(error, thrown);
  return error;
}

/** What the wrapped transport has thrown itself, as programs tell their SDK's errors apart by class (an `UnauthorizedError`, say); else the error. */
export function originalOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && originals.has(error) ? originals.get(error) : error;
}

/** What `toSdkTransport` makes of a message and its options, for `fromSdkTransport`: what is in between may have changed the message since. */
export interface SdkCarry {
  readonly options: SdkSendOptions;
  readonly given: Message;
}

const carries = new WeakSet<object>();

export function carryOf(options: SdkSendOptions, given: Message): SdkCarry {
  const carry = { options, given };
  carries.add(carry);
  return carry;
}

/** True for what {@link carryOf} has made, and nothing else. */
export function isCarry(value: unknown): value is SdkCarry {
  return typeof value === "object" && value !== null && carries.has(value);
}

/** The `carry` of a cancellation that its sender has already made known by aborting the request's own stream: nothing of it is to be sent. */
export const STREAM_ABORTED: object = {};

const OWN: ReadonlySet<PropertyKey> = new Set<keyof SdkTransport>(["start", "send", "close", "onmessage", "onclose", "onerror"]);

/**
 * `around`, but for the verbs and slots, which are those of `own`. Whatever else a transport has (session id, protocol versions, its class, the
 * methods of its own that a program calls) is read, written and called on `around` itself.
 */
export function showThrough<T extends SdkTransport>(own: SdkTransport, around: T): T {
  // One function each, as a program may compare them.
  const bound = new WeakMap<object, unknown>();
  const onAround = (method: { bind(to: T): unknown }): unknown => {
    const known = bound.get(method);
    if (known !== undefined) return known;
    const made = method.bind(around);
    bound.set(method, made);
    return made;
  };
  return new Proxy(around, {
    get(target, key) {
      if (OWN.has(key)) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key);
      // A getter or a method may use private members, which a proxy has not.
      return typeof value === "function" && key !== "constructor" ? onAround(value) : value;
    },
    set: (target, key, value) => Reflect.set(OWN.has(key) ? own : target, key, value),
    has: (target, key) => OWN.has(key) || Reflect.has(target, key),
    deleteProperty: (target, key) => Reflect.deleteProperty(OWN.has(key) ? own : target, key),
    // Programs that watch a connection put accessors into its slots.
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(OWN.has(key) ? own : target, key, descriptor),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(OWN.has(key) ? own : target, key),
  });
}
