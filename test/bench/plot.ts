// Writes plots as SVG: pure functions of what they show, so that the same numbers always give the same text.

/** A line through points. */
export interface Line {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Axis {
  readonly label: string;
  /** Where there is a mark, and what stands there. */
  readonly ticks: readonly (readonly [at: number, text: string])[];
}

export interface LogPlot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

export interface BarPlot {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly text: string; readonly reference?: true }[];
}

const WIDTH = 720;
const HEIGHT = 420;
const FRAME = { left: 92, right: 24, top: 44, bottom: 56 };
const LEGEND_ROW = 18;
const MAX_LINES = 4;

// Colours that both a light and a dark page can carry, and a ground of the plot's own, as a page may be of any colour.
const STYLE = `<style>
svg { font: 13px system-ui, sans-serif; }
.ground { fill: #ffffff; } .text { fill: #1f2328; } .grid { stroke: #d1d9e0; } .axis { stroke: #59636e; }
.line { fill: none; stroke-width: 2; } .s0 { stroke: #0969da; fill: #0969da; } .s1 { stroke: #bc4c00; fill: #bc4c00; } .s2 { stroke: #1a7f37; fill: #1a7f37; } .s3 { stroke: #8250df; fill: #8250df; }
.line.s0, .line.s1, .line.s2, .line.s3 { fill: none; } .bar { stroke: none; } .reference { fill: #818b98; }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117; } .text { fill: #f0f6fc; } .grid { stroke: #3d444d; } .axis { stroke: #9198a1; }
.s0 { stroke: #4493f8; fill: #4493f8; } .s1 { stroke: #f0883e; fill: #f0883e; } .s2 { stroke: #3fb950; fill: #3fb950; } .s3 { stroke: #ab7df8; fill: #ab7df8; }
}
</style>`;

const DASHES = ["", "7 4", "2 4", "10 3 2 3"];

/** A plot with a logarithm on both axes. */
export function logPlot({ title, x, y, lines }: LogPlot): string {
  if (lines.length > MAX_LINES) throw new Error(`a plot has at most ${MAX_LINES} lines`);
  const top = FRAME.top + lines.length * LEGEND_ROW;
  const bottom = HEIGHT - FRAME.bottom;
  const right = WIDTH - FRAME.right;
  const toX = scale(x, FRAME.left, right);
  const toY = scale(y, bottom, top);
  const body: string[] = [];
  for (const [at, text] of x.ticks) {
    body.push(rule(toX(at), top, toX(at), bottom, "grid"), words(toX(at), bottom + 18, text, "middle"));
  }
  for (const [at, text] of y.ticks) {
    body.push(rule(FRAME.left, toY(at), right, toY(at), "grid"), words(FRAME.left - 8, toY(at) + 4, text, "end"));
  }
  body.push(rule(FRAME.left, bottom, right, bottom, "axis"), rule(FRAME.left, top, FRAME.left, bottom, "axis"));
  body.push(words((FRAME.left + right) / 2, HEIGHT - 14, x.label, "middle"));
  body.push(`<text class="text" text-anchor="middle" transform="translate(20 ${round((top + bottom) / 2)}) rotate(-90)">${escaped(y.label)}</text>`);
  for (const [index, { label, points }] of lines.entries()) {
    const dash = DASHES[index] ? ` stroke-dasharray="${DASHES[index]}"` : "";
    const path = points.map(([px, py]) => `${round(toX(px))},${round(toY(py))}`).join(" ");
    const row = FRAME.top + index * LEGEND_ROW;
    body.push(`<polyline class="line s${index}" points="${path}"${dash}/>`);
    for (const [px, py] of points) body.push(`<circle class="s${index}" cx="${round(toX(px))}" cy="${round(toY(py))}" r="3"/>`);
    body.push(`<line class="line s${index}" x1="${FRAME.left}" y1="${row}" x2="${FRAME.left + 32}" y2="${row}"${dash}/>`, words(FRAME.left + 40, row + 4, label, "start"));
  }
  return page(HEIGHT, title, body);
}

const BAR = { left: 330, right: 110, height: 20, step: 30 };

/** Bars from left to right, each with what it stands for. */
export function barPlot({ title, unit, bars }: BarPlot): string {
  const longest = Math.max(...bars.map(({ value }) => value));
  const height = FRAME.top + bars.length * BAR.step + 40;
  const body: string[] = [];
  for (const [index, { label, value, text, reference }] of bars.entries()) {
    const top = FRAME.top + index * BAR.step;
    const length = (value / longest) * (WIDTH - BAR.left - BAR.right);
    body.push(words(BAR.left - 10, top + 15, label, "end"));
    body.push(`<rect class="bar ${reference ? "reference" : "s0"}" x="${BAR.left}" y="${top}" width="${round(length)}" height="${BAR.height}"/>`);
    body.push(words(BAR.left + length + 8, top + 15, text, "start"));
  }
  body.push(rule(BAR.left, FRAME.top - 6, BAR.left, height - 40, "axis"), words(BAR.left, height - 16, unit, "start"));
  return page(height, title, body);
}

function page(height: number, title: string, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    STYLE,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    `<text class="text" x="${WIDTH / 2}" y="22" text-anchor="middle" font-weight="600">${escaped(title)}</text>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

// From the first mark to the last.
function scale({ ticks }: Axis, from: number, to: number): (value: number) => number {
  const first = Math.log(ticks[0]![0]);
  const last = Math.log(ticks[ticks.length - 1]![0]);
  return (value) => from + ((Math.log(value) - first) / (last - first)) * (to - from);
}

function rule(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

function words(x: number, y: number, text: string, anchor: "start" | "middle" | "end"): string {
  return `<text class="text" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

// A tenth of a pixel is as far as engines agree on logarithms, and more than an eye sees.
function round(value: number): number {
  return Number(value.toFixed(1));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
