import { isJsonOf } from "../core/base/json-of.ts";
import { isObject } from "../core/base/json.ts";
import { editPayload } from "./payload-edit.ts";
import { withCopies } from "./redact-copies.ts";
import type { Exchange } from "./redact-structure.ts";
import type { MaskOf, RedactText, Tally } from "./redact-text.ts";
import type { TokenMap } from "./redact-tokens.ts";

export interface RedactPayloadOptions {
  readonly redactText: RedactText;
  /** Replaces a number in data whose digits are sensitive by its mask, which is a string. */
  readonly numbers: "mask" | "keep";
  /** Characters of all texts in a payload; `limit_exceeded` above. */
  readonly maxTextChars: number;
}

/** How one payload is redacted, where its masks are no constants. */
export interface Redaction {
  readonly tally?: Tally;
  /** Tokens that stand for values, in place of masks. */
  readonly tokens?: { readonly map: TokenMap; readonly maskOf: MaskOf };
  /** Structured content with masks that fit; told what it was. */
  fit?(before: unknown, after: unknown): unknown;
}

/** The payload with every string redacted, as {@link editPayload} finds them. */
export function redactPayload(payload: unknown, exchange: Exchange, options: RedactPayloadOptions, redaction: Redaction = {}): unknown {
  const { redactText, numbers, maxTextChars } = options;
  const { tally, tokens, fit } = redaction;
  const redact = (text: string) => redactText(tokens === undefined ? text : tokens.map.withoutLookalikes(text), tally, tokens?.maskOf);
  const redacted = editPayload(payload, exchange, {
    maxTextChars,
    inBlobs: true,
    text: redact,
    number: (value) => (numbers === "mask" ? redactNumber(value, redact, tokens?.map) : value),
  });
  return withCopiesOf(payload, fit === undefined ? redacted : withFitting(payload, redacted, fit), exchange);
}

function withFitting(payload: unknown, redacted: unknown, fit: (before: unknown, after: unknown) => unknown): unknown {
  if (payload === redacted || !isObject(payload) || !isObject(redacted)) return redacted;
  const { structuredContent: before } = payload;
  const { structuredContent: after } = redacted;
  return before === after ? redacted : { ...redacted, structuredContent: fit(before, after) };
}

/** The arguments with the values that tokens stand for. What else the request says is left alone. */
export function restoreArguments(payload: unknown, exchange: Exchange, tokens: TokenMap, maxTextChars: number): unknown {
  if (!isObject(payload)) return payload;
  const given = payload["arguments"];
  const edit = { maxTextChars, text: (text: string) => tokens.restore(text), number: (value: number) => value, numberOf: (text: string) => tokens.numberOf(text) };
  const restored = editPayload({ arguments: given }, exchange, edit);
  const values = isObject(restored) ? restored["arguments"] : given;
  return values === given ? payload : { ...payload, arguments: values };
}

/** A tool's result whose text repeats its structured content does so again. */
export function withCopiesOf(payload: unknown, edited: unknown, { event, phase }: Exchange): unknown {
  return event === "tools/call" && phase === "response" ? withCopies(payload, edited) : edited;
}

/** Whether a text of a tool's result repeats its structured content, by whose members it is judged then. */
export function isCopyIn(payload: unknown, { event, phase }: Exchange): (text: string) => boolean {
  const data = event === "tools/call" && phase === "response" && isObject(payload) ? payload["structuredContent"] : undefined;
  return (text) => data !== undefined && isJsonOf(text, data);
}

/** Only a whole number that JSON carries exactly can be judged by its digits. */
function redactNumber(value: number, redact: (text: string) => string, tokens: TokenMap | undefined): number | string {
  const digits = String(Math.abs(value));
  if (!Number.isSafeInteger(value) || digits.length < 13) return value;
  const redacted = redact(digits);
  if (redacted === digits) return value;
  tokens?.noteNumber(redacted);
  return redacted;
}
