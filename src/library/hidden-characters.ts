/** Kinds of characters that a text may have and nobody sees, or that a terminal takes for commands. */
export type HiddenKind = "invisible" | "bidi" | "tags" | "selectors" | "ansi" | "controls";

export const HIDDEN_KINDS: readonly HiddenKind[] = ["invisible", "bidi", "tags", "selectors", "ansi", "controls"];

// Classes of regular expressions with the flag `u`.
const INVISIBLE = "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0080}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}";
const BIDI = "\\u202a-\\u202e\\u2066-\\u2069";
const TAGS = "\\u{e0000}-\\u{e007f}";
const SELECTORS = "\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";
const CONTROLS = "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f";
// Belong to Mongolian: a text has them, a name has no use for them.
const IN_SCRIPTS = "\\u180b-\\u180f";

const ANY = new RegExp(`[${INVISIBLE}${BIDI}${TAGS}${SELECTORS}${CONTROLS}]`, "u");
const EACH = new RegExp(ANY.source, "gu");
const EACH_IN_NAMES = new RegExp(`[${INVISIBLE}${BIDI}${TAGS}${SELECTORS}${CONTROLS}${IN_SCRIPTS}]+`, "gu");
const CLASSES: readonly (readonly [kind: HiddenKind, pattern: RegExp])[] = [
  ["controls", new RegExp(`[${CONTROLS}]`, "u")],
  ["bidi", new RegExp(`[${BIDI}]`, "u")],
  ["tags", new RegExp(`[${TAGS}]`, "u")],
  ["selectors", new RegExp(`[${SELECTORS}]`, "u")],
  ["invisible", new RegExp(`[${INVISIBLE}]`, "u")],
];

// Sequences of ECMA-48, with one escape character or two: control sequences, operating system commands (links, titles), and single functions.
const ANSI = /(?:\u001b\[|\u009b)[0-?]{0,100}[ -/]{0,10}[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0080-\u009f]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-~]/g;

/** The text without any of them, needed or not: for comparing names. */
export function withoutHidden(text: string): string {
  return text.replace(EACH_IN_NAMES, "");
}

/**
 * The text without characters of these kinds, but those that writing needs: joiners in emoji and in Arabic and Indic words, marks and balanced isolates
 * in right-to-left text, fillers beside letters of their script, one variation selector after a character that has variants, the tags of a flag, a byte order mark at the start, a soft hyphen between
 * letters. Tabs and line breaks are none. The same string where nothing changes; linear. `found` is told of each kind that was left out.
 */
export function cleanText(text: string, kinds: ReadonlySet<HiddenKind>, found?: (kind: HiddenKind) => void): string {
  if (!ANY.test(text)) return text;
  const withoutAnsi = kinds.has("ansi") ? text.replace(ANSI, "") : text;
  if (withoutAnsi !== text) found?.("ansi");
  const about = factsOf(withoutAnsi);
  return withoutAnsi.replace(EACH, (character, at: number) => {
    const kind = CLASSES.find(([, pattern]) => pattern.test(character))?.[0] ?? "invisible";
    if (!kinds.has(kind) || isNeeded(character, at, withoutAnsi, about)) return character;
    found?.(kind);
    return "";
  });
}

interface Facts {
  readonly isRightToLeft: () => boolean;
  readonly hasBalancedIsolates: () => boolean;
  readonly hasBraille: () => boolean;
}

function factsOf(text: string): Facts {
  let isRightToLeft: boolean | undefined;
  let hasBalancedIsolates: boolean | undefined;
  let hasBraille: boolean | undefined;
  return {
    isRightToLeft: () => (isRightToLeft ??= /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text)),
    hasBalancedIsolates: () => (hasBalancedIsolates ??= balances(text)),
    hasBraille: () => (hasBraille ??= /[\u2801-\u28ff]/.test(text)),
  };
}

function balances(text: string): boolean {
  let open = 0;
  for (const [character] of text.matchAll(/[\u2066-\u2069\n]/g)) {
    if (character === "\n" ? open !== 0 : character === "\u2069" && open === 0) return false;
    open += character === "\n" ? 0 : character === "\u2069" ? -1 : 1;
  }
  return open === 0;
}

const JOINING = /[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\u1a20-\u1aaf\u1b00-\u1b7f\ua840-\ua8ff\u{10a00}-\u{11fff}]/u;
const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;
const EMOJI = /[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f]/u;
const IDEOGRAPH = /[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const LETTER = /\p{L}/u;
const HANGUL_PART = /[\u1100-\u115e\u1161-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
const KHMER = /[\u1780-\u17b3\u17b6-\u17dd]/u;
const MONGOLIAN = /[\u1820-\u18aa]/u;
const FLAG_TAGS = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,8}$/u;
const FLAG_END = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,8}\u{e007f}/u;
// UTF-16 units around a character: a flag, its eight tags and the last one.
const NEAR = 20;

function isNeeded(character: string, at: number, text: string, about: Facts): boolean {
  const before = lastCharacter(text.slice(Math.max(0, at - 2), at));
  const after = text.slice(at + character.length, at + character.length + NEAR);
  const next = after === "" ? "" : String.fromCodePoint(after.codePointAt(0) ?? 0);
  const code = character.codePointAt(0) ?? 0;
  switch (character) {
    case "\u00ad":
      return LETTER.test(before) && LETTER.test(next);
    case "\ufeff":
      return at === 0;
    case "\u200b":
      return WITHOUT_SPACES.test(before) || WITHOUT_SPACES.test(next);
    case "\u200c":
      return JOINING.test(before);
    case "\u115f":
    case "\u1160":
      return HANGUL_PART.test(before) || HANGUL_PART.test(next);
    case "\u17b4":
    case "\u17b5":
      return KHMER.test(before);
    case "\u180e":
      return MONGOLIAN.test(before);
    case "\u2800":
      return about.hasBraille();
    case "\u200d":
      return JOINING.test(before) || (EMOJI.test(before) && EMOJI.test(next));
    case "\u061c":
    case "\u200e":
    case "\u200f":
      return about.isRightToLeft();
  }
  if (code >= 0x2066 && code <= 0x2069) return about.isRightToLeft() && about.hasBalancedIsolates();
  if (code >= 0xe0000 && code <= 0xe007f) return FLAG_TAGS.test(text.slice(Math.max(0, at - NEAR), at)) && FLAG_END.test(character + after);
  if (code >= 0xe0100) return IDEOGRAPH.test(before);
  if (code >= 0xfe00 && code <= 0xfe0f) return /[0-9#*\p{Extended_Pictographic}]/u.test(before) || (before >= "\u00a9" && !/[\p{L}\p{M}\p{Cf}]/u.test(before)) || IDEOGRAPH.test(before);
  return false;
}

// The whole character at the end of up to two units.
function lastCharacter(units: string): string {
  const code = units.codePointAt(0) ?? 0;
  return code > 0xffff ? units : units.slice(-1);
}
