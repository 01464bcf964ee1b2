import { measured, ratio } from "./measured.ts";
import type { Measured } from "./results.ts";
import { startWorker } from "./worker.ts";

const SAMPLES = [
  ["Rows", "rows of six members"],
  ["Prose", "texts of 1,600 characters"],
  ["Numbers", "whole numbers"],
] as const;

interface Times {
  readonly parse: number;
  readonly scan: number;
  readonly schema: number;
}

const speed = measured("MB/s");
const MB_PER_CHARACTER_AND_NANOSECOND = 1_000;

/** What strict reading of JSON, and a check against a JSON Schema, take beside `JSON.parse`. All samples are ASCII: a character is a byte. */
export async function compareReading(): Promise<Record<string, Measured>> {
  const worker = await startWorker("read-worker.mjs");
  // The worker's own words.
  const found = (await worker.measure({})) as Record<string, Times>;
  worker.stop();
  const rows: Record<string, Measured> = {};
  for (const [name, what] of SAMPLES) {
    const { parse, scan, schema } = found[name]!;
    rows[`scan${name}`] = ratio(scan / parse, `strict reading of JSON, ${what} / \`JSON.parse\` of it`);
    rows[`scan${name}Speed`] = speed(MB_PER_CHARACTER_AND_NANOSECOND / scan, "its speed");
    // Of a text a schema reads no more than its length.
    if (name === "Prose") continue;
    rows[`schema${name}`] = ratio(schema / parse, `check against a JSON Schema, ${what} / \`JSON.parse\` of it`);
    rows[`schema${name}Speed`] = speed(MB_PER_CHARACTER_AND_NANOSECOND / schema, "its speed, by the size of the text");
  }
  return rows;
}
