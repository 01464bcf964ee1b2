import { Writable, type Readable } from "node:stream";
import { LocalError } from "../core/base/errors.ts";

/** A readable stream as something to pull from. Nothing is read ahead past the stream's own high-water mark. */
export interface ByteSource {
  /** The next bytes; `undefined` at the end, after `release`, or where the stream broke: a broken pipe has no more to say. One reader. */
  read(): Promise<Uint8Array | undefined>;
  /** From now on no read waits longer than the timer that this starts; it then gives `undefined`, and so does every later one. */
  limitWaits(startTimer: (expired: () => void) => () => void): void;
  /** A pending read and all later ones give `undefined`. What becomes of the stream is the caller's business. */
  release(): void;
}

export function byteSource(stream: Readable): ByteSource {
  let waiting: ((bytes: Uint8Array | undefined) => void) | undefined;
  let startTimer: ((expired: () => void) => () => void) | undefined;
  let stopTimer: (() => void) | undefined;
  let released = false;

  const take = (): Uint8Array | undefined => {
    if (released) return undefined;
    // Without an encoding, a stream of bytes gives bytes.
    const bytes = stream.read() as Uint8Array | null;
    return bytes === null || bytes.length === 0 ? undefined : bytes;
  };
  const settle = (bytes: Uint8Array | undefined) => {
    const resolve = waiting;
    waiting = undefined;
    stopTimer?.();
    stopTimer = undefined;
    resolve?.(bytes);
  };
  const isOver = () => released || stream.readableEnded || stream.destroyed;
  const onReadable = () => {
    if (waiting === undefined) return;
    const bytes = take();
    if (bytes !== undefined || isOver()) settle(bytes);
  };
  const onEnd = () => settle(undefined);
  const release = () => {
    released = true;
    stream.off("readable", onReadable);
    stream.off("end", onEnd);
    stream.off("close", onEnd);
    settle(undefined);
  };
  const limitWait = () => {
    if (waiting !== undefined && stopTimer === undefined) stopTimer = startTimer?.(release);
  };
  // This one stays for the life of the stream: an error without a listener would end the process.
  stream.on("error", onEnd);
  stream.on("readable", onReadable);
  stream.on("end", onEnd);
  stream.on("close", onEnd);

  return {
    read() {
      const bytes = take();
      if (bytes !== undefined || isOver()) return Promise.resolve(bytes);
      return new Promise((resolve) => {
        waiting = resolve;
        limitWait();
      });
    },
    limitWaits(start) {
      startTimer = start;
      limitWait();
    },
    release,
  };
}

/**
 * Writes bytes to a stream: settles when they are handed on, rejects with `closed` when they cannot be. That the other end is gone
 * (EPIPE above all) is told to `onGone`, once, and never becomes an uncaught error.
 */
export function byteSink(stream: Writable, onGone: () => void): (bytes: Uint8Array) => Promise<void> {
  const pending = new Set<(cause?: unknown) => void>();
  let gone = false;
  const go = (cause?: unknown) => {
    // A stream that is destroyed in mid-write need not call back.
    for (const fail of pending) fail(cause);
    if (gone) return;
    gone = true;
    onGone();
  };
  stream.on("error", go);
  stream.on("close", () => go());
  // `protectStdout` turns the method of the process's own stdout away; this transport is whom it protects.
  const write = stream === process.stdout ? Writable.prototype.write : stream.write;
  return (bytes) =>
    new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => {
        pending.delete(fail);
        reject(new LocalError("closed", "the other end of the pipe is gone", cause === undefined ? {} : { cause }));
      };
      if (gone || stream.destroyed || stream.writableEnded) return fail();
      pending.add(fail);
      write.call(stream, bytes, "utf8", (error) => {
        if (error) return fail(error);
        pending.delete(fail);
        resolve();
      });
    });
}
