import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { provenanceProblem } from "../chain/provenance.ts";
import { compileImmutable, type ImmutableCheck } from "./immutable.ts";
import type { GuardPolicy } from "./options.ts";

/** Throws `invalid_argument` for what JavaScript lets through in the place of options. */
export function assertOptions(given: unknown, whose: string): void {
  if (!isObject(given)) throw new LocalError("invalid_argument", `${whose} must be an object${given === null ? ": got null; leave them out for none" : ""}`);
}

/** What a policy says of final payloads, ready for use; throws `invalid_argument` where it says what cannot be. */
export function readPolicy(policy: GuardPolicy = {}): { readonly immutable: ImmutableCheck | undefined } {
  assertOptions(policy, "the rules of policy");
  const { immutable, provenance, onSchemaBreak, digest } = policy;
  const problem = provenanceProblem(provenance);
  if (problem !== undefined) throw new LocalError("invalid_argument", `policy.${problem}`);
  if (onSchemaBreak !== undefined && onSchemaBreak !== "block" && onSchemaBreak !== "error-result") {
    throw new LocalError("invalid_argument", 'policy.onSchemaBreak must be "block" or "error-result"');
  }
  if (digest !== undefined && typeof digest !== "function") throw new LocalError("invalid_argument", "policy.digest must be a function");
  return { immutable: immutable === undefined ? undefined : compileImmutable(immutable) };
}
