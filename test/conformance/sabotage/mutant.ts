// What a thread is told of a mutant, and what it tells.
import type { VectorOutcome } from "../../../src/conformance/kit.ts";
import type { FixtureDeclaration, Requirement, Vector } from "../../../src/conformance/vector.ts";

/** The module that a mutant is entered by. */
export const ENTRY = "test/conformance/connected-target.ts";
/** A mutant that passes less is no subtle one, and is not looked at any longer. */
export const LEAST_PASSED = 0.6;

export interface ThreadData {
  readonly modules: ReadonlyMap<string, string>;
  readonly vectors: readonly Vector[];
  readonly fixtures: readonly FixtureDeclaration[];
  readonly requirements: readonly Requirement[];
}

export interface Mutant {
  /** The requirement whose vectors come first; none for the engine as it is. */
  readonly breaks: string | undefined;
  /** Compiled, by path. */
  readonly changed: ReadonlyMap<string, string>;
  /** Which of the vectors that do not name the requirement run: each, each second, and so on. Where too many fail, those of the next number follow. */
  readonly every: readonly number[];
  /** For one vector. */
  readonly timeoutMs: number;
}

export interface Measured {
  /** Why there is nothing to measure: it cannot even be loaded and connected to. */
  readonly crashed?: string;
  readonly ran: number;
  readonly failed: readonly Pick<VectorOutcome, "id" | "expected" | "actual">[];
  /** The requirements that the kit calls broken. */
  readonly broken: readonly string[];
  readonly ok: boolean;
}
