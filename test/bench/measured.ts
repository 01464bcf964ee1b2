import type { Measured } from "./results.ts";

/** Numbers of one unit, with the digits that results.json keeps. */
export const measured = (unit: Measured["unit"]) => (value: number, what: string): Measured => ({ value: Number(value.toPrecision(4)), unit, what });

export const time = measured("µs");
export const ratio = measured("×");
