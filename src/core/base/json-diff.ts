import { equalJson, formatPointer, isObject, type JsonObject } from "./json.ts";

/** One place where two JSON values differ. The pointer refers to the value after; that of `removed` to the value before. */
export interface Change {
  readonly pointer: string;
  readonly kind: "added" | "removed" | "replaced";
}

/** What turns one JSON value into another, as a tree over the places that change. Absent stands for "no change". */
export type Edit =
  | { readonly kind: "remove" }
  | { readonly kind: "replace"; readonly value: unknown }
  | ObjectEdit
  | ListEdit;

export interface ObjectEdit {
  readonly kind: "object";
  /** For members of the value before. */
  readonly members: ReadonlyMap<string, Edit>;
  readonly added: readonly (readonly [string, unknown])[];
}

/**
 * A list, as stretches of it: `start` items stay, those in `items` change or stay one by one, `removed` items go, `added` ones come in
 * their place, the rest stays. `length` is that of the list before.
 */
export interface ListEdit {
  readonly kind: "list";
  readonly length: number;
  readonly start: number;
  readonly items: readonly (Edit | undefined)[];
  readonly removed: number;
  readonly added: readonly unknown[];
}

const REMOVE: Edit = { kind: "remove" };

/**
 * The places where two plain JSON values differ. Members are compared by name, their order does not count, and `undefined` is an absent
 * member. Lists are compared item by item after their common head, and before their common tail where the lengths differ. Below an added,
 * removed or replaced value nothing more is named. The order is that of the members before (as the engine lists them:
 * integer-like names first), then of those added.
 */
export function diffJson(before: unknown, after: unknown): Change[] {
  const edit = editBetween(before, after);
  return edit === undefined ? [] : listChanges(edit);
}

/** The edit from one plain JSON value to another; `undefined` where they are equal. Depth is bounded by the caller. */
export function editBetween(before: unknown, after: unknown): Edit | undefined {
  if (before === after) return undefined;
  if (Array.isArray(before) && Array.isArray(after)) return listEdit(before, after);
  if (isObject(before) && isObject(after)) return objectEdit(before, after);
  return { kind: "replace", value: after };
}

function objectEdit(before: JsonObject, after: JsonObject): ObjectEdit | undefined {
  // Made only where something differs: most objects of a mutated message are as they were.
  let members: Map<string, Edit> | undefined;
  let added: [string, unknown][] | undefined;
  for (const name of Object.keys(before)) {
    const old = before[name];
    if (old === undefined) continue;
    const edit = has(after, name) ? editBetween(old, after[name]) : REMOVE;
    if (edit !== undefined) (members ??= new Map()).set(name, edit);
  }
  for (const name of Object.keys(after)) {
    if (after[name] !== undefined && !has(before, name)) (added ??= []).push([name, after[name]]);
  }
  if (members === undefined && added === undefined) return undefined;
  return { kind: "object", members: members ?? new Map(), added: added ?? [] };
}

function has(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

function listEdit(before: readonly unknown[], after: readonly unknown[]): ListEdit | undefined {
  const shared = Math.min(before.length, after.length);
  let start = 0;
  // Kept for the item loop below: comparing an item twice on each level would be exponential in the depth.
  let first: Edit | undefined;
  while (start < shared && (first = editBetween(before[start], after[start])) === undefined) start++;
  if (start === before.length && start === after.length) return undefined;
  let tail = 0;
  if (before.length !== after.length) {
    while (tail < shared - start && equalJson(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;
  }
  const items: (Edit | undefined)[] = [];
  for (let index = start; index < shared - tail; index++) {
    items.push(index === start ? first : editBetween(before[index], after[index]));
  }
  const end = start + items.length;
  return {
    kind: "list",
    length: before.length,
    start,
    items,
    removed: before.length - tail - end,
    added: after.slice(end, after.length - tail),
  };
}

/** What an edit changes, in the order that {@link diffJson} documents. */
export function listChanges(edit: Edit, pointer = "", changes: Change[] = []): Change[] {
  switch (edit.kind) {
    case "remove":
      changes.push({ pointer, kind: "removed" });
      break;
    case "replace":
      changes.push({ pointer, kind: "replaced" });
      break;
    case "object":
      for (const [name, member] of edit.members) listChanges(member, pointer + formatPointer([name]), changes);
      for (const [name] of edit.added) changes.push({ pointer: pointer + formatPointer([name]), kind: "added" });
      break;
    case "list": {
      const end = edit.start + edit.items.length;
      edit.items.forEach((item, index) => item && listChanges(item, `${pointer}/${edit.start + index}`, changes));
      for (let index = 0; index < edit.removed; index++) changes.push({ pointer: `${pointer}/${end + index}`, kind: "removed" });
      for (let index = 0; index < edit.added.length; index++) changes.push({ pointer: `${pointer}/${end + index}`, kind: "added" });
    }
  }
  return changes;
}
