import { LocalError } from "../base/errors.ts";
import { equalJson, isObject, parsePointer } from "../base/json.ts";
import { pointersProblem, valueAt } from "../base/json-pointer.ts";
import { isPattern, matchesPattern } from "../wire/patterns.ts";

/** JSON pointers into payloads: of all events, or by event, `ns/*` or `*`, as hooks name them. */
export type Immutable = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** Throws `malformed_result`, naming the pointer, where a mutator has changed, added or removed what is immutable. */
export type ImmutableCheck = (event: string, before: unknown, after: unknown) => void;

/** Throws `invalid_argument` for what is no such policy. */
export function compileImmutable(immutable: Immutable): ImmutableCheck {
  const rules = rulesOf(immutable);
  return (event, before, after) => {
    for (const { pattern, places } of rules) {
      if (!matchesPattern(pattern, event)) continue;
      for (const { pointer, path } of places) {
        const [was, is] = [valueAt(before, path), valueAt(after, path)];
        if (!equalJson(was, is)) throw new LocalError("malformed_result", `it changed ${pointer === "" ? "the payload" : pointer}, which is immutable`);
      }
    }
  };
}

function rulesOf(immutable: Immutable) {
  const lists: [string, unknown][] = isObject(immutable) ? Object.entries(immutable) : [["*", immutable]];
  return lists.map(([pattern, pointers]) => {
    if (!isPattern(pattern)) throw new LocalError("invalid_argument", `policy.immutable: ${JSON.stringify(pattern)} is no event`);
    const problem = pointersProblem(pointers);
    if (problem !== undefined) throw new LocalError("invalid_argument", `policy.immutable of ${pattern} ${problem}`);
    // Checked just now.
    const places = (pointers as string[]).map((pointer) => ({ pointer, path: parsePointer(pointer) ?? [] }));
    return { pattern, places };
  });
}
