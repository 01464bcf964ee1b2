import { measureMemory, measureStdio } from "./compare.ts";
import { measureHttp } from "./compare-http.ts";
import { measureCurves } from "./curve-compare.ts";
import type { Curves } from "./curves.ts";
import { compareDetection } from "./detect-compare.ts";
import { compareGateway } from "./gateway-compare.ts";
import { compareGuards } from "./guard-compare.ts";
import { comparePeaks } from "./peak-compare.ts";
import { compareReading } from "./read-compare.ts";
import type { Measured } from "./results.ts";
import { compareWorkers } from "./workers-compare.ts";

/** What `npm run bench` can measure anew by itself. */
export interface Part {
  /** For the table's head, and for whoever waits. */
  readonly title: string;
  /** Measured against what test/interop installs. */
  readonly interop: boolean;
  measure(): Promise<Measurements>;
}

interface Measurements {
  readonly numbers: Readonly<Record<string, Measured>>;
  readonly curves?: Curves;
}

const part = (title: string, interop: boolean, measure: () => Promise<Record<string, Measured>>): Part => ({ title, interop, measure: async () => ({ numbers: await measure() }) });

/** By the word that asks for it, in the order of the table. */
export const PARTS: ReadonlyMap<string, Part> = new Map([
  ["memory", part("what runs in memory", true, measureMemory)],
  ["stdio", part("stdio", false, measureStdio)],
  ["http", part("HTTP", true, measureHttp)],
  ["read", part("reading", false, compareReading)],
  ["peak", part("the peak of memory", false, comparePeaks)],
  ["curves", { title: "the curves", interop: false, measure: async () => ({ numbers: {}, curves: await measureCurves() }) }],
  ["detect", part("detection", true, compareDetection)],
  ["guards", part("guards on the official SDK's servers", true, compareGuards)],
  ["gateway", part("the gateway", false, compareGateway)],
  ["workers", part("two workers", false, compareWorkers)],
]);
