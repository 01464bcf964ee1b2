import { editPayload } from "./payload-edit.ts";
import { withCopies } from "./redact-copies.ts";
import type { Exchange } from "./redact-structure.ts";
import type { RedactText, Tally } from "./redact-text.ts";

export interface RedactPayloadOptions {
  readonly redactText: RedactText;
  /** Replaces a number in data whose digits are sensitive by its mask, which is a string. */
  readonly numbers: "mask" | "keep";
  /** Characters of all texts in a payload; `limit_exceeded` above. */
  readonly maxTextChars: number;
}

/** The payload with every string redacted, as {@link editPayload} finds them. */
export function redactPayload(payload: unknown, exchange: Exchange, options: RedactPayloadOptions, tally?: Tally): unknown {
  const { redactText, numbers, maxTextChars } = options;
  const redacted = editPayload(payload, exchange, {
    maxTextChars,
    text: (text) => redactText(text, tally),
    number: (value) => (numbers === "mask" ? redactNumber(value, redactText, tally) : value),
  });
  return withCopiesOf(payload, redacted, exchange);
}

/** A tool's result whose text repeats its structured content does so again. */
export function withCopiesOf(payload: unknown, edited: unknown, { event, phase }: Exchange): unknown {
  return event === "tools/call" && phase === "response" ? withCopies(payload, edited) : edited;
}

/** Only a whole number that JSON carries exactly can be judged by its digits. */
function redactNumber(value: number, redactText: RedactText, tally: Tally | undefined): number | string {
  if (!Number.isSafeInteger(value) || value < 1e12) return value;
  const digits = String(value);
  const redacted = redactText(digits, tally);
  return redacted === digits ? value : redacted;
}
