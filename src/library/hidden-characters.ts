// Characters that nobody sees, as classes of regular expressions; `u` flag.

/** Zero width and other characters without a form of their own, but the joiners of emoji and scripts. Hangul fillers and Braille's blank among them. */
export const INVISIBLE = "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1d173}-\\u{1d17a}";
/** Embeddings, overrides and isolates that turn the direction of text. */
export const BIDI = "\\u202a-\\u202e\\u2066-\\u2069";
/** Joiners, which belong to emoji, and to Arabic and Indic scripts. */
export const JOINERS = "\\u200c\\u200d";
/** Tag characters: a copy of ASCII that nobody sees. Flags of regions have some. */
export const TAGS = "\\u{e0000}-\\u{e007f}";
/** Variation selectors. One after a base character is usual, more are a message. */
export const SELECTORS = "\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";

const ALL_HIDDEN = new RegExp(`[${INVISIBLE}${BIDI}${JOINERS}${TAGS}${SELECTORS}]+`, "gu");

/** The text without any of them. */
export function withoutHidden(text: string): string {
  return text.replace(ALL_HIDDEN, "");
}
