import { LocalError } from "../base/errors.ts";
import { formatPointer, parsePointer } from "../base/json.ts";
import type { ListedType } from "../wire/descriptors.ts";
import type { FieldChange, Provenance } from "./provenance.ts";

/** A change that bears on a field: it is the field `itself`, a value `around` it was written as a whole, or one `within` it. */
export interface WriterChange extends FieldChange {
  readonly relation: "itself" | "around" | "within";
}

/** An interceptor that wrote a field of the final payload. */
export interface FieldWriter {
  readonly interceptor: string;
  /** `label/name`; absent where a decision was asked, which has names alone. */
  readonly address?: string;
  /** As the mutation has recorded them: in a list whose length has changed since, the index may be another than the one asked for. */
  readonly changes: readonly WriterChange[];
}

/** Who has written a field. */
export interface FieldHistory {
  /** The interceptors whose mutations bear on it, in the order of the mutations: the last one has left it as it is. Empty: nobody has changed it. */
  readonly writers: readonly FieldWriter[];
  /** Where the field was before the first mutation; undefined for an item that a mutation has put into a list. */
  readonly original: string | undefined;
  /** False where a mutation has no record or a cut one, so that there may be more writers, and `original` may be wrong. */
  readonly complete: boolean;
}

/** What tells of mutations: the result of a chain, or the decision of a guard. */
export type Recorded =
  | {
      readonly results: readonly {
        readonly interceptor: string;
        readonly address: string;
        readonly type: ListedType;
        readonly mode?: "audit";
        readonly modified?: boolean;
        readonly provenance?: Provenance;
      }[];
    }
  | {
      readonly event: string;
      readonly interceptors: readonly {
        readonly name: string;
        readonly mode?: "audit";
        readonly outcome: string;
        readonly event?: string;
        readonly provenance?: Provenance;
      }[];
    };

interface Mutation {
  readonly interceptor: string;
  readonly address?: string;
  readonly provenance: Provenance | undefined;
}

/**
 * Who wrote the field at a JSON pointer into the final payload, or into the last valid one. The chain or guard must have been asked for `provenance`.
 * What audit entries would have written does not count. A decision is asked about the payload of its own event. Throws `invalid_argument` for what
 * is no pointer.
 */
export function writersOf(recorded: Recorded, pointer: string): FieldHistory {
  const asked = parsePointer(pointer);
  if (asked === undefined) throw new LocalError("invalid_argument", `${JSON.stringify(pointer)} is no JSON pointer`);
  const writers: FieldWriter[] = [];
  let complete = true;
  // Where the field is after the mutation that is looked at; undefined before the one that has put it into a list.
  let path: readonly string[] | undefined = asked;
  for (const { provenance, ...who } of mutationsOf(recorded).reverse()) {
    if (path === undefined) break;
    if (provenance === undefined || provenance.more !== undefined) complete = false;
    if (provenance === undefined) continue;
    const changes = bearingOn(path, provenance);
    if (changes.length > 0) writers.push({ ...who, changes });
    path = pathBefore(path, provenance);
  }
  return { writers: writers.reverse(), original: path && formatPointer(path), complete };
}

// In the order in which they were applied.
function mutationsOf(recorded: Recorded): Mutation[] {
  if ("results" in recorded) {
    return recorded.results
      .filter(({ type, mode, modified }) => type === "mutation" && mode !== "audit" && modified === true)
      .map(({ interceptor, address, provenance }) => ({ interceptor, address, provenance }));
  }
  return recorded.interceptors
    .filter(({ mode, outcome, event }) => mode !== "audit" && outcome === "modified" && (event ?? recorded.event) === recorded.event)
    .map(({ name, provenance }) => ({ interceptor: name, provenance }));
}

function bearingOn(path: readonly string[], { changes, shifts = [] }: Provenance): WriterChange[] {
  const bearing: WriterChange[] = [];
  for (const change of changes) {
    const place = parsePointer(change.pointer) ?? [];
    const relation = startsWith(path, place) ? (path.length === place.length ? "itself" : "around") : startsWith(place, path) ? "within" : undefined;
    if (relation === undefined) continue;
    // At the index of an item that has gone there is another one now.
    if (relation !== "within" && change.kind === "removed" && shifts.some(({ pointer }) => pointer === parentOf(place))) continue;
    bearing.push({ ...change, relation });
  }
  return bearing;
}

function pathBefore(path: readonly string[], { shifts = [] }: Provenance): readonly string[] | undefined {
  // Items are added to a list only where it has become longer, right before those that have moved.
  for (const { pointer, from, by } of shifts) {
    const list = parsePointer(pointer) ?? [];
    if (path.length <= list.length || !startsWith(path, list)) continue;
    const index = Number(path[list.length]);
    if (index >= from) return [...list, String(index - by), ...path.slice(list.length + 1)];
    if (by > 0 && index >= from - by) return undefined;
  }
  return path;
}

function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.length <= path.length && head.every((step, index) => path[index] === step);
}

function parentOf(path: readonly string[]): string {
  return formatPointer(path.slice(0, -1));
}
