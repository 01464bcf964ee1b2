import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { invalid, readChoice, readConfig, readPatterns, readStrings } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { compileUriPatterns } from "./uri/uri-patterns.ts";

/** Names, or `prefix*`. */
export interface FilterLists {
  /** Absent: everything that is not denied. An empty list: nothing. */
  readonly allow?: readonly string[];
  /** Wins over `allow`. */
  readonly deny?: readonly string[];
}

/** What of a server may be used: its own lists are of tools. */
export interface FilterKinds extends FilterLists {
  readonly prompts?: FilterLists;
  /** Of URIs. */
  readonly resources?: FilterLists;
}

type ClaimValue = string | number | boolean;

/** Lists for some callers. All that is said of the caller must hold, and something must be said. */
export interface FilterRule extends FilterKinds {
  readonly type?: Principal["type"];
  /** One of these subjects. */
  readonly id?: readonly string[];
  /** By claim: one of the values; of a claim that is a list, one of its items is one. */
  readonly claims?: Readonly<Record<string, ClaimValue | readonly ClaimValue[]>>;
}

export interface FilterConfig extends FilterKinds {
  /** The first that fits the caller takes the place of the lists beside `rules`, for the kinds that it has lists of. */
  readonly rules?: readonly FilterRule[];
}

export type FilterKind = "tools" | "prompts" | "resources";

/** What passes, by kind; a kind without lists is absent, and all of it passes. */
export type Filter = { readonly [K in FilterKind]?: Passes };

export interface Passes {
  passes(name: string): boolean;
  /** For a template of URIs: whether something that it expands to may pass. */
  mayPass(template: string): boolean;
}

export type FilterFor = (caller: Principal | undefined) => Filter;

const listsSchema: JsonObject = { type: "object", properties: { allow: patternsSchema, deny: patternsSchema }, additionalProperties: false };
const kindsSchema = { allow: patternsSchema, deny: patternsSchema, prompts: listsSchema, resources: listsSchema };
const claimValue: JsonObject = { type: ["string", "number", "boolean"] };
const ruleSchema: JsonObject = {
  type: "object",
  properties: {
    ...kindsSchema,
    type: { enum: ["user", "service", "anonymous"] },
    id: { type: "array", items: { type: "string" } },
    claims: { type: "object", additionalProperties: { anyOf: [claimValue, { type: "array", items: claimValue }] } },
  },
  anyOf: [{ required: ["type"] }, { required: ["id"] }, { required: ["claims"] }],
  additionalProperties: false,
};

export const filterConfigSchema: JsonObject = {
  type: "object",
  properties: { ...kindsSchema, rules: { type: "array", items: ruleSchema } },
  additionalProperties: false,
};

const KINDS = ["allow", "deny", "prompts", "resources"];

/** Throws `invalid_argument` with the member that is wrong. */
export function compileFilter(value: unknown, owner: string): FilterFor {
  const config = readConfig(value, [...KINDS, "rules"], owner);
  const base = compileKinds(config, owner);
  const rules = readRules(ownMember(config, "rules"), owner).map(({ fits, filter }) => ({ fits, filter: { ...base, ...filter } }));
  return (caller) => rules.find(({ fits }) => fits(caller ?? { type: "anonymous" }))?.filter ?? base;
}

/** The kinds that a config has lists of, for some caller or for all. The config fits. */
export function kindsOf(config: FilterConfig): ReadonlySet<FilterKind> {
  const kinds = new Set<FilterKind>();
  for (const { allow, deny, prompts, resources } of [config, ...(config.rules ?? [])]) {
    if (allow !== undefined || deny !== undefined) kinds.add("tools");
    if (prompts !== undefined) kinds.add("prompts");
    if (resources !== undefined) kinds.add("resources");
  }
  return kinds;
}

