import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { invalid, readChoice, readConfig, readStrings, readWhole } from "./config.ts";
import type { SensitiveType } from "./detect/detector.ts";
import { SENSITIVE_TYPES } from "./detect/scan.ts";
import { DEFAULT_MAX_TEXT_CHARS } from "./payload-edit.ts";
import { createRedactText } from "./redact-text.ts";
import type { RedactPayloadOptions } from "./redact-payload.ts";

export interface RedactConfig {
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
    maxTextChars: { type: "integer", minimum: 1 },
  },
  additionalProperties: false,
};

/** The config made ready for use. Throws `invalid_argument` with the name of the member that is wrong. */
export function compileRedactConfig(value: unknown): RedactPayloadOptions {
  const config = readConfig(value, ["types", "replacement", "allow", "numbers", "maxTextChars"], OWNER);
  const types = readStrings(config, "types", OWNER)?.map((type, index) => readChoice(type, SENSITIVE_TYPES, `types[${index}]`, OWNER));
  const numbers = ownMember(config, "numbers");
  return {
    redactText: createRedactText({
      types: types ?? SENSITIVE_TYPES,
      masks: readMasks(ownMember(config, "replacement")),
      allow: new Set(readStrings(config, "allow", OWNER)),
    }),
    numbers: numbers === undefined ? "mask" : readChoice(numbers, ["mask", "keep"], "numbers", OWNER),
    maxTextChars: readWhole(config, "maxTextChars", OWNER, 1) ?? DEFAULT_MAX_TEXT_CHARS,
  };
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
