import { CLOSE, digitsEnd, DOT, endsClean, HYPHEN, OPEN, SLASH, SPACE } from "./characters.ts";

/** A run of digits in a number that is written in groups. */
export interface Group {
  readonly start: number;
  readonly length: number;
  readonly end: number;
  /** Digits up to and with this group. */
  readonly total: number;
  /** What stands before the group: a lone separator, `)` where a bracket closes, `~` for other mixtures; empty for the first. */
  readonly separator: string;
  /** Whether a number may end with this group: nothing is glued to it. */
  readonly mayEnd: boolean;
}

/** `089 / 585 35 71` */
function isSpacedSlash(text: string, start: number): boolean {
  return text.charCodeAt(start) === SPACE && text.charCodeAt(start + 1) === SLASH && text.charCodeAt(start + 2) === SPACE;
}

/** The groups of digits from `start` on, at most `most` of them, until they hold more than `mostDigits`. */
export function readGroups(text: string, start: number, most: number, mostDigits: number): Group[] {
  const groups: Group[] = [];
  let at = start;
  let separator = "";
  let total = 0;
  while (groups.length < most) {
    const end = digitsEnd(text, at, mostDigits + 1);
    total += end - at;
    if (end === at || total > mostDigits) break;
    groups.push({ start: at, length: end - at, end, total, separator, mayEnd: endsClean(text, end) });
    const next = separatorEnd(text, end);
    separator = nameSeparator(text, end, next);
    if (next === end) break;
    at = next;
  }
  return groups;
}

/** Past what may stand between two groups: one separator, a slash between blanks, or a bracket with a separator on either side. Else `start`. */
export function separatorEnd(text: string, start: number): number {
  if (isSpacedSlash(text, start)) return start + 3;
  let end = start;
  if (isSeparator(text.charCodeAt(end))) end++;
  const bracket = text.charCodeAt(end);
  if (bracket !== OPEN && (bracket !== CLOSE || end > start)) return end;
  end++;
  if (isSeparator(text.charCodeAt(end))) end++;
  return end;
}

export function isSeparator(code: number): boolean {
  return code === SPACE || code === HYPHEN || code === DOT || code === SLASH;
}

function nameSeparator(text: string, start: number, end: number): string {
  if (text.charCodeAt(start) === CLOSE) return ")";
  if (isSpacedSlash(text, start)) return "/";
  return end === start + 1 ? text.charAt(start) : "~";
}

/** Whether the first groups have these lengths. */
export function hasShape(groups: readonly Group[], ...lengths: readonly number[]): boolean {
  return lengths.every((length, index) => groups[index]?.length === length);
}

/** Whether one kind of separator stands between the first `count` groups; behind the first group, an area code, another or a bracket may. */
export function isUniform(groups: readonly Group[], count: number): boolean {
  const first = groups[1]?.separator;
  const second = groups[2]?.separator;
  for (let index = 1; index < count; index++) {
    const separator = groups[index]?.separator;
    if (separator === "~" || separator === "(" || (index > 1 && (separator === ")" || separator !== second))) return false;
  }
  return count < 3 || first === second || first === ")" || first === "/" || (first === "-" && second === " ");
}

/** The most of the groups that fit, told how many they are and which is the last. */
export function longestFit(groups: readonly Group[], fits: (count: number, last: Group) => boolean): number | undefined {
  for (let count = groups.length; count > 0; count--) {
    const last = groups[count - 1];
    if (last?.mayEnd === true && fits(count, last)) return count;
  }
  return undefined;
}
