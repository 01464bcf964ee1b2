import type { Results } from "./results.ts";

const MARKER = /<!--\s*bench:([^\s>]*)\s*-->([\s\S]*?)<!--\s*\/bench\s*-->/g;

/**
 * Compares the numbers that a text quotes with the measured ones, at the precision that it prints:
 * `<!-- bench:KEY -->8.4<!-- /bench -->` holds for 8.35 up to 8.45. Gives one line for each fault: a number that differs or is none, an unknown
 * key, a marker that is not closed.
 */
export function readmeFaults(text: string, numbers: Results["numbers"]): string[] {
  const faults: string[] = [];
  let markers = 0;
  for (const [, key = "", printed = ""] of text.matchAll(MARKER)) {
    markers++;
    const measured = Object.hasOwn(numbers, key) ? numbers[key] : undefined;
    if (measured === undefined) faults.push(`bench:${key} is no key of results.json`);
    else if (!/^\d+(?:\.\d+)?$/.test(printed)) faults.push(`bench:${key} holds ${JSON.stringify(printed)}, which is no plain number`);
    else if (!matches(measured.value, printed)) faults.push(`bench:${key} says ${printed}, and ${measured.value} was measured`);
  }
  const opened = text.match(/<!--\s*bench:/g)?.length ?? 0;
  const closed = text.match(/<!--\s*\/bench/g)?.length ?? 0;
  if (opened !== markers || closed !== markers) faults.push(`${opened} bench markers are opened, ${closed} closed, and ${markers} can be read`);
  return faults;
}

function matches(measured: number, printed: string): boolean {
  const decimals = printed.split(".")[1]?.length ?? 0;
  // What rounds either way may be printed either way.
  return Math.abs(measured - Number(printed)) <= 0.5 * 10 ** -decimals + Number.EPSILON * 2 * measured;
}

/** The text with the measured number in each marker, at the precision that it prints. Markers of unknown keys stay, for {@link readmeFaults} to name. */
export function withNumbers(text: string, numbers: Results["numbers"]): string {
  return text.replace(MARKER, (whole: string, key: string, printed: string) => {
    const measured = Object.hasOwn(numbers, key) ? numbers[key] : undefined;
    if (measured === undefined) return whole;
    return `<!-- bench:${key} -->${measured.value.toFixed(printed.split(".")[1]?.length ?? 0)}<!-- /bench -->`;
  });
}
