/** What `redact` can find. The names are used in its config and in its masks. */
export type SensitiveType = "email" | "phone" | "card" | "iban" | "ssn" | "ip";

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Match extends Span {
  readonly type: SensitiveType;
}

/**
 * A detector is asked at anchors: each `@`, each `:`, or each place where a run of digits starts. It answers with the whole span around
 * that anchor, or nothing, and reads no further than a fixed distance, or up to the anchors next to it: so a scan is linear,
 * whatever the text. It sees text after `fold`, where separators and digits are ASCII.
 */
export interface Detector {
  readonly type: SensitiveType;
  readonly anchor: "@" | ":" | "digit";
  matchAt(text: string, anchor: number): Span | undefined;
}

/** Puts what a detector has found, if anything, to the rest. */
export function addMatch({ type }: Detector, span: Span | undefined, found: Match[]): void {
  if (span !== undefined) found.push({ type, start: span.start, end: span.end });
}
