import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { invalid, phasesSchema, readChoice, readConfig, readPhases, readStrings, readWhole } from "./config.ts";
import type { SensitiveType } from "./detect/detector.ts";
import { SENSITIVE_TYPES } from "./detect/scan.ts";
import { DEFAULT_MAX_TEXT_CHARS } from "./payload-edit.ts";
import { everyFittingMask } from "./redact-fit.ts";
import { createRedactText } from "./redact-text.ts";
import type { RedactPayloadOptions } from "./redact-payload.ts";

/** Which personal data is masked, and how. */
export interface RedactConfig {
  /**
   * Where it masks: `["response"]` leaves requests as they are, so the arguments of calls to a server. Both phases unless given. A call's config narrows
   * what the interceptor was made with.
   */
  readonly phases?: readonly Phase[];
  /** What is looked for; all types unless given. An empty list looks for nothing. */
  readonly types?: readonly SensitiveType[];
  /**
   * The mask, or one for each type. `{type}` in it becomes the type's name; `[REDACTED:{type}]` unless given. No digit, `@` or `+`, which could
   * make sensitive text out of the mask and its neighbours.
   */
  readonly replacement?: string | Readonly<Partial<Record<SensitiveType, string>>>;
  /** Exact texts that stay, as they would be matched: `support@example.com`, `10.0.0.1`. */
  readonly allow?: readonly string[];
  /**
   * What happens to a number in arguments, structured content and other data whose digits are sensitive: a card number. `mask`, the
   * default, puts the mask in its place, so its type changes and a strict output schema no longer fits; `keep` leaves it in the clear.
   */
  readonly numbers?: "mask" | "keep";
  /**
   * Puts tokens in place of values, the same for the same value (`[EMAIL_1]`), and the values back where they come in the arguments of a call to the
   * server: those of its own session alone, which it is told by. What else a call says is not masked then.
   */
  readonly tokens?: boolean;
  /** Masks in structured content that fit the output schema of the tool, as `tools/list` has shown it here: `redacted@redacted.invalid`, `0`. */
  readonly fit?: boolean;
  /** Characters of text in one message, 4 Mi unless given. Above, redacting fails, which blocks the message. */
  readonly maxTextChars?: number;
}

const OWNER = "redact";
export const DEFAULT_REPLACEMENT = "[REDACTED:{type}]";
const MASK = /^[^0-9@+]+$/;

const mask: JsonObject = { type: "string", pattern: MASK.source };

export const redactConfigSchema: JsonObject = {
  type: "object",
  properties: {
    types: { type: "array", items: { enum: [...SENSITIVE_TYPES] } },
    replacement: {
      anyOf: [
        mask,
        { type: "object", properties: Object.fromEntries(SENSITIVE_TYPES.map((type) => [type, mask])), additionalProperties: false },
      ],
    },
    allow: { type: "array", items: { type: "string" } },
    numbers: { enum: ["mask", "keep"] },
    tokens: { type: "boolean" },
    fit: { type: "boolean" },
    phases: phasesSchema,
    maxTextChars: { type: "integer", minimum: 1 },
  },
  additionalProperties: false,
};

export interface CompiledRedact extends RedactPayloadOptions {
  readonly phases: readonly Phase[];
  readonly tokens: boolean;
  readonly fit: boolean;
  readonly masks: ReadonlyMap<SensitiveType, string>;
}

/** The config made ready for use. Throws `invalid_argument` with the name of the member that is wrong. */
export function compileRedactConfig(value: unknown): CompiledRedact {
  // Of our own schema.
  const config = readConfig(value, Object.keys(redactConfigSchema["properties"] as JsonObject), OWNER);
  const types = readStrings(config, "types", OWNER)?.map((type, index) => readChoice(type, SENSITIVE_TYPES, `types[${index}]`, OWNER));
  const numbers = ownMember(config, "numbers");
  const masks = readMasks(ownMember(config, "replacement"));
  const fit = readFlag(config, "fit");
  const allow = readStrings(config, "allow", OWNER) ?? [];
  const phases = readPhases(config, OWNER);
  const tokens = readFlag(config, "tokens");
  if (tokens && phases.length === 1) throw invalid(OWNER, "phases", "must be both where tokens are given: values come back in requests");
  return {
    phases,
    redactText: createRedactText({ types: types ?? SENSITIVE_TYPES, masks, allow: new Set(fit ? [...allow, ...everyFittingMask()] : allow) }),
    numbers: numbers === undefined ? "mask" : readChoice(numbers, ["mask", "keep"], "numbers", OWNER),
    maxTextChars: readWhole(config, "maxTextChars", OWNER, 1) ?? DEFAULT_MAX_TEXT_CHARS,
    tokens,
    fit,
    masks,
  };
}

function readFlag(config: JsonObject, member: string): boolean {
  const value = ownMember(config, member);
  if (value !== undefined && typeof value !== "boolean") throw invalid(OWNER, member, "must be true or false");
  return value ?? false;
}

function readMasks(replacement: unknown = DEFAULT_REPLACEMENT): ReadonlyMap<SensitiveType, string> {
  if (isObject(replacement)) {
    for (const type of Object.keys(replacement)) readChoice(type, SENSITIVE_TYPES, "a member of replacement", OWNER);
  }
  return new Map(
    SENSITIVE_TYPES.map((type) => {
      const byType = isObject(replacement) ? ownMember(replacement, type) : undefined;
      const own = isObject(replacement) ? (byType === undefined ? DEFAULT_REPLACEMENT : byType) : replacement;
      const member = isObject(replacement) ? `replacement.${type}` : "replacement";
      if (typeof own !== "string") throw invalid(OWNER, member, "must be a string");
      if (!MASK.test(own)) throw invalid(OWNER, member, "must not be empty, nor have a digit, @ or + in it");
      return [type, own.replaceAll("{type}", type)];
    }),
  );
}
