import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { curveNumbers, curveSentences, logSlope, type Curves } from "./curves.ts";

const X = [1, 4, 16, 64, 256];
const SIZES = [1, 4, 16, 64, 256, 1024, 4096].map((kilobytes) => kilobytes * 1024);
const COUNTS = [1, 8, 16, 64, 256, 1_000];

const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}, not ${expected}`);

/** Curves of which a guarded message grows by this exponent, and what does not match costs this much more at the end. */
function curvesOf(exponent: number, atTheEnd: number): Curves {
  const line = (factor: number) => SIZES.map((bytes) => factor * bytes ** exponent);
  return {
    size: { x: SIZES, series: { parse: line(1), parseRoomy: line(1), guarded: line(5), guardedRoomy: line(3) } },
    interceptors: { x: COUNTS, series: { matching: COUNTS.map((count) => 2 * count ** exponent), others: COUNTS.map((count) => 12 * atTheEnd ** (Math.log(count) / Math.log(1_000))) } },
  };
}

describe("logSlope", () => {
  test("is the exponent of a power, whatever its factor", () => {
    for (const exponent of [0, 0.5, 1, 2]) near(logSlope({ x: X, series: { y: X.map((x) => 7 * x ** exponent) } }, "y"), exponent);
  });

  test("fits the points from a place on, so that a fixed cost below it does not count", () => {
    const y = X.map((x) => (x < 16 ? 100 : x));
    near(logSlope({ x: X, series: { y } }, "y", 16), 1);
    assert.ok(logSlope({ x: X, series: { y } }, "y") < 0.5);
  });

  test("takes a point that is off for a part of what it says", () => {
    const y = X.map((x) => (x === 64 ? 2 * x : x));
    const slope = logSlope({ x: X, series: { y } }, "y");
    assert.ok(slope > 1 && slope < 1.1, String(slope));
  });
});

describe("what is said of the curves", () => {
  test("follows from the numbers", () => {
    const linear = curveSentences(curveNumbers(curvesOf(1, 1.04)));
    assert.match(linear, /By size, from 16 kB to 4 MB: linear \(exponent 1\), and 5 times `JSON\.parse`/);
    assert.match(linear, /that match, from 16 to 1,000: linear \(exponent 1\)/);
    assert.match(linear, /they cost nothing that shows \(.*1\.04 times/);
  });

  test("says so where growth is steeper or flatter, and where what does not match costs something", () => {
    const steep = curveSentences(curveNumbers(curvesOf(1.5, 3)));
    assert.equal(steep.match(/more than linear \(exponent 1\.5\)/g)?.length, 4);
    assert.match(steep, /they cost something \(.*3 times/);
    assert.equal(curveSentences(curveNumbers(curvesOf(0.5, 1))).match(/less than linear \(exponent 0\.5\)/g)?.length, 4);
  });

  test("comes to a time for each interceptor", () => {
    assert.equal(curveNumbers(curvesOf(1, 1))["matchingCost"]?.value, 2);
  });
});
