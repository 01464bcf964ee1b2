import { formatPointer, parsePointer } from "../../core/base/json.ts";

/** Where something stands in a file; both count from 1, columns in UTF-16 units, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds what a JSON pointer names: its value, or the name of the member. Undefined where the pointer leads nowhere, or the format tells no places. */
export type Locate = (pointer: string, part: "name" | "value") => Place | undefined;

/** Turns offsets into places. Lines end with LF, CR or both. */
export function createPlaces(text: string): (offset: number) => Place {
  const starts = [0];
  for (const { index, 0: ending } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + ending.length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** The place of a pointer, or of the nearest thing around it that is there: a member that is missing has none of its own. */
export function locateNearest(locate: Locate, pointer: string, part: "name" | "value"): Place | undefined {
  const own = locate(pointer, part);
  if (own !== undefined) return own;
  const steps = parsePointer(pointer) ?? [];
  while (steps.length > 0) {
    steps.pop();
    const around = locate(formatPointer(steps), "value");
    if (around !== undefined) return around;
  }
  return undefined;
}
