/** SHA-256 (FIPS 180-4) without the platform, at about a tenth of its speed; 32 bytes. For digests of short texts where `Host.subtle` is missing. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const { initial, rounds } = (constants ??= deriveConstants());
  const state = Uint32Array.from(initial);
  const words = new Uint32Array(64);
  const padded = pad(bytes);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(block + index * 4);
    compress(state, words, rounds);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, index) => out.setUint32(index * 4, word));
  return digest;
}

// The message, a one bit, zeros up to a multiple of 64 bytes, and its length in bits as 64-bit big-endian.
function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return padded;
}

function compress(state: Uint32Array, words: Uint32Array, rounds: Uint32Array): void {
  for (let index = 16; index < 64; index++) {
    const x = words[index - 15]!;
    const y = words[index - 2]!;
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    words[index] = words[index - 16]! + s0 + words[index - 7]! + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + big1 + ((e & f) ^ (~e & g)) + rounds[index]! + words[index]!) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index]! += word));
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

let constants: { readonly initial: Uint32Array; readonly rounds: Uint32Array } | undefined;

// The standard defines its constants as the first 32 bits of the fractions of square and cube roots of the first primes.
// Doubles hold at least 48 bits of these fractions, and none comes near enough to a step for the rounding of an engine to show.
function deriveConstants(): { initial: Uint32Array; rounds: Uint32Array } {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 0x1_0000_0000);
  return {
    initial: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    rounds: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}
