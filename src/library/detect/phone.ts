import { CLOSE, digitsEnd, DOT, endsClean, HYPHEN, isAlphanumeric, OPEN, PLUS, SLASH, SPACE, startsClean } from "./characters.ts";
import type { Detector, Span } from "./detector.ts";

// E.164 allows fifteen digits, country code included.
const MOST_DIGITS = 15;
const MOST_GROUPS = 8;

/**
 * Phone numbers, in two kinds. International: `+` or `00`, the country code, 7 to 15 digits in all, grouped or not (`00` only if grouped).
 * National, always grouped: North American 3-3-4, trunk zero (`020 7946 0958`, `01 23 45 67 89`), an area in brackets, Chinese mobile 3-4-4.
 * Plain integers, dates, versions, amounts and times are none of these; nor are eight-digit and other national numbers without a zero.
 */
export const phone: Detector = {
  type: "phone",
  anchor: "digit",
  matchAt(text, digits) {
    const before = text.charCodeAt(digits - 1);
    const bracket = before === OPEN;
    const plus = bracket ? digits - 2 : digits - 1;
    if (text.charCodeAt(plus) === PLUS) return international(text, digits, plus);
    const start = bracket ? digits - 1 : digits;
    if (!startsClean(text, start) || (!bracket && !opensNational(text, digits))) return undefined;
    const groups = readGroups(text, digits);
    if (groups.length < 2) return undefined;
    const count = (bracket ? bracketed(groups) : undefined) ?? national(text, digits, groups) ?? exitCode(text, digits, groups);
    const last = count === undefined ? undefined : groups[count - 1];
    return last === undefined ? undefined : { start, end: last.end };
  },
};

/** Whether the first group is one that a national number can start with; most numbers are done with here. */
function opensNational(text: string, digits: number): boolean {
  const end = digitsEnd(text, digits, 7);
  const length = end - digits;
  if (length > 6 || !isSeparator(text.charCodeAt(end))) return false;
  const first = text.charAt(digits);
  if (first === "0") return length >= 2;
  return length === 3 || (first === "1" && length === 1 && digitsEnd(text, end + 1, 4) === end + 4);
}

interface Group {
  readonly length: number;
  readonly end: number;
  /** Digits up to and with this group. */
  readonly total: number;
  /** What stands before the group, in one character: a lone separator, `)` where a bracket closes, `~` for other mixtures; empty for the first. */
  readonly separator: string;
}

/** The groups of digits from here on that may be one number. A number in a dotted or glued context ends before that. */
function readGroups(text: string, start: number): Group[] {
  const groups: Group[] = [];
  let at = start;
  let separator = "";
  let total = 0;
  while (groups.length < MOST_GROUPS) {
    const end = digitsEnd(text, at, MOST_DIGITS + 1);
    total += end - at;
    if (end === at || total > MOST_DIGITS + 2) break;
    groups.push({ length: end - at, end, total, separator });
    const next = separatorEnd(text, end);
    separator = nameSeparator(text, end, next);
    if (next === end) break;
    at = next;
  }
  return groups;
}

/** Past what may stand between two groups: one separator, or a bracket with one on either side. Else `start`. */
function separatorEnd(text: string, start: number): number {
  let end = start;
  if (isSeparator(text.charCodeAt(end))) end++;
  const bracket = text.charCodeAt(end);
  if (bracket !== OPEN && (bracket !== CLOSE || end > start)) return end;
  end++;
  if (isSeparator(text.charCodeAt(end))) end++;
  return end;
}

function isSeparator(code: number): boolean {
  return code === SPACE || code === HYPHEN || code === DOT || code === SLASH;
}

function nameSeparator(text: string, start: number, end: number): string {
  if (text.charCodeAt(start) === CLOSE) return ")";
  return end === start + 1 ? text.charAt(start) : "~";
}

/** Whether the number may end with this group. */
function mayEnd(text: string, group: Group): boolean {
  return endsClean(text, group.end);
}

function international(text: string, digits: number, plus: number): Span | undefined {
  const code = text.charCodeAt(plus - 1);
  if (text.charAt(digits) === "0" || code === PLUS || isAlphanumeric(code)) return undefined;
  const groups = readGroups(text, digits);
  // A first group of eight digits or more is the number, whatever follows; a North American one ends with its eleventh digit. Single digits
  // after the first group are a bracketed zero, or a French zone.
  let end: number | undefined;
  let singles = 0;
  for (const [index, group] of groups.entries()) {
    if (index > 0 && group.length === 1) singles++;
    if (singles > 2 || group.total > MOST_DIGITS) break;
    const isDecimal = index === 1 && group.separator === "." && group.length < 9;
    const enough = group.total >= (index === 0 ? 8 : 7);
    if (enough && !isDecimal && (index === 0 || group.length > 1) && mayEnd(text, group)) end = group.end;
    if (group.length >= 8 || (text.charAt(digits) === "1" && group.total === 11)) break;
  }
  return end === undefined ? undefined : { start: plus, end };
}

