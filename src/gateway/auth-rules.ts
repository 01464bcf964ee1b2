import { LocalError } from "../core/base/errors.ts";
import { isObject, ownMember } from "../core/base/json.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";

/** Whom a rule lets in: everything that it names must hold. */
export interface AllowRule {
  readonly type?: Principal["type"];
  /** One of these subjects. */
  readonly id?: string | readonly string[];
  /** Of the issuer's, by claim: equal to one of the values; of a claim that is a list, one of its items must be. */
  readonly claims?: Readonly<Record<string, ClaimValue | readonly ClaimValue[]>>;
  /** Scopes that the token must have, all of them: words of the claim `scope`, or items of `scp`. */
  readonly scopes?: readonly string[];
}
type ClaimValue = string | number | boolean;

const MEMBERS: ReadonlySet<string> = new Set(["type", "id", "claims", "scopes"]);

/**
 * For `UpstreamPlan.allow`: lets in whoever fits one rule at least. Nobody fits none, and an unknown caller fits only a rule for `anonymous`. Throws
 * `invalid_argument` for rules that demand nothing, or what is not known: a word that is misspelt must not open a door.
 */
export function allowPrincipals(rules: readonly AllowRule[]): (principal: Principal | undefined) => boolean {
  rules.forEach((rule, index) => {
    const unknown = Object.keys(rule).find((name) => !MEMBERS.has(name));
    if (unknown !== undefined) throw new LocalError("invalid_argument", `allow rule ${index + 1} has ${JSON.stringify(unknown)}, which is not known`);
    if (Object.values(rule).every((value) => value === undefined)) throw new LocalError("invalid_argument", `allow rule ${index + 1} demands nothing`);
  });
  return (principal) => rules.some((rule) => holds(rule, principal ?? ANONYMOUS));
}

/** Claims that rules look at; `JwtOptions.claims` must have them, as rules see no others. */
export function claimsOfRules(rules: readonly AllowRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ claims, scopes }) => [...Object.keys(claims ?? {}), ...(scopes === undefined ? [] : ["scope", "scp"])]))];
}

const ANONYMOUS: Principal = { type: "anonymous" };

function holds({ type, id, claims, scopes }: AllowRule, principal: Principal): boolean {
  if (type !== undefined && principal.type !== type) return false;
  if (id !== undefined && (principal.id === undefined || !listOf(id).includes(principal.id))) return false;
  if (scopes !== undefined && !hasScopes(principal, scopes)) return false;
  return Object.entries(claims ?? {}).every(([name, wanted]) => {
    const has: readonly unknown[] = listOf(ownMember(principal.claims ?? {}, name));
    return listOf(wanted).some((value) => has.includes(value));
  });
}

/** Whether a principal's token has all of these scopes (RFC 6749, section 3.3; `scp` is what some issuers call them). */
export function hasScopes({ claims = {} }: Principal, wanted: readonly string[]): boolean {
  const [scope, scp] = [ownMember(claims, "scope"), ownMember(claims, "scp")];
  const has = new Set([scope, scp].flatMap((value): unknown[] => (typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [])));
  return isObject(claims) && wanted.every((word) => has.has(word));
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T]; // no list, so one of them
}
