import type { Measured } from "./results.ts";
import { measured, ratio, time } from "./measured.ts";

/** Microseconds of processor time for a message, by what grows along `x`. */
export interface Curve {
  readonly x: readonly number[];
  readonly series: Readonly<Record<string, readonly number[]>>;
}

export interface Curves {
  /** By the size of the message's params, in bytes of JSON. */
  readonly size: Curve;
  /** By the number of interceptors. */
  readonly interceptors: Curve;
}

const KB = 1024;
// Below these the cost of a message that does not depend on what grows is a large part of it.
const LARGE_BYTES = 16 * KB;
const MANY = 16;

/** The slope of the straight line through the logarithms of the points from `from` on (least squares): 1 where cost grows as `x` does, 0 where it does not grow. */
export function logSlope({ x, series }: Curve, name: string, from = 0): number {
  const points = x.map((value, at) => ({ x: Math.log(value), y: Math.log(series[name]![at]!), value })).filter(({ value }) => value >= from);
  const mean = (pick: (point: { readonly x: number; readonly y: number }) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const middleX = mean((point) => point.x);
  const middleY = mean((point) => point.y);
  return mean((point) => (point.x - middleX) * (point.y - middleY)) / mean((point) => (point.x - middleX) ** 2);
}

const exponent = measured("");

/** What the curves come to, for the table. Worked out from what results.json holds. */
export function curveNumbers({ size, interceptors }: Curves): Record<string, Measured> {
  const last = <T>(values: readonly T[]) => values[values.length - 1]!;
  const bySize = size.series as Record<"guarded" | "guardedRoomy" | "parse" | "parseRoomy", readonly number[]>;
  const { matching } = interceptors.series as Record<"matching", readonly number[]>;
  const over = (name: string) => logSlope(size, name, LARGE_BYTES);
  const { guarded, guardedRoomy, parse, parseRoomy } = bySize;
  return {
    sizeSlope: exponent(over("guarded"), "exponent by which a guarded message grows with its size, 16 kB to 4 MB, 1 + 1 interceptors"),
    sizeSlopeParse: exponent(over("parse"), "that of `JSON.parse` of it"),
    sizeSlopeRoomy: exponent(over("guardedRoomy"), "that of the guarded message with 128 MB for new objects"),
    sizeParse: ratio(last(guarded) / last(parse), "guarded message of 4 MB, 1 + 1 interceptors / `JSON.parse` of it"),
    sizeParseRoomy: ratio(last(guardedRoomy) / last(parseRoomy), "the same with 128 MB for new objects"),
    sizeCost: measured("µs/kB")(last(guarded) / (last(size.x) / KB), "guarded message of 4 MB, 1 + 1 interceptors"),
    sizeCostRoomy: measured("µs/kB")(last(guardedRoomy) / (last(size.x) / KB), "the same with 128 MB for new objects"),
    matchingSlope: exponent(logSlope(interceptors, "matching", MANY), "exponent by which a guarded message grows with the number of interceptors that match, 16 to 1,000"),
    matchingCost: time((last(matching) - matching[0]!) / (last(interceptors.x) - interceptors.x[0]!), "each interceptor that matches adds to a guarded message"),
    othersSlope: exponent(logSlope(interceptors, "others"), "exponent by which it grows with the number of those that do not match, 1 to 1,000"),
    othersRatio: ratio((last(interceptors.x) / interceptors.x[0]!) ** logSlope(interceptors, "others"), "guarded message with 1,000 interceptors that do not match / with one, by that exponent"),
  };
}

const LINEAR_WITHIN = 0.1;
// Of the time with one; a nanosecond for each of them would be a twelfth.
const FLAT_WITHIN = 0.2;

/** What the fits say, in words that follow from them. */
export function curveSentences(numbers: Readonly<Record<string, Measured>>): string {
  const value = (key: string) => numbers[key]!.value;
  const growth = (key: string) => {
    const slope = value(key);
    const word = Math.abs(slope - 1) <= LINEAR_WITHIN ? "linear" : slope < 1 ? "less than linear" : "more than linear";
    return `${word} (exponent ${slope})`;
  };
  const flat = Math.abs(value("othersRatio") - 1) <= FLAT_WITHIN ? "nothing that shows" : "something";
  return [
    `- By size, from 16 kB to 4 MB: ${growth("sizeSlope")}, and ${value("sizeParse")} times \`JSON.parse\` of the message at 4 MB, which is itself ${growth("sizeSlopeParse")}. With 128 MB for ` +
      `new objects the guarded message is ${growth("sizeSlopeRoomy")}, and ${value("sizeParseRoomy")} times \`JSON.parse\`.`,
    `- By the number of interceptors that match, from 16 to 1,000: ${growth("matchingSlope")}, ${value("matchingCost")} µs each.`,
    `- By the number of interceptors that do not match, from 1 to 1,000: they cost ${flat} (exponent ${value("othersSlope")}, ${value("othersRatio")} times the time with 1,000 as with one, by the line through all).`,
  ].join("\n");
}
