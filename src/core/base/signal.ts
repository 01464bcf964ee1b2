import { createLinkedList, type LinkedList } from "./linked-list.ts";

/** What we need of the platform's `AbortSignal`; any object with these members will do. */
export interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Our own cancellation signal. The platform's costs more than the rest of a call (a controller, a listener and an abort are
 * 15 µs on Node 20), so it is made only when a handler reads it; see `platformSignal` in `host.ts`.
 */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls back once, at the abort; at once if it has happened. Returns the unsubscriber. A listener must not throw. */
  onAbort(listener: (reason: unknown) => void): () => void;
}

/** A signal with the means to abort it; what `createSignal` gives. */
export interface SignalSource {
  readonly signal: Signal;
  /** The first call counts. Listeners run in the order of their subscription. */
  abort(reason: unknown): void;
  /** Unlinks from the parents without an abort. Call it on every exit. */
  dispose(): void;
}

interface Entry {
  /** Gone where it has unsubscribed. */
  listener: ((reason: unknown) => void) | undefined;
}

/** A signal without parents, aborted by `fire`. For hot paths, which need no closure; elsewhere use {@link createSignal}. */
export class OwnSignal implements Signal {
  aborted = false;
  reason: unknown = undefined;
  // Most signals have no listener, nearly all others one: that needs no table.
  #first: Entry | undefined;
  #more: LinkedList<Entry> | undefined;

  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.aborted) {
      listener(this.reason);
      return () => {};
    }
    // An entry of its own, so that one function subscribed twice is two subscriptions.
    const entry: Entry = { listener };
    if (this.#first === undefined && this.#more === undefined) {
      this.#first = entry;
      return () => {
        if (this.#first === entry) this.#first = undefined;
      };
    }
    const more = (this.#more ??= createLinkedList());
    const node = more.add(entry);
    return () => {
      // Also where the abort is under way, and goes over those that were there.
      entry.listener = undefined;
      more.remove(node);
    };
  }

  /** The first call counts. */
  fire(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const first = this.#first;
    const more = this.#more;
    this.#first = undefined;
    this.#more = undefined;
    first?.listener?.(reason);
    if (more !== undefined) for (const { listener } of more) listener?.(reason);
  }
}

/** A signal that aborts by hand or with any of its parents. */
export function createSignal(...parents: readonly (Signal | SignalLike | undefined)[]): SignalSource {
  const signal = new OwnSignal();
  let unlink: (() => void)[] | undefined;
  const dispose = () => {
    const links = unlink;
    unlink = undefined;
    if (links !== undefined) for (const off of links) off();
  };
  const abort = (reason: unknown) => {
    dispose();
    signal.fire(reason);
  };
  for (const parent of parents) {
    if (parent === undefined) continue;
    if (parent.aborted) {
      abort(parent.reason);
      break;
    }
    (unlink ??= []).push(subscribe(parent, abort));
  }
  return { signal, abort, dispose };
}

/** Whether a value can be listened to as a signal of either kind. */
export function isSignal(value: unknown): value is Signal | SignalLike {
  if (typeof value !== "object" || value === null || !("aborted" in value) || typeof value.aborted !== "boolean") return false;
  if ("onAbort" in value) return typeof value.onAbort === "function";
  return "addEventListener" in value && typeof value.addEventListener === "function" && "removeEventListener" in value;
}

/** Listens to either kind of signal; returns the unsubscriber. */
export function subscribe(signal: Signal | SignalLike, listener: (reason: unknown) => void): () => void {
  if ("onAbort" in signal) return signal.onAbort(listener);
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const onEvent = () => listener(signal.reason);
  signal.addEventListener("abort", onEvent);
  return () => signal.removeEventListener("abort", onEvent);
}
