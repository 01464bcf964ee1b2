import { fileURLToPath } from "node:url";
import type { Curve } from "./curves.ts";
import { barPlot, logPlot, type Axis, type Line } from "./plot.ts";
import type { Results } from "./results.ts";

/** The plots of a run by their names: what README.md shows is what these results give. */
export function renderPlots({ numbers, curves }: Pick<Results, "numbers" | "curves">): ReadonlyMap<string, string> {
  const { size, interceptors } = curves;
  return new Map([
    [
      "cost-by-size.svg",
      logPlot({
        title: "A guarded message by its size",
        x: { label: "size of the params as JSON (kB, MB)", ticks: size.x.map((bytes) => [bytes, sizeText(bytes)]) },
        y: timeAxis(size),
        lines: [
          line(size, "guarded", "guarded, 1 + 1 interceptors"),
          line(size, "guardedRoomy", "the same with 128 MB for new objects"),
          line(size, "parse", "JSON.parse of it"),
        ],
      }),
    ],
    [
      "cost-by-interceptors.svg",
      logPlot({
        title: "A guarded message by the number of interceptors",
        x: { label: "number of interceptors", ticks: interceptors.x.map((count) => [count, count.toLocaleString("en")]) },
        y: timeAxis(interceptors),
        lines: [line(interceptors, "matching", "that match, validators and mutators by turns"), line(interceptors, "others", "that do not match, beside 1 + 1 that do")],
      }),
    ],
    [
      "compared.svg",
      barPlot({
        title: "In memory, beside one tools/call of the official SDK",
        unit: "µs of processor time; shorter is better",
        bars: [
          { key: "officialCall", label: "official SDK, tools/call", reference: true as const },
          { key: "guardedCall", label: "callTool, guarded by 1 + 1 interceptors" },
          { key: "chainFour", label: "chain of 4 + 4 interceptors" },
          { key: "clientCall", label: "callTool, 2026-07-28" },
          { key: "handshakeCall", label: "callTool, handshake era" },
          { key: "chain", label: "chain of 1 + 1 interceptors" },
          { key: "peerRequest", label: "request between two peers" },
        ]
          .map(({ key, ...bar }) => ({ ...bar, value: numbers[key]!.value, text: `${numbers[key]!.value} µs` }))
          .sort((left, right) => right.value - left.value),
      }),
    ],
  ]);
}

/** Where a plot is kept. */
export function plotFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function line({ x, series }: Curve, name: string, label: string): Line {
  return { label, points: x.map((value, at) => [value, series[name]![at]!]) };
}

// Powers of ten around all that is shown.
function timeAxis({ series }: Curve): Axis {
  const all = Object.values(series).flat();
  const first = Math.floor(Math.log10(Math.min(...all)));
  const last = Math.ceil(Math.log10(Math.max(...all)));
  return { label: "processor time (µs, ms, s)", ticks: Array.from({ length: last - first + 1 }, (_, at) => [10 ** (first + at), timeText(10 ** (first + at))]) };
}

function timeText(microseconds: number): string {
  return microseconds >= 1_000_000 ? `${microseconds / 1_000_000} s` : microseconds >= 1_000 ? `${microseconds / 1_000} ms` : `${microseconds} µs`;
}

function sizeText(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} kB`;
}
