import { createScanner } from "../../../src/library/detect/scan.ts";
import type { SensitiveType } from "../../../src/library/detect/detector.ts";

/** The texts that one type's detectors find, in order. */
export function found(type: SensitiveType, text: string): string[] {
  return createScanner([type]).find(text).map(({ start, end }) => text.slice(start, end));
}
