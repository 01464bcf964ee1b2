// Damage to texts and bytes, for parts whose input was valid before.
import type { Random } from "../../support/random.ts";

/** One to three small edits: characters that go, come, double or change places, and an end that is cut off. */
export function mangle(random: Random, text: string, pieces: readonly string[]): string {
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(text.length + 1);
    const length = 1 + random.below(random.pick([1, 2, 12]));
    const rest = text.slice(at + length);
    text = random.pick([
      () => text.slice(0, at) + rest,
      () => text.slice(0, at) + random.pick(pieces) + text.slice(at),
      () => text.slice(0, at) + random.pick(pieces) + rest,
      () => text.slice(0, at) + text.slice(at, at + length).repeat(2) + rest,
      () => text.slice(0, at) + rest.slice(0, length) + text.slice(at, at + length) + rest.slice(length),
      () => text.slice(0, at),
    ])();
  }
  return text;
}

/** Cuts bytes anywhere: mostly into few pieces, now and then at each byte. */
export function chunksOf(random: Random, bytes: Uint8Array): Uint8Array[] {
  const size = random.pick([1, 3, 40, 1_000, bytes.length + 1]);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(size);
    chunks.push(bytes.slice(at, end));
    at = end;
  }
  return chunks;
}

/** How two outcomes differ; nothing where they are alike. */
export function differ(what: string, found: unknown, expected: unknown): string | undefined {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  return one === other ? undefined : `${what}: found ${one}, expected ${other}`;
}
