import { type JsonObject, ownMember } from "../core/base/json.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { invalid, phasesSchema, readChoice, readConfig, readPhases, readStrings, readWhole } from "./config.ts";
import { SENSITIVE_TYPES } from "./detect/scan.ts";
import { DEFAULT_MAX_TEXT_CHARS } from "./payload-edit.ts";
import { DEFAULT_REPLACEMENT } from "./redact-config.ts";
import { compileMasks, type IsMask } from "./sent-masks.ts";
import type { SecretEdit } from "./secret-payload.ts";
import { SECRET_KINDS, type SecretKind } from "./secrets/kinds.ts";
import { createFindSecrets } from "./secrets/scan.ts";

/** Which secrets are looked for, and what becomes of them. */
export interface SecretGuardConfig {
  /** `mask`, the default, puts a mask in place of each secret; `block` refuses the message. Set where the interceptors are made. */
  readonly action?: "mask" | "block";
  /** Where `secret-guard` looks; both phases unless given. `secret-guard-masks` judges calls in any case. A call's config narrows what it was made with. */
  readonly phases?: readonly Phase[];
  /** What is looked for by its form; all kinds unless given. */
  readonly kinds?: readonly (typeof SECRET_KINDS)[number][];
  /** Secrets that are known, of four characters or more, such as `${TOKEN}` from the environment: found in all their encodings, and as numbers. */
  readonly known?: readonly string[];
  /** Exact texts that are no secrets. */
  readonly allow?: readonly string[];
  /** The mask; `{type}` in it becomes the kind, `[REDACTED:{type}]` unless given. No digit, quote, backslash, `@`, `+` or `=`. */
  readonly replacement?: string;
  /** Masks besides the own that no argument of a call may hold; those that `redact` writes by default, also where they fit a schema, unless given. */
  readonly refuse?: readonly string[];
  /** Characters of text in one message, 4 Mi unless given. Above, the message is blocked. */
  readonly maxTextChars?: number;
}

const OWNER = "secret-guard";
const MASK = /^[^0-9@+"'`\\=]+$/;
const SHORTEST_KNOWN = 4;
const MOST_KNOWN = 1_000;
const KINDS: readonly SecretKind[] = [...SECRET_KINDS, "known"];
const REDACT_MASKS = SENSITIVE_TYPES.map((type) => DEFAULT_REPLACEMENT.replace("{type}", type));

const texts: JsonObject = { type: "array", items: { type: "string" } };

export const secretGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    action: { enum: ["mask", "block"] },
    kinds: { type: "array", items: { enum: [...SECRET_KINDS] } },
    known: { type: "array", items: { type: "string", minLength: SHORTEST_KNOWN }, maxItems: MOST_KNOWN },
    allow: texts,
    replacement: { type: "string", pattern: MASK.source },
    phases: phasesSchema,
    refuse: { type: "array", items: { type: "string", minLength: 1 } },
    maxTextChars: { type: "integer", minimum: 1 },
  },
  additionalProperties: false,
};

export interface CompiledSecretGuard extends SecretEdit {
  readonly action: "mask" | "block";
  readonly phases: readonly Phase[];
  /** Whether a text has a mask in it that no argument may hold. */
  readonly isMask: IsMask;
}

/** The config made ready for use. Throws `invalid_argument` with the name of the member that is wrong; it never quotes a known secret. */
export function compileSecretGuard(value: unknown): CompiledSecretGuard {
  const config = readConfig(value, Object.keys(secretGuardConfigSchema["properties"] as JsonObject), OWNER);
  const action = ownMember(config, "action");
  const kinds = readStrings(config, "kinds", OWNER)?.map((kind, index) => readChoice(kind, SECRET_KINDS, `kinds[${index}]`, OWNER));
  const known = readKnown(config);
  const masks = readMasks(ownMember(config, "replacement"));
  const refuse = readStrings(config, "refuse", OWNER);
  if (refuse?.includes("") === true) throw invalid(OWNER, "refuse", "must not hold an empty text, which is in all arguments");
  return {
    action: action === undefined ? "mask" : readChoice(action, ["mask", "block"], "action", OWNER),
    phases: readPhases(config, OWNER),
    findSecrets: createFindSecrets({ ...(kinds !== undefined && { kinds }), known }),
    findsNames: kinds === undefined || kinds.includes("assignment"),
    known: new Set(known),
    allow: new Set(readStrings(config, "allow", OWNER)),
    masks,
    isMask: compileMasks([...new Set([...masks.values(), ...(refuse ?? REDACT_MASKS)])], refuse === undefined),
    maxTextChars: readWhole(config, "maxTextChars", OWNER, 1) ?? DEFAULT_MAX_TEXT_CHARS,
  };
}

function readKnown(config: JsonObject): readonly string[] {
  const known = readStrings(config, "known", OWNER) ?? [];
  if (known.length > MOST_KNOWN) throw invalid(OWNER, "known", `must not hold more than ${MOST_KNOWN} secrets`);
  const short = known.findIndex((secret) => [...secret].length < SHORTEST_KNOWN);
  if (short !== -1) throw invalid(OWNER, `known[${short}]`, `must have ${SHORTEST_KNOWN} characters or more: what is shorter is in too many texts`);
  return known;
}

function readMasks(replacement: unknown = DEFAULT_REPLACEMENT): ReadonlyMap<SecretKind, string> {
  if (typeof replacement !== "string") throw invalid(OWNER, "replacement", "must be a string");
  if (!MASK.test(replacement)) throw invalid(OWNER, "replacement", "must not be empty, nor have a digit, a quote, a backslash, @, + or = in it");
  return new Map(KINDS.map((kind) => [kind, replacement.replaceAll("{type}", kind)]));
}