/** `0044 20 7946 0958`: the exit code in place of the plus. */
function exitCode(text: string, digits: number, groups: readonly Group[]): number | undefined {
  const first = groups[0];
  if (first === undefined || first.length < 3 || first.length > 5 || !text.startsWith("00", digits) || text.charAt(digits + 2) === "0") return undefined;
  return longest(groups, (count, group) => count >= 3 && group.total >= 12 && uniform(groups, count) && mayEnd(text, group));
}

/** `(11) 91234-5678`: an area in brackets, and two groups of usual lengths. */
function bracketed(groups: readonly Group[]): number | undefined {
  const [area, first, second] = groups;
  if (area === undefined || first === undefined || second === undefined || first.separator !== ")") return undefined;
  const isUsual = area.length >= 2 && area.length <= 4 && (first.length === 3 || first.length === 4 || first.length === 5) && second.length === 4;
  return isUsual && area.total + first.length + second.length >= 10 ? 3 : undefined;
}

function national(text: string, digits: number, groups: readonly Group[]): number | undefined {
  const first = text.charAt(digits);
  const shape = groups.map((group) => group.length);
  // 1-555-010-9999 is 555-010-9999 with the trunk prefix.
  const skip = first === "1" && shape[0] === 1 ? 1 : 0;
  const [area, exchange, line] = shape.slice(skip);
  if (area === 3 && exchange === 3 && line === 4) {
    const areaDigit = text.charAt((groups[skip]?.end ?? 0) - 3);
    const exchangeDigit = text.charAt((groups[skip + 1]?.end ?? 0) - 3);
    const count = skip + 3;
    const free = uniform(groups.slice(skip), 3) && endsAt(text, groups[count - 1]);
    if (areaDigit >= "2" && exchangeDigit >= "1" && free) return count;
  }
  if (first === "1" && text.charAt(digits + 1) >= "3" && shape[0] === 3 && shape[1] === 4 && shape[2] === 4) {
    return uniform(groups, 3) && endsAt(text, groups[2]) ? 3 : undefined;
  }
  return first === "0" && text.charAt(digits + 1) !== "0" ? trunkZero(text, digits, groups) : undefined;
}

function trunkZero(text: string, digits: number, groups: readonly Group[]): number | undefined {
  const [area, second, third] = groups;
  if (area === undefined || second === undefined || area.length < 2 || area.length > 6) return undefined;
  // 01-02-2024 12 and 02 2024 12 30 are dates, and 05 12345678 is two numbers.
  if (area.length === 2 && (second.length === 2 ? third?.length === 4 : second.length === 4 && third?.length !== 4)) return undefined;
  if (area.length === 2 && second.length > 4 && second.separator === " ") return undefined;
  const isGermanMobile = text.charAt(digits + 1) === "1" && "567".includes(text.charAt(digits + 2));
  return longest(groups, (count, group) => {
    if (count < 2 || group.total < 9 || group.total > (isGermanMobile ? 12 : 11) || !mayEnd(text, group)) return false;
    if (groups.slice(1, count).some(({ length }) => length < 2)) return false;
    return count === 2 ? second.separator !== "." && second.length >= 4 : uniform(groups, count);
  });
}

/** One kind of separator throughout; after the area code another one, or a bracket, may stand. Mixtures are only for international numbers. */
function uniform(groups: readonly Group[], count: number): boolean {
  const first = groups[1]?.separator;
  const second = groups[2]?.separator;
  for (let index = 1; index < count; index++) {
    const separator = groups[index]?.separator;
    if (separator === "~" || separator === "(" || (index > 1 && (separator === ")" || separator !== second))) return false;
  }
  return count < 3 || first === second || first === ")" || first === "/" || (first === "-" && second === " ");
}

function longest(groups: readonly Group[], fits: (count: number, group: Group) => boolean): number | undefined {
  for (let count = groups.length; count > 0; count--) {
    const group = groups[count - 1];
    if (group !== undefined && fits(count, group)) return count;
  }
  return undefined;
}

function endsAt(text: string, group: Group | undefined): boolean {
  return group !== undefined && mayEnd(text, group);
}
