import type { ByteDuplex } from "../../src/core/transport/line-transport.ts";

/** Two byte duplexes, each the other's peer. `chunkBytes` cuts what is written; bytes past `capacity` wait for the reader. */
export function bytePipes({ chunkBytes = 7, capacity = 65_536 } = {}): [ByteDuplex, ByteDuplex] {
  const there = channel(chunkBytes, capacity);
  const back = channel(chunkBytes, capacity);
  return [duplex(back, there), duplex(there, back)];
}

interface Channel {
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): Promise<void>;
  /** No more is written; what was written can be read. */
  end(): void;
  /** Nobody reads any more. */
  cancel(): void;
}

function channel(chunkBytes: number, capacity: number): Channel {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  let cancelled = false;
  let reader: ((chunk: Uint8Array | undefined) => void) | undefined;
  let writers: { resolve(): void; reject(error: Error): void }[] = [];
  const serve = () => {
    if (reader === undefined) return;
    const chunk = cancelled ? undefined : chunks.shift();
    if (chunk === undefined && !ended && !cancelled) return;
    const resolve = reader;
    reader = undefined;
    size -= chunk?.length ?? 0;
    resolve(chunk);
    if (size <= capacity) for (const writer of writers.splice(0)) writer.resolve();
  };
  return {
    read: () =>
      new Promise((resolve) => {
        reader = resolve;
        serve();
      }),
    write(bytes) {
      if (cancelled || ended) return Promise.reject(new Error("EPIPE"));
      const step = Math.max(chunkBytes, Math.ceil(bytes.length / 1000));
      for (let at = 0; at < bytes.length; at += step) chunks.push(bytes.slice(at, at + step));
      size += bytes.length;
      serve();
      return size <= capacity ? Promise.resolve() : new Promise((resolve, reject) => writers.push({ resolve, reject }));
    },
    end() {
      ended = true;
      serve();
    },
    cancel() {
      cancelled = true;
      for (const writer of writers.splice(0)) writer.reject(new Error("EPIPE"));
      serve();
    },
  };
}

function duplex(incoming: Channel, outgoing: Channel): ByteDuplex {
  return {
    read: incoming.read,
    write: outgoing.write,
    async close() {
      incoming.cancel();
      outgoing.end();
    },
  };
}
