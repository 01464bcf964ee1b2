import { LocalError } from "../base/errors.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { provenanceProblem } from "../chain/provenance.ts";
import { compileImmutable, type ImmutableCheck } from "./immutable.ts";
import type { AttachOptions, GuardOptions, GuardPolicy } from "./options.ts";

const POLICY: OptionTable<GuardPolicy> = {
  interceptNotifications: "a boolean",
  hostsChain: "a boolean",
  errorResponses: ["pass", "generic"],
  keepsError: "a function",
  blockAs: ["error", "result"],
  answerAs: "an object",
  exposeMessages: "a boolean",
  exposeErrors: "a boolean",
  immutable: "any",
  onSchemaBreak: ["block", "error-result"],
  provenance: "any",
  digest: "a function",
  chainTimeoutMs: "a positive number",
  contextTimeoutMs: "a positive number",
  recordTimeoutMs: "a positive number",
  onRecordFailure: ["block", "continue"],
};

const ATTACH: OptionTable<AttachOptions> = {
  context: "a function",
  canRecord: "a function",
  record: "a function",
  observe: "any",
  log: "a function",
  policy: "an object",
  host: "an object",
  limits: "an object",
};

/** Throws `invalid_argument` for options of guards that say what cannot be. `more` are members beside those of `AttachOptions`, which their reader looks at. */
export function checkGuardOptions(options: AttachOptions, ...more: readonly (keyof GuardOptions)[]): void {
  checkOptions(options, "the options of a guard", { ...ATTACH, ...Object.fromEntries(more.map((name) => [name, "any"])) });
  checkPolicy(options.policy);
}

/** Throws `invalid_argument` for a policy that says what cannot be. */
export function checkPolicy(policy: GuardPolicy = {}): void {
  checkOptions(policy, "the rules of policy", POLICY);
  const problem = provenanceProblem(policy.provenance);
  if (problem !== undefined) throw new LocalError("invalid_argument", `policy.${problem}`);
  immutableOf(policy);
}

/** What a policy says of final payloads, ready for use. */
export function immutableOf({ immutable }: GuardPolicy): ImmutableCheck | undefined {
  return immutable === undefined ? undefined : compileImmutable(immutable);
}
