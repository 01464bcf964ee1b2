import { LocalError } from "../core/base/errors.ts";
import { isObject, parsePointer, setMember } from "../core/base/json.ts";

/** Puts `change` of the value at a JSON pointer in its place, within `root`; `undefined` removes it. Gives the root, or what replaces it. */
export function editAt(root: unknown, pointer: string, change: (value: unknown) => unknown): unknown {
  const steps = parsePointer(pointer);
  if (steps === undefined) throw new LocalError("invalid_argument", `${JSON.stringify(pointer)} is no JSON pointer`);
  const last = steps.pop();
  if (last === undefined) return change(root);
  let parent = root;
  for (const step of steps) parent = child(parent, step);
  const value = change(child(parent, last));
  if (Array.isArray(parent)) {
    if (value === undefined) parent.splice(Number(last), 1);
    else parent[Number(last)] = value;
  } else if (isObject(parent)) {
    if (value === undefined) delete parent[last];
    else setMember(parent, last, value);
  } else {
    throw new LocalError("invalid_argument", `there is nothing at ${pointer}`);
  }
  return root;
}

/** The value at a JSON pointer; `undefined` where there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  return (parsePointer(pointer) ?? []).reduce<unknown>(child, root);
}

function child(parent: unknown, step: string): unknown {
  if (Array.isArray(parent)) return parent[Number(step)];
  return isObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
}
