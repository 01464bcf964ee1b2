import { base64Decode, base64Encode, utf8Decode, utf8Encode } from "../../base/bytes.ts";
import { LocalError } from "../../base/errors.ts";
import { ownMember, type JsonObject } from "../../base/json.ts";
import { invalidParams } from "../lifecycle.ts";

/** Where in a list something stands: the order of its registration, and its place in what that registration lists. */
export interface Place {
  readonly order: number;
  readonly index: number;
}

export interface Placed<Item> extends Place {
  readonly item: Item;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cursors name the last place that was shown, not a count: a page goes on where the one before ended, whatever is added or removed in
 * between. They are opaque to clients, and hold no secret; replicas that register alike read each other's.
 */
export function readCursor(list: string, params: JsonObject): Place | undefined {
  const cursor = ownMember(params, "cursor");
  if (cursor === undefined) return undefined;
  const bytes = typeof cursor === "string" && cursor.length <= 200 ? base64Decode(cursor, "url") : undefined;
  const [, of, order, index] = (bytes === undefined ? null : /^(\S+) (\d{1,15}) (\d{1,15})$/.exec(utf8Decode(bytes))) ?? [];
  if (of !== list) throw invalidParams(`params.cursor is no cursor of ${list}`);
  return { order: Number(order), index: Number(index) };
}

export function isAfter(cursor: Place | undefined, { order, index }: Place): boolean {
  return cursor === undefined || order > cursor.order || (order === cursor.order && index > cursor.index);
}

/** The page that `found` begins with: all that stand after the cursor, of which more than `pageSize` need not be there. */
export function takePage<Item>(list: string, pageSize: number, found: readonly Placed<Item>[]): Page<Item> {
  const shown = found.length > pageSize ? found.slice(0, pageSize) : found;
  const last = shown.at(-1);
  const more = last !== undefined && found.length > shown.length;
  const next = more ? { nextCursor: base64Encode(utf8Encode(`${list} ${last.order} ${last.index}`), "url") } : {};
  return { items: shown.map(({ item }) => item), next };
}

/** One page of a registry. */
export function pageOf<Definition>(
  list: string,
  pageSize: number,
  params: JsonObject,
  entries: readonly { readonly order: number; readonly definition: Definition }[],
): Page<Definition> {
  const cursor = readCursor(list, params);
  const placed = entries.map(({ order, definition }) => ({ order, index: 0, item: definition }));
  return takePage(list, pageSize, cursor === undefined ? placed : placed.filter((place) => isAfter(cursor, place)));
}

export function resolvePageSize(pageSize: number = Infinity): number {
  if (pageSize !== Infinity && !(Number.isSafeInteger(pageSize) && pageSize > 0)) {
    throw new LocalError("invalid_argument", "pageSize must be a positive integer");
  }
  return pageSize;
}