/** The claims that rules ask for, so that whoever verifies callers brings them. */
export function claimsOf(config: unknown): readonly string[] {
  const rules = isObject(config) ? ownMember(config, "rules") : undefined;
  return Array.isArray(rules) ? rules.flatMap((rule: unknown) => (isObject(rule) && isObject(rule["claims"]) ? Object.keys(rule["claims"]) : [])) : [];
}

function compileKinds(config: JsonObject, owner: string): Filter {
  const hasTools = ownMember(config, "allow") !== undefined || ownMember(config, "deny") !== undefined;
  const prompts = ownMember(config, "prompts");
  const resources = ownMember(config, "resources");
  return {
    ...(hasTools ? { tools: ofNames(config, owner) } : {}),
    ...(prompts === undefined ? {} : { prompts: ofNames(readLists(prompts, "prompts", owner), `${owner}, prompts`) }),
    ...(resources === undefined ? {} : { resources: ofUris(readLists(resources, "resources", owner), `${owner}, resources`) }),
  };
}

function readLists(value: unknown, member: string, owner: string): JsonObject {
  if (!isObject(value)) throw invalid(owner, member, "must be an object with allow or deny");
  return readConfig(value, ["allow", "deny"], `${owner}, ${member}`);
}

function ofNames(lists: JsonObject, owner: string): Passes {
  const allow = readPatterns(lists, "allow", owner);
  const denied = compilePatterns(readPatterns(lists, "deny", owner) ?? []);
  const allowed = allow === undefined ? () => true : compilePatterns(allow);
  const passes = (name: string) => !denied(name) && allowed(name);
  return { passes, mayPass: passes };
}

function ofUris(lists: JsonObject, owner: string): Passes {
  const allow = readPatterns(lists, "allow", owner);
  const denied = compileUriPatterns(readPatterns(lists, "deny", owner) ?? []);
  const allowed = allow === undefined ? undefined : compileUriPatterns(allow);
  return {
    passes: (uri) => !denied.matchesAny(uri) && (allowed === undefined || allowed.matchesAll(uri)),
    mayPass: (template) => {
      const head = template.split("{", 1)[0] ?? "";
      return !denied.matchesAny(head) && (allowed === undefined || allowed.mayMatchTemplate(template));
    },
  };
}

interface Rule {
  readonly filter: Filter;
  fits(caller: Principal): boolean;
}

function readRules(value: unknown = [], owner: string): readonly Rule[] {
  if (!Array.isArray(value)) throw invalid(owner, "rules", "must be a list of rules");
  return value.map((item: unknown, index) => {
    const at = `${owner}, rules[${index}]`;
    if (!isObject(item)) throw invalid(owner, `rules[${index}]`, "must be an object");
    const rule = readConfig(item, [...KINDS, "type", "id", "claims"], at);
    const type = ownMember(rule, "type");
    const wantedType = type === undefined ? undefined : readChoice(type, ["user", "service", "anonymous"], "type", at);
    const ids = readStrings(rule, "id", at);
    const claims = readClaims(ownMember(rule, "claims"), at);
    if (wantedType === undefined && ids === undefined && (claims === undefined || claims.length === 0)) throw invalid(owner, `rules[${index}]`, "must say whom it is for, by type, id or claims");
    return {
      filter: compileKinds(rule, at),
      fits: (caller) =>
        (wantedType === undefined || caller.type === wantedType) &&
        (ids === undefined || (caller.id !== undefined && ids.includes(caller.id))) &&
        (claims ?? []).every(([name, wanted]) => listOf(ownMember(caller.claims ?? {}, name)).some((has) => wanted.includes(has))),
    };
  });
}

function readClaims(value: unknown, owner: string): readonly (readonly [name: string, wanted: readonly unknown[]])[] | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw invalid(owner, "claims", "must be an object of values by claim");
  return Object.entries(value).map(([name, wanted]) => {
    const values = listOf(wanted);
    if (!values.every((one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean")) throw invalid(owner, `claims.${name}`, "must be a text, a number, true or false, or a list of these");
    return [name, values];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
