// Full-width forms, Arabic-Indic digits (both series), and the spaces and dashes that typesetting puts in place of the ASCII ones. The no-break space is looked for by
// itself: an expression that can match no character of Latin-1 is not tried at all on a text that an engine holds as such.
const NO_BREAK_SPACE = "\u00a0";
const FOLDABLE = /[\u0660-\u0669\u06f0-\u06f9\u2000-\u200a\u2010-\u2015\u202f\u205f\u2212\u3000\uff01-\uff5e]/;
const EVERY_FOLDABLE = new RegExp(`${NO_BREAK_SPACE}|${FOLDABLE.source}`, "g");

/**
 * The text as detectors read it: other writings of ASCII digits, spaces, dashes and punctuation become ASCII. One unit stays one unit, so that
 * spans fit the original. Text that has none of them is returned as it is.
 */
export function fold(text: string): string {
  return text.includes(NO_BREAK_SPACE) || FOLDABLE.test(text) ? text.replace(EVERY_FOLDABLE, foldCharacter) : text;
}

function foldCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
  if (code >= 0x660 && code <= 0x6f9) return String.fromCharCode(0x30 + (code & 0xf));
  return (code >= 0x2010 && code <= 0x2015) || code === 0x2212 ? "-" : " ";
}
