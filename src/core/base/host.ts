import { LocalError } from "./errors.ts";
import { subscribe, type Signal, type SignalLike } from "./signal.ts";

/**
 * What the library needs of its runtime. Core never names a global of the platform: it takes them from here, so that it runs in
 * an engine that has none, and tests hold the clock in their hands. A missing slot is an error only when it is used.
 */
export interface Host {
  /** Monotonic milliseconds, with fractions. */
  now(): number;
  /** Milliseconds since the epoch, for timestamps. */
  wallTime(): number;
  /**
   * Calls back once after `ms`; returns the canceller. A pending timer keeps the process alive, as somebody waits for what it
   * bounds; a `background` one (idle sweeps, grace periods) does not, where the runtime can tell them apart.
   */
  setTimer(callback: () => void, ms: number, background?: boolean): () => void;
  /** Fills with unpredictable bytes. */
  random(bytes: Uint8Array): Uint8Array;
  /** UTF-8 both ways: `decode` replaces what is malformed, as WHATWG says, and keeps a leading byte order mark. */
  readonly utf8?: { encode(text: string): Uint8Array; decode(bytes: Uint8Array): string };
  /** The platform's abort controller, for handlers that read `signal`. */
  readonly abortController?: new () => { readonly signal: PlatformSignal; abort(reason?: unknown): void };
  /** WebCrypto. */
  readonly subtle?: object;
  /** WHATWG fetch. */
  readonly fetch?: (...args: readonly never[]) => Promise<unknown>;
}

/** The type of a handler's `signal`: the platform's own where the program knows it, else the members we rely on. */
export type PlatformSignal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : SignalLike;

interface Globals {
  performance?: { now(): number };
  setTimeout?: (callback: () => void, ms: number) => unknown;
  clearTimeout?: (timer: unknown) => void;
  crypto?: { getRandomValues(bytes: Uint8Array): Uint8Array; subtle?: object };
  TextEncoder?: new () => { encode(text: string): Uint8Array };
  TextDecoder?: new (label: string, options: { ignoreBOM: boolean }) => { decode(bytes: Uint8Array): string };
  AbortController?: NonNullable<Host["abortController"]>;
  fetch?: NonNullable<Host["fetch"]>;
}

// Node and browsers keep timers in a signed 32-bit integer; a longer wait would fire at once.
export const LONGEST_TIMER_MS = 2_147_483_647;

let detected: Host | undefined;

/** The host of this runtime, filled from its globals; the same object on every call. */
export function detectHost(): Host {
  return (detected ??= fromGlobals(globalThis as Globals));
}

/** A host from any object that has the usual globals. Slots that it lacks throw `host_missing` when used. */
export function fromGlobals(globals: Globals): Host {
  const { performance, setTimeout, clearTimeout, crypto, TextEncoder, TextDecoder, AbortController, fetch } = globals;
  const started = Date.now();
  let last = 0;
  return {
    // Without a monotonic clock the wall clock stands in, and is kept from running backwards.
    now: performance === undefined ? () => (last = Math.max(last, Date.now() - started)) : () => performance.now(),
    wallTime: () => Date.now(),
    setTimer(callback, ms, background = false) {
      if (setTimeout === undefined || clearTimeout === undefined) throw missing("timers (setTimeout, clearTimeout)", "setTimer");
      const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
      if (background && typeof timer === "object" && timer !== null && "unref" in timer) {
        if (typeof timer.unref === "function") timer.unref();
      }
      return () => clearTimeout(timer);
    },
    random(bytes) {
      if (crypto === undefined) throw missing("a random source (crypto.getRandomValues)", "random");
      return crypto.getRandomValues(bytes);
    },
    ...(TextEncoder !== undefined && TextDecoder !== undefined
      ? { utf8: whatwgUtf8(new TextEncoder(), new TextDecoder("utf-8", { ignoreBOM: true })) }
      : {}),
    ...(AbortController !== undefined ? { abortController: AbortController } : {}),
    ...(crypto?.subtle !== undefined ? { subtle: crypto.subtle } : {}),
    // Wrapped: a browser's fetch refuses to be called as a method of another object.
    ...(fetch !== undefined ? { fetch: (...args: readonly never[]) => fetch(...args) } : {}),
  };
}

/** Gives the time now as ISO 8601 text. Formatting costs as much as copying a small payload, and busy code asks many times in a millisecond. */
export function createTimestamp(host: Pick<Host, "wallTime">): () => string {
  let at = NaN;
  let text = "";
  return () => {
    const now = Math.floor(host.wallTime());
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}

function whatwgUtf8(
  encoder: { encode(text: string): Uint8Array },
  decoder: { decode(bytes: Uint8Array): string },
): NonNullable<Host["utf8"]> {
  return { encode: (text) => encoder.encode(text), decode: (bytes) => decoder.decode(bytes) };
}

function missing(what: string, slot: string): LocalError {
  return new LocalError("host_missing", `this runtime has no ${what}; pass a host with the slot "${slot}"`);
}

/** The platform's signal that follows ours; where the platform has none, an object that behaves alike. */
export function platformSignal(signal: Signal, host: Host): PlatformSignal {
  if (host.abortController !== undefined) {
    const controller = new host.abortController();
    subscribe(signal, (reason) => controller.abort(reason));
    return controller.signal;
  }
  const unsubscribers = new Map<() => void, () => void>();
  const like: SignalLike = {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason;
    },
    addEventListener(_type, listener) {
      if (!signal.aborted && !unsubscribers.has(listener)) unsubscribers.set(listener, signal.onAbort(() => callGuarded(listener)));
    },
    removeEventListener(_type, listener) {
      unsubscribers.get(listener)?.();
      unsubscribers.delete(listener);
    },
  };
  // Without a platform class PlatformSignal is SignalLike; with one, the host was asked to do without it.
  return like as PlatformSignal;
}

// A handler's listener that throws must not stop the other listeners of the abort. As on the platform, the error surfaces as uncaught.
function callGuarded(listener: () => void): void {
  try {
    listener();
  } catch (thrown) {
    void Promise.reject(thrown);
  }
}
