/** A question that has no answer for this message: neither yes nor no may be made of it. `why` quotes nothing of the message. */
export interface Unknown {
  readonly why: string;
}

export type Truth = boolean | Unknown;

const unknowns = new WeakSet<object>();

export function cannotJudge(why: string): Unknown {
  const unknown = Object.freeze({ why });
  unknowns.add(unknown);
  return unknown;
}

/** Nothing that a message holds can pass for one. */
export function isUnknown(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && unknowns.has(value);
}
