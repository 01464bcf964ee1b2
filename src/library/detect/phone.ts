import { CLASS_OF, DIGIT_CLASS, digitsEnd, DOT, endsClean, isAlphanumeric, isDigit, NUMBER_CLASS, OPEN, PLUS, SPACE, startsClean } from "./characters.ts";
import type { Detector, Span } from "./detector.ts";
import { isInAccount } from "./iban.ts";
import { type Group, hasShape, isSeparator, isUniform, longestFit, readGroups, separatorEnd } from "./number-groups.ts";

// E.164 allows fifteen digits, country code included; `00` may stand before them.
const MOST_DIGITS = 15;
const MOST_GROUPS = 8;

/**
 * Phone numbers, in two kinds. International: `+` or `00`, the country code, 7 to 15 digits in all, grouped or not; behind `00` 10 to 14, behind `011` 9 to 14, in groups alone.
 * National, always grouped: North American 3-3-4, trunk zero (`020 7946 0958`, `01 23 45 67 89`), an area in brackets, Chinese mobile 3-4-4.
 * Plain integers, dates, versions, amounts and times are none of these; nor are eight-digit and other national numbers without a zero.
 */
export const phone: Detector = {
  type: "phone",
  anchor: "digit",
  matchAt(text, digits) {
    const isBracketed = text.charCodeAt(digits - 1) === OPEN;
    const start = isBracketed ? digits - 1 : digits;
    if (text.charCodeAt(start - 1) === PLUS) return international(text, digits, start - 1);
    if (!startsClean(text, start) || (!isBracketed && !opensNational(text, digits)) || !hasEnough(text, digits)) return undefined;

    const groups = readGroups(text, digits, MOST_GROUPS, MOST_DIGITS + 2);
    const whole = groups.length === 1 || (groups[0]?.length ?? 0) > 6 ? inOnePiece(text, groups[0]) : undefined;
    if (whole !== undefined) return { start, end: whole.end };
    if (groups.length < 2 || goesOnFrom(text, start, groups) || isInAccount(text, start)) return undefined;
    const count =
      (isBracketed ? afterBracketedArea(groups) : undefined) ??
      northAmerican(text, groups) ??
      chineseMobile(text, groups) ??
      afterExitCode(text, groups) ??
      afterTrunkZero(text, groups);
    const last = count === undefined ? undefined : groups[count - 1];
    return last === undefined ? undefined : { start, end: last.end };
  },
};

function international(text: string, digits: number, plus: number): Span | undefined {
  const before = text.charCodeAt(plus - 1);
  if (text.charAt(digits) === "0" || before === PLUS || (isAlphanumeric(before) && !startsClean(text, plus))) return undefined;
  let end: number | undefined;
  let singles = 0;
  let total = 0;
  let start = digits;
  // Group by group as `readGroups` does, without making any: most texts that mask much hold many of these.
  for (let index = 0; index < MOST_GROUPS; index++) {
    const stop = digitsEnd(text, start, MOST_DIGITS + 1);
    const length = stop - start;
    total += length;
    if (length === 0 || total > MOST_DIGITS) break;
    // Single digits after the country code are a bracketed zero or a French zone; more of them are a list.
    if (index > 0 && length === 1) singles++;
    if (singles > 2) break;
    // +51.5073219 is a coordinate; registries write +1.4155550123.
    const isDecimal = index === 1 && text.charCodeAt(start - 1) === DOT && length < 9;
    const isComplete = total >= (index === 0 ? 8 : 7) && (index === 0 || length > 1);
    if (isComplete && !isDecimal && endsClean(text, stop)) end = stop;
    // Eight digits or more in one group are the rest of the number, and a North American one has eleven: what follows is something else.
    if (length >= 8 || (total === 11 && text.charAt(digits) === "1")) break;
    start = separatorEnd(text, stop);
    if (start === stop) break;
  }
  return end === undefined ? undefined : { start: plus, end };
}

