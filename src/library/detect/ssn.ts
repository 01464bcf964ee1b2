import { digitsEnd, endsClean, HYPHEN, SPACE, startsClean } from "./characters.ts";
import type { Detector } from "./detector.ts";

/**
 * US social security numbers as they are written, `AAA-GG-SSSS` with hyphens or spaces: area 001 to 899 but 666, group and serial not zero.
 * Nine digits in a row are not taken for one: too many plain numbers have nine digits.
 */
export const ssn: Detector = {
  type: "ssn",
  anchor: "digit",
  matchAt(text, start) {
    const separator = text.charCodeAt(start + 3);
    if ((separator !== HYPHEN && separator !== SPACE) || text.charCodeAt(start + 6) !== separator) return undefined;
    if (digitsEnd(text, start, 4) !== start + 3 || digitsEnd(text, start + 4, 3) !== start + 6) return undefined;
    const end = digitsEnd(text, start + 7, 5);
    if (end !== start + 11 || !startsClean(text, start) || !endsClean(text, end)) return undefined;
    const area = Number(text.slice(start, start + 3));
    const isIssued = area > 0 && area !== 666 && area < 900;
    return isIssued && text.slice(start + 4, start + 6) !== "00" && text.slice(start + 7, end) !== "0000" ? { start, end } : undefined;
  },
};
