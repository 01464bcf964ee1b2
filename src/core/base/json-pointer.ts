import { isObject, ownMember, parsePointer } from "./json.ts";

/** The value at the steps of a JSON pointer; undefined where there is none. An index of a list has no leading zero (RFC 6901, section 4). */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  for (const step of path) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
    else if (isObject(value)) value = ownMember(value, step);
    else return undefined;
  }
  return value;
}

/** A set of JSON pointers, as a tree to walk along with a value. */
export interface PointerTree {
  /** A pointer of the set ends here: what is here belongs to it, and all that is below. */
  readonly whole: boolean;
  readonly members: ReadonlyMap<string, PointerTree>;
}

/** Why a value is no list of JSON pointers; undefined where it is one. */
export function pointersProblem(pointers: unknown): string | undefined {
  if (!Array.isArray(pointers)) return "must be a list of JSON pointers";
  const wrong: unknown = pointers.find((pointer) => typeof pointer !== "string" || parsePointer(pointer) === undefined);
  return wrong === undefined ? undefined : `has ${JSON.stringify(wrong)}, which is no JSON pointer`;
}

/** The tree of pointers that are well formed. */
export function pointerTree(pointers: readonly string[]): PointerTree {
  const root = node();
  for (const pointer of pointers) {
    let at = root;
    for (const step of parsePointer(pointer) ?? []) {
      let next = at.members.get(step);
      if (next === undefined) at.members.set(step, (next = node()));
      at = next;
    }
    at.whole = true;
  }
  return root;
}

interface Node extends PointerTree {
  whole: boolean;
  readonly members: Map<string, Node>;
}

function node(): Node {
  return { whole: false, members: new Map() };
}
