import { detectHost, type Host } from "../core/base/host.ts";

let host: Host | undefined;

/**
 * The host of this runtime, with Node's own way to write UTF-8: what `TextEncoder` gives in a quarter of its time (Node 20: 0.24 against 1.0 µs
 * for a small call, 4 against 14 µs for 12 kB). For reading, `TextDecoder` is the faster one.
 */
export function nodeHost(): Host {
  return (host ??= withBuffers(detectHost()));
}

function withBuffers(detected: Host): Host {
  const { utf8 } = detected;
  if (utf8 === undefined) return detected;
  return { ...detected, utf8: { encode: (text) => Buffer.from(text, "utf8"), decode: utf8.decode } };
}
