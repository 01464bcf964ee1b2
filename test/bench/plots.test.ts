import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { barPlot, logPlot } from "./plot.ts";
import { plotFile, renderPlots } from "./plots.ts";
import { README_FILE, readResults } from "./results.ts";

describe("the plots", () => {
  test("are those that the last run's results give, and README.md shows each", () => {
    const plots = renderPlots(readResults());
    assert.equal(plots.size, 3);
    const readme = readFileSync(README_FILE, "utf8");
    for (const [name, svg] of plots) {
      assert.equal(readFileSync(plotFile(name), "utf8"), svg, `${name}: npm run bench -- render writes it anew`);
      assert.match(readme, new RegExp(`!\\[[^\\]]+\\]\\(${name.replace(".", "\\.")}\\)`));
    }
  });

  test("change with what they show", () => {
    const { numbers, curves } = readResults();
    const [name] = [...renderPlots({ numbers, curves }).keys()];
    const guarded = curves.size.series["guarded"]!.map((value) => value * 2);
    const other = { ...curves, size: { ...curves.size, series: { ...curves.size.series, guarded } } };
    assert.notEqual(renderPlots({ numbers, curves: other }).get(name!), renderPlots({ numbers, curves }).get(name!));
  });

  test("can be read on light and dark pages, and name what their axes count", () => {
    for (const [name, svg] of renderPlots(readResults())) {
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox=/, name);
      assert.match(svg, /@media \(prefers-color-scheme: dark\)/, name);
      assert.match(svg, />[^<]*(?:µs|ms)[^<]*<\/text>/, name);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity|<script|href=/, name);
    }
  });
});

test("a plot puts points where their logarithms are, the first mark at one end and the last at the other", () => {
  const ticks = [[1, "one"], [100, "a hundred"]] as const;
  const svg = logPlot({ title: "t", x: { label: "x", ticks }, y: { label: "y", ticks }, lines: [{ label: "l", points: [[1, 1], [10, 10], [100, 100]] }] });
  assert.match(svg, /points="92,364 394,213 696,62"/);
});

test("a bar is as long as its share of the longest", () => {
  const svg = barPlot({ title: "t", unit: "µs", bars: [{ label: "a", value: 4, text: "4" }, { label: "b", value: 1, text: "1" }] });
  const [long = 0, short = 0] = [...svg.matchAll(/<rect class="bar[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
  assert.ok(long > 0 && long === 4 * short, `${long} ${short}`);
});

test("texts are escaped", () => {
  const svg = barPlot({ title: '<a & "b">', unit: "<c>", bars: [{ label: "&d", value: 1, text: "<e>" }] });
  for (const raw of ['<a & "b">', "<c>", "&d", "<e>"]) assert.ok(!svg.includes(raw), raw);
});
