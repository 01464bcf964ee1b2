import { createFindSecrets, type SecretScanOptions } from "../../../src/library/secrets/scan.ts";

/** What is found in a text, in order: kind and text. */
export function found(text: string, options?: SecretScanOptions): string[] {
  return createFindSecrets(options)(text).map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`);
}
