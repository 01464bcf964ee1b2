import { LocalError } from "../base/errors.ts";
import { provenanceProblem } from "../chain/provenance.ts";
import { compileImmutable, type ImmutableCheck } from "./immutable.ts";
import type { GuardPolicy } from "./options.ts";

/** What a policy says of final payloads, ready for use; throws `invalid_argument` where it says what cannot be. */
export function readPolicy({ immutable, provenance, onSchemaBreak, digest }: GuardPolicy): { readonly immutable: ImmutableCheck | undefined } {
  const problem = provenanceProblem(provenance);
  if (problem !== undefined) throw new LocalError("invalid_argument", `policy.${problem}`);
  if (onSchemaBreak !== undefined && onSchemaBreak !== "block" && onSchemaBreak !== "error-result") {
    throw new LocalError("invalid_argument", 'policy.onSchemaBreak must be "block" or "error-result"');
  }
  if (digest !== undefined && typeof digest !== "function") throw new LocalError("invalid_argument", "policy.digest must be a function");
  return { immutable: immutable === undefined ? undefined : compileImmutable(immutable) };
}