/** `0033689337927`: an exit code and the rest without a break. */
function inOnePiece(text: string, group: Group | undefined): Group | undefined {
  if (group === undefined || !group.mayEnd || group.length < 12 || group.length > MOST_DIGITS + 1 || !opensExit(text, group.start)) return undefined;
  // North American numbers have ten digits behind their 1.
  return text.charAt(group.start + 2) !== "1" || group.length === 13 ? group : undefined;
}

function opensExit(text: string, start: number): boolean {
  return text.startsWith("00", start) && text.charAt(start + 2) !== "0";
}

/** Whether the groups are the end of a longer row: behind `5108-` there is no number to call, nor behind four more digits of a card or account. */
function goesOnFrom(text: string, start: number, groups: readonly Group[]): boolean {
  const separator = text.charCodeAt(start - 1);
  if (!isSeparator(separator) || !isDigit(text.charCodeAt(start - 2))) return false;
  if (separator !== SPACE) return true;
  const isFour = !isAlphanumeric(text.charCodeAt(start - 6)) && digitsEnd(text, start - 5, 5) === start - 1;
  return isFour && (groups[0]?.length === 4 || groups[0]?.length === 6);
}

/** Whether the first group is one that a national number can start with; most numbers are done with here. */
function opensNational(text: string, digits: number): boolean {
  const end = digitsEnd(text, digits, 7);
  const length = end - digits;
  const first = text.charAt(digits);
  if (length > 6) return opensExit(text, digits);
  if (!isSeparator(text.charCodeAt(end))) return false;
  if (first === "0") return length >= 2;
  return length === 3 || (first === "1" && length === 1 && digitsEnd(text, end + 1, 4) === end + 4);
}

/** Whether nine digits or more, the fewest of a national number, follow in one run of what numbers are written with. */
function hasEnough(text: string, digits: number): boolean {
  let count = 0;
  for (let index = digits; count < 9 && (CLASS_OF[text.charCodeAt(index)]! & NUMBER_CLASS) !== 0; index++) {
    if ((CLASS_OF[text.charCodeAt(index)]! & DIGIT_CLASS) !== 0) count++;
    else if (index - digits >= MOST_GROUPS * 4) break;
  }
  return count === 9;
}

// Each of these answers how many of the groups make a number of its kind.

/** `(11) 91234-5678`, `(495) 344-55-21` */
function afterBracketedArea(groups: readonly Group[]): number | undefined {
  const [area, first, second, third] = groups;
  if (area === undefined || first?.separator !== ")" || second === undefined) return undefined;
  if (area.length === 3 && third?.mayEnd === true && hasShape(groups, 3, 3, 2, 2) && second.separator === third.separator) return 4;
  const isUsual = area.length >= 2 && area.length <= 4 && first.length >= 3 && first.length <= 5 && second.length === 4 && second.mayEnd;
  return isUsual && second.total >= 10 ? 3 : undefined;
}

/** `415-555-0123`, with or without a `1` before it. */
function northAmerican(text: string, all: readonly Group[]): number | undefined {
  const skipped = all[0]?.length === 1 && text.charAt(all[0].start) === "1" ? 1 : 0;
  const groups = all.slice(skipped, skipped + 3);
  const [area, exchange, line] = groups;
  if (area === undefined || exchange === undefined || line?.mayEnd !== true) return undefined;
  if (!hasShape(groups, 3, 3, 4) || !isUniform(groups, 3)) return undefined;
  return text.charAt(area.start) >= "2" && text.charAt(exchange.start) >= "1" ? skipped + 3 : undefined;
}

/** `138 1234 5678` */
function chineseMobile(text: string, groups: readonly Group[]): number | undefined {
  const [prefix, , last] = groups;
  if (prefix === undefined || last?.mayEnd !== true || !hasShape(groups, 3, 4, 4) || !isUniform(groups, 3)) return undefined;
  return text.charAt(prefix.start) === "1" && text.charAt(prefix.start + 1) >= "3" ? 3 : undefined;
}

