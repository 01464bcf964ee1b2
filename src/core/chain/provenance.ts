import { editBetween, type Change, type Edit } from "../base/json-diff.ts";
import { cloneJson, formatPointer, isObject } from "../base/json.ts";

/** What is recorded of each mutation: the places, the places with their values, or nothing. */
export type ProvenanceMode = "pointers" | "values" | false;

/** One place that a mutation has changed. The pointer is one into the payload after it; that of `removed` into the payload before it. */
export interface FieldChange extends Change {
  /** What was there; only with `"values"`, and not for `added`. */
  readonly before?: unknown;
  /** What is there; only with `"values"`, and not for `removed`. */
  readonly after?: unknown;
}

/** Items of a list that have moved, unchanged: what is at `from` or behind it now was at an index smaller by `by` (larger, if `by` is negative). */
export interface ListShift {
  readonly pointer: string;
  readonly from: number;
  readonly by: number;
}

/**
 * Which places of the payload one mutation has changed. Lists are compared by position behind their common head, and before their common
 * tail where the lengths differ: an item that was moved shows as items replaced. Below an added, removed or replaced value nothing more is named.
 */
export interface Provenance {
  readonly changes: readonly FieldChange[];
  readonly shifts?: readonly ListShift[];
  /** So many more changes there were than are listed (see `limits.maxProvenance`). */
  readonly more?: number;
}

/** How to record: made once for an execution. */
export interface Tracing {
  readonly mode: Exclude<ProvenanceMode, false>;
  readonly max: number;
  readonly maxDepth: number;
}

export function provenanceProblem(mode: unknown): string | undefined {
  const known = mode === undefined || mode === false || mode === "pointers" || mode === "values";
  return known ? undefined : 'provenance must be "pointers", "values" or false';
}

/** What turns one payload into the other, as a record of its own: it shares nothing with either. */
export function traceChanges(before: unknown, after: unknown, { mode, max, maxDepth }: Tracing): Provenance {
  const changes: FieldChange[] = [];
  const shifts: ListShift[] = [];
  let more = 0;
  const copy = (value: unknown) => cloneJson(value, maxDepth);

  const note = (pointer: string, kind: Change["kind"], old: unknown, now: unknown) => {
    if (changes.length >= max) return void more++;
    if (mode === "pointers") return void changes.push({ pointer, kind });
    changes.push({ pointer, kind, ...(kind !== "added" && { before: copy(old) }), ...(kind !== "removed" && { after: copy(now) }) });
  };
  // `old` is the value that the edit applies to.
  const walk = (edit: Edit, pointer: string, old: unknown): void => {
    switch (edit.kind) {
      case "remove":
        return note(pointer, "removed", old, undefined);
      case "replace":
        return note(pointer, "replaced", old, edit.value);
      case "object":
        for (const [name, member] of edit.members) walk(member, pointer + formatPointer([name]), isObject(old) ? old[name] : undefined);
        for (const [name, value] of edit.added) note(pointer + formatPointer([name]), "added", undefined, value);
        return;
      case "list": {
        const items: readonly unknown[] = Array.isArray(old) ? old : [];
        const { start, removed, added } = edit;
        const end = start + edit.items.length;
        edit.items.forEach((item, index) => item && walk(item, `${pointer}/${start + index}`, items[start + index]));
        for (let index = end; index < end + removed; index++) note(`${pointer}/${index}`, "removed", items[index], undefined);
        added.forEach((value, index) => note(`${pointer}/${end + index}`, "added", undefined, value));
        if (removed !== added.length) {
          // A shift that is not told would give wrong answers later, and `more` says that something is missing.
          if (shifts.length < max) shifts.push({ pointer, from: end + added.length, by: added.length - removed });
          else more++;
        }
      }
    }
  };
  const edit = editBetween(before, after);
  if (edit !== undefined) walk(edit, "", before);
  return { changes, ...(shifts.length > 0 && { shifts }), ...(more > 0 && { more }) };
}
