import type { Span } from "../detect/detector.ts";

/**
 * What `secret-guard` can find. `known` are the values that its config names; the others are known by their form, in the order in which they name
 * what several of them find at one place.
 */
export const SECRET_KINDS = ["provider-token", "private-key", "jwt", "url-password", "authorization", "assignment", "high-entropy"] as const;

export type SecretKind = (typeof SECRET_KINDS)[number] | "known";

export interface SecretMatch extends Span {
  readonly type: SecretKind;
}

/** Adds a match; what is found decoded is added at the place of its encoded form. */
export type Report = (type: SecretKind, start: number, end: number) => void;
