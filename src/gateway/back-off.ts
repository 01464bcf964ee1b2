import type { Host } from "../core/base/host.ts";

/** Waits between attempts that fail one after the other. */
export interface BackOff {
  /** Milliseconds until the next attempt may be made; 0 at once. */
  readonly waitMs: number;
  failed(): void;
  succeeded(): void;
}

/** The first failure costs no wait: most are alone. The second one costs `firstMs`, and each further one twice as much as the one before. */
export function createBackOff(host: Host, { firstMs = 250, longestMs = 30_000 }: { readonly firstMs?: number; readonly longestMs?: number } = {}): BackOff {
  let failures = 0;
  let notBefore = -Infinity;
  return {
    get waitMs() {
      return Math.max(0, Math.ceil(notBefore - host.now()));
    },
    failed() {
      failures++;
      notBefore = failures === 1 ? -Infinity : host.now() + Math.min(firstMs * 2 ** (failures - 2), longestMs);
    },
    succeeded() {
      failures = 0;
      notBefore = -Infinity;
    },
  };
}
