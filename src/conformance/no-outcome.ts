/**
 * Thrown by a target that has nothing to say of a vector: `unsupported` where the implementation has no means for what the vector asks (it is
 * skipped, with the reason), `broken` where the target fell over on it (it has failed, and is never taken for a refusal).
 */
export class NoOutcome extends Error {
  override readonly name = "NoOutcome";
  readonly kind: "unsupported" | "broken";

  constructor(kind: "unsupported" | "broken", why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