/** `020 7946 0958`, `01 23 45 67 89`, `030/123456`: an area code that starts with one zero, and 9 to 11 digits in all (some mobiles 12). */
function afterTrunkZero(text: string, groups: readonly Group[]): number | undefined {
  const [area, second, third] = groups;
  if (area === undefined || second === undefined || area.length < 2 || area.length > 6) return undefined;
  if (text.charAt(area.start) !== "0" || text.charAt(area.start + 1) === "0") return undefined;
  if (area.length === 2) {
    // 01-02-2024 12 and 02 2024 12 30 are dates, and 05 12345678 is two numbers.
    if (second.length === 2 && third?.length === 4) return undefined;
    if (second.length === 4 && third?.length !== 4) return undefined;
    if (second.length > 4 && second.separator === " ") return undefined;
  }
  if (area.length === 5 && second.length === 4 && isZipCode(text, area.start)) return undefined;
  // The form of a social security number.
  if (hasShape(groups, 3, 2, 4) && groups.length === 3) return undefined;
  // Mobiles of Germany and Indonesia.
  const isLong = text.charAt(area.start + 1) === "1" ? "567".includes(text.charAt(area.start + 2)) : text.charAt(area.start + 1) === "8" && area.length === 4 && second.separator !== ".";
  return longestFit(groups, (count, last) => {
    if (count < 2 || last.total < 9 || last.total > (isLong ? 12 : 11)) return false;
    for (let index = 1; index < count; index++) if (groups[index]?.length === 1) return false;
    return count === 2 ? second.separator !== "." && second.length >= 4 : isUniform(groups, count);
  });
}

// The states whose ZIP codes start with a zero, and the armed forces abroad.
const STATE = /(?<![A-Za-z])(?:AE|CT|MA|ME|NH|NJ|NY|PR|RI|VI|VT),? {1,2}$/;

/** Whether five digits at `start` are the first of a ZIP+4 code: `MA 02110-1301`. */
function isZipCode(text: string, start: number): boolean {
  return STATE.test(text.slice(Math.max(0, start - 6), start));
}

// The exit code included. Area codes of Britain start like `011`, too, and their numbers are shorter.
const FEWEST_WITH_EXIT = 12;

/** `0044 20 7946 0958`, `00 44 …`, `0033 612345678`, `0049 (0)30 …`, `011 44 …`, `01144 …`: an exit code in place of the plus. */
function afterExitCode(text: string, groups: readonly Group[]): number | undefined {
  const [first, second, third] = groups;
  if (first === undefined || second === undefined || first.length < 2 || first.length > 6) return undefined;
  const code = text.slice(first.start, first.end);
  const isAlone = code === "00" || code === "011";
  // Bytes in hex have a zero behind what would be the country's code, numbers have none.
  const opensCountry = second.length <= 3 && text.charAt(second.start) !== "0" && text.charAt(third?.start ?? 0) !== "0";
  const isNorthAmerican = code.startsWith("011") && !isAlone;
  if (isAlone ? !opensCountry : !isNorthAmerican && (first.length > 5 || !opensExit(text, first.start))) return undefined;
  if (!isAlone && second.mayEnd && second.separator !== "." && second.length >= 8 && text.charAt(second.start) !== "0" && second.total >= FEWEST_WITH_EXIT && second.total <= MOST_DIGITS + 2) return 2;
  // Brackets around a zero or an area code are no separators of the rest.
  const rest = !isAlone && third !== undefined && text.charCodeAt(second.start - 1) === OPEN ? groups.slice(2) : groups;
  const skipped = groups.length - rest.length;
  const count = longestFit(rest, (some, last) => some + skipped >= 3 && last.total >= FEWEST_WITH_EXIT && isUniform(rest, some));
  return count === undefined ? undefined : count + skipped;
}
