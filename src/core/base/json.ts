import { LocalError } from "./errors.ts";

/** A JSON object: a plain record whose members are JSON values. */
export type JsonObject = { [member: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an own member; never one that the prototype lends (`constructor`, `__proto__`). */
export function ownMember(object: JsonObject, member: string): unknown {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** Sets a member with define semantics, so that `__proto__` becomes an ordinary member. */
export function setMember(object: JsonObject, member: string, value: unknown): void {
  if (member === "__proto__") {
    Object.defineProperty(object, member, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[member] = value;
  }
}

/** Nesting that a message may have; matches `Limits.maxDepth`. A scalar has depth 0, `[]` has depth 1. */
export const DEFAULT_MAX_DEPTH = 128;

/**
 * A private copy of a JSON value, equal to what `JSON.parse(JSON.stringify(value))` gives for plain JSON: `undefined`
 * members are left out and `-0` becomes `0`. Unlike `JSON.stringify` it refuses what JSON cannot carry (NaN, infinities,
 * functions, symbols, bigints, class instances, cycles, depth past `maxDepth`, `undefined` in a list) with a `LocalError` of code
 * `not_json` that names the place as a JSON pointer. Getters and proxies are read once.
 */
export function cloneJson<T>(value: T, maxDepth: number = DEFAULT_MAX_DEPTH): T {
  // The copy has the shape of its source, less undefined members, which the type cannot say.
  return copyValue(value, maxDepth, undefined) as T;
}

// The way to the value being copied, as a list that grows towards the root; turned into a pointer only on an error.
interface Trail {
  readonly up: Trail | undefined;
  readonly at: string | number;
}

function copyValue(value: unknown, depth: number, trail: Trail | undefined): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (value - value !== 0) throw notJson(`the number ${value}`, trail);
      return value === 0 ? 0 : value;
    case "object":
      break;
    default:
      throw notJson(value === undefined ? "undefined" : `a ${typeof value}`, trail);
  }
  if (value === null) return null;
  if (depth <= 0) throw notJson("a value nested too deeply, or a cycle", trail);
  return Array.isArray(value) ? copyList(value, depth, trail) : copyObject(value, depth, trail);
}

function copyList(list: readonly unknown[], depth: number, trail: Trail | undefined): unknown[] {
  const length = list.length;
  const copy: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const item = list[index];
    copy.push(isScalar(item) ? item : copyValue(item, depth - 1, { up: trail, at: index }));
  }
  return copy;
}

function copyObject(object: object, depth: number, trail: Trail | undefined): JsonObject {
  // Realm-safe test for a plain object: its prototype is null or some realm's Object.prototype.
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw notJson("a class instance", trail);
  }
  const source = object as JsonObject;
  const copy: JsonObject = {};
  for (const member of Object.keys(source)) {
    const item = source[member];
    if (item === undefined) continue;
    const copied = isScalar(item) ? item : copyValue(item, depth - 1, { up: trail, at: member });
    if (member === "__proto__") setMember(copy, member, copied);
    else copy[member] = copied;
  }
  return copy;
}

// Scalars that are their own copy; numbers go the long way round for NaN and -0, unless they are plainly fine.
function isScalar(value: unknown): boolean {
  const type = typeof value;
  return type === "string" || type === "boolean" || value === null || (type === "number" && value !== 0 && (value as number) - (value as number) === 0);
}

function notJson(what: string, trail: Trail | undefined): LocalError {
  const path: (string | number)[] = [];
  for (let step = trail; step !== undefined; step = step.up) path.unshift(step.at);
  const pointer = formatPointer(path);
  return new LocalError("not_json", `JSON cannot carry ${what}, found at ${pointer === "" ? "the root" : pointer}`, {
    details: { pointer },
  });
}

/** JSON pointer (RFC 6901) of a path; the root is the empty string. */
export function formatPointer(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const step of path) pointer += "/" + String(step).replaceAll("~", "~0").replaceAll("/", "~1");
  return pointer;
}

/** The steps of a JSON pointer, or `undefined` where the text is no pointer. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer.slice(1).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Equality of JSON values: member order does not count, `undefined` members count as absent. Depth is bounded by the caller. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index]))
    );
  }
  const leftObject = left as JsonObject;
  const rightObject = right as JsonObject;
  let count = 0;
  for (const member of Object.keys(leftObject)) {
    if (leftObject[member] === undefined) continue;
    count++;
    if (!Object.hasOwn(rightObject, member) || !equalJson(leftObject[member], rightObject[member])) return false;
  }
  return count === Object.keys(rightObject).filter((member) => rightObject[member] !== undefined).length;
}
