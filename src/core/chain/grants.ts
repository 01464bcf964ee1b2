import { LocalError } from "../base/errors.ts";
import { editBetween, type Edit } from "../base/json-diff.ts";
import { formatPointer, isObject, setMember, type JsonObject } from "../base/json.ts";
import { pointerTree, type PointerTree } from "../base/json-pointer.ts";
import type { Grants } from "../interceptor/policy.ts";
import { DIGEST_PREFIX, type Digester } from "./digest.ts";

/** A payload as one entry may see it, and what the entry may make of it. */
export interface View {
  readonly payload: unknown;
  /** The params of the request that a response answers, as the entry may see them. */
  request(params: JsonObject | undefined): JsonObject | undefined;
  /**
   * What a mutator has made of the view, with the originals put back for the digests that it left in place. Throws `malformed_result`, naming the
   * pointer, where it moved or edited a digest, or changed what it may not write.
   */
  restore(after: unknown): unknown;
}

interface Trees {
  /** Undefined: everything may be read, or written. */
  readonly read: PointerTree | undefined;
  readonly write: PointerTree | undefined;
  readonly readRequest: PointerTree | undefined;
}

const trees = new WeakMap<Grants, Trees>();

function treesOf(grants: Grants): Trees {
  let known = trees.get(grants);
  if (known === undefined) {
    const { read, write, readRequest } = grants;
    const tree = (pointers: readonly string[] | undefined) => pointers && pointerTree(pointers);
    // Who may not read all of the payload is not to read it in the request either.
    trees.set(grants, (known = { read: tree(read), write: tree(write), readRequest: tree(readRequest ?? (read && [])) }));
  }
  return known;
}

/** Opens a view of a payload, which is only read. */
export function openView(grants: Grants, payload: unknown, digest: Digester): View {
  const { read, write, readRequest } = treesOf(grants);
  const issued = new Set<string>();
  const hide = (value: unknown) => {
    const token = digest(value);
    issued.add(token);
    return token;
  };
  const shown = read === undefined ? payload : show(payload, read, write, hide, true);
  return {
    payload: shown,
    request(params) {
      if (readRequest === undefined || params === undefined) return params;
      // The root stays what it is.
      return show(params, readRequest, undefined, hide, true) as JsonObject;
    },
    restore(after) {
      const restored = read === undefined ? after : putBack({ after, before: payload, shown, read, issued, path: [] });
      // What it was shown counts, not what is behind it: a guess at a hidden value that happens to be right must fail like any other.
      const wrong = write === undefined ? undefined : firstOutside(editBetween(shown, after), write, []);
      if (wrong !== undefined) throw new LocalError("malformed_result", `it changed ${place(wrong)}, which it may not write`);
      return restored;
    },
  };
}

type Node = PointerTree | undefined;

// Whether a pointer ends further down, or what is here may be written: then it keeps its names or its length, so that a part of it can be changed.
function leadsOn(read: Node, write: Node): boolean {
  return (read?.members.size ?? 0) > 0 || write?.whole === true || (write?.members.size ?? 0) > 0;
}

function show(value: unknown, read: Node, write: Node, hide: (value: unknown) => string, isRoot: boolean): unknown {
  if (read?.whole === true) return value;
  if (isRoot || leadsOn(read, write)) {
    if (Array.isArray(value)) return value.map((item, index) => show(item, member(read, String(index)), member(write, String(index)), hide, false));
    if (isObject(value)) {
      const copy: JsonObject = {};
      for (const name of Object.keys(value)) {
        if (value[name] !== undefined) setMember(copy, name, show(value[name], member(read, name), member(write, name), hide, false));
      }
      return copy;
    }
  }
  return hide(value);
}

function member(node: Node, step: string): Node {
  return node?.whole === true ? node : node?.members.get(step);
}

interface Place {
  readonly after: unknown;
  readonly before: unknown;
  readonly shown: unknown;
  readonly read: Node;
  readonly issued: ReadonlySet<string>;
  readonly path: readonly string[];
}

function putBack(at: Place): unknown {
  const { after, before, shown, read, issued, path } = at;
  if (read?.whole === true) return withoutDigests(after, issued, path);
  if (Array.isArray(shown) && Array.isArray(after) && Array.isArray(before)) {
    return after.map((item, index) => {
      const step = String(index);
      return index < shown.length ? putBack(below(at, step, item, before[index], shown[index])) : withoutDigests(item, issued, [...path, step]);
    });
  }
  if (isObject(shown) && isObject(after) && isObject(before)) {
    const restored: JsonObject = {};
    for (const name of Object.keys(after)) {
      const value = after[name];
      if (value === undefined) continue;
      refuseDigest(name, issued, path);
      const known = Object.hasOwn(shown, name);
      setMember(restored, name, known ? putBack(below(at, name, value, before[name], shown[name])) : withoutDigests(value, issued, [...path, name]));
    }
    return restored;
  }
  // A container that has become something else is written anew; a scalar that is shown can only be a digest.
  if (after === shown) return before;
  if (typeof shown === "string" && typeof after === "string" && after.startsWith(DIGEST_PREFIX) && !issued.has(after)) {
    throw new LocalError("malformed_result", `it edited the digest at ${place(path)}`);
  }
  return withoutDigests(after, issued, path);
}

function below({ read, issued, path }: Place, step: string, after: unknown, before: unknown, shown: unknown): Place {
  return { after, before, shown, read: member(read, step), issued, path: [...path, step] };
}

// What a mutator has written itself: a digest in it would be taken for the value that it stands for.
function withoutDigests<T>(value: T, issued: ReadonlySet<string>, path: readonly string[]): T {
  if (typeof value === "string") refuseDigest(value, issued, path);
  else if (Array.isArray(value)) value.forEach((item: unknown, index) => withoutDigests(item, issued, [...path, String(index)]));
  else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      refuseDigest(name, issued, path);
      withoutDigests(value[name], issued, [...path, name]);
    }
  }
  return value;
}

const DIGESTS = new RegExp(`${DIGEST_PREFIX}[0-9a-f]{32}`, "g");

function refuseDigest(text: string, issued: ReadonlySet<string>, path: readonly string[]): void {
  if (!text.includes(DIGEST_PREFIX)) return;
  for (const [token] of text.matchAll(DIGESTS)) {
    if (issued.has(token)) throw new LocalError("malformed_result", `it moved a digest to ${place(path)}`);
  }
}

/** The path of the first change that lies outside the tree. */
function firstOutside(edit: Edit | undefined, allowed: Node, path: readonly string[]): readonly string[] | undefined {
  if (edit === undefined || allowed?.whole === true) return undefined;
  if (edit.kind === "object") {
    for (const [name, change] of edit.members) {
      const wrong = firstOutside(change, member(allowed, name), [...path, name]);
      if (wrong !== undefined) return wrong;
    }
    const added = edit.added.find(([name]) => member(allowed, name)?.whole !== true);
    return added === undefined ? undefined : [...path, added[0]];
  }
  // A list that grows or shrinks moves its items, so it must be granted as a whole.
  if (edit.kind !== "list" || edit.removed > 0 || edit.added.length > 0) return path;
  for (const [offset, change] of edit.items.entries()) {
    const step = String(edit.start + offset);
    const wrong = firstOutside(change, member(allowed, step), [...path, step]);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function place(path: readonly string[]): string {
  return path.length === 0 ? "the whole payload" : formatPointer(path);
}
