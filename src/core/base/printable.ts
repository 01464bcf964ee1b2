const NAME_CHARS = 80;

/** A text of somebody else's on one line of a terminal: control characters as JSON escapes, and cut at `max` characters. */
export function printable(text: string, max: number = NAME_CHARS): string {
  const cut = text.length <= max ? text : `${text.slice(0, max)}…`;
  // C0, DEL and C1; line and paragraph separators; what turns the direction of writing; halves of a character.
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu, (char) => {
    const short = JSON.stringify(char).slice(1, -1);
    return short !== char ? short : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
