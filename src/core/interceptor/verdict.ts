import type { JsonObject } from "../base/json.ts";
import type { Severity, Signature, Suggestion } from "../wire/gen/interceptors.ts";

/** A message as an author writes it; without a severity it counts as an error. */
interface VerdictMessage {
  readonly message: string;
  readonly path?: string;
  readonly severity?: Severity;
}

/** What an author may write by mistake, and nobody would read: the type refuses it. It stands in `messages`, or is said by {@link deny}. */
type Unread = { readonly [Member in "message" | "reason" | "error" | "path"]?: never };

/**
 * What a validator returns where a boolean says too little. It blocks if `valid` is false and the severity is `error`: its own, else the
 * highest among the messages, else `error`. `valid: true` never blocks.
 */
export interface Verdict extends Unread {
  readonly valid: boolean;
  readonly severity?: Severity;
  readonly messages?: readonly VerdictMessage[];
  readonly suggestions?: readonly Suggestion[];
  readonly info?: JsonObject;
  readonly signature?: Signature;
}

interface VerdictOptions {
  /** Place of the fault in the payload. */
  readonly path?: string;
  readonly suggestions?: readonly Suggestion[];
  /** Anything else for the caller; it crosses the wire. */
  readonly info?: JsonObject;
}

/** The message may pass. `info` and `suggestions` go along to whoever asked (SEP-2624, Validation Results). */
export function allow(options: Pick<VerdictOptions, "info" | "suggestions"> = {}): Verdict {
  return { valid: true, ...options };
}

/** Says no. With a severity of `warn` or `info` the message is reported, and does not block. */
export function deny(message: string, options: VerdictOptions & { readonly severity?: Severity } = {}): Verdict {
  return verdict(false, options.severity ?? "error", message, options);
}

/** Lets pass, with a warning. */
export function warn(message: string, options: VerdictOptions = {}): Verdict {
  return verdict(true, "warn", message, options);
}

/** Lets pass, with a remark. */
export function info(message: string, options: VerdictOptions = {}): Verdict {
  return verdict(true, "info", message, options);
}

function verdict(valid: boolean, severity: Severity, message: string, { path, suggestions, info }: VerdictOptions): Verdict {
  return {
    valid,
    severity,
    messages: [{ ...(path !== undefined && { path }), message, severity }],
    ...(suggestions !== undefined && { suggestions }),
    ...(info !== undefined && { info }),
  };
}

/**
 * Tells a mutator's helper value from a payload. A symbol, since no JSON carries one: a peer who writes `{ "modified": false }` into its
 * own message must not be able to make a returned payload look like `unchanged()`. Registered, so that two copies of the package agree.
 */
const MUTATION: unique symbol = Symbol.for("mcp-interceptors.mutation");

/** What `mutated` and `unchanged` give, for a mutator to return. It cannot be made by hand. */
export interface Mutation<P = unknown> {
  readonly [MUTATION]: { readonly payload?: P; readonly changed: boolean; readonly info?: JsonObject };
}

/** The payload stays as it was, whatever the handler did to its copy. */
export function unchanged(options: { readonly info?: JsonObject } = {}): Mutation<never> {
  return { [MUTATION]: { changed: false, ...options } };
}

/** The new payload, with `info` for the caller. Without `info`, return the payload itself. */
export function mutated<P>(payload: P, options: { readonly info?: JsonObject } = {}): Mutation<P> {
  return { [MUTATION]: { payload, changed: true, ...options } };
}

/** What `unchanged()` or `mutated()` made; `undefined` for anything else, which is a payload. */
export function readMutation(output: unknown): Mutation[typeof MUTATION] | undefined {
  // Only the two helpers know the symbol.
  return typeof output === "object" && output !== null && MUTATION in output ? (output as Mutation)[MUTATION] : undefined;
}
