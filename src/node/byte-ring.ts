/** The last bytes of a stream that never ends. */
export interface ByteRing {
  push(bytes: Uint8Array): void;
  /** What is kept, oldest first, as text; a character cut by the bound is left out. */
  text(): string;
}

export function createByteRing(maxBytes: number): ByteRing {
  // Made on first use: most children say nothing.
  let ring: Uint8Array | undefined;
  let at = 0;
  let full = false;
  return {
    push(bytes) {
      ring ??= new Uint8Array(maxBytes);
      const kept = bytes.length > maxBytes ? bytes.subarray(-maxBytes) : bytes;
      const first = Math.min(kept.length, maxBytes - at);
      ring.set(kept.subarray(0, first), at);
      ring.set(kept.subarray(first), 0);
      full ||= at + kept.length >= maxBytes;
      at = (at + kept.length) % maxBytes;
    },
    text() {
      if (ring === undefined) return "";
      if (!full) return new TextDecoder().decode(ring.subarray(0, at));
      const bytes = new Uint8Array(maxBytes);
      bytes.set(ring.subarray(at));
      bytes.set(ring.subarray(0, at), maxBytes - at);
      let start = 0;
      while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
      return new TextDecoder().decode(bytes.subarray(start));
    },
  };
}
