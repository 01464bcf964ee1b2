import { LocalError } from "../../base/errors.ts";
import { cloneJson, equalJson } from "../../base/json.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { describeProblem, type Problem } from "../../wire/check.ts";

/** Something that was registered on a server: changes here are told to the clients that want to know. */
export interface Registered<Definition, Handler> {
  /** As it stands; a copy that nobody else changes. */
  readonly definition: Definition;
  /**
   * Replaces some members, and the handler where one is given. The name (or URI) stays. Clients are told where the
   * definition has become another. `not_found` after `remove`.
   */
  update(changes: Partial<Definition>, handler?: Handler): void;
  /** Idempotent. A request that is being handled goes on. */
  remove(): void;
}

export interface Entry<Definition, Handler, Prepared> {
  /** Grows with each registration, and is never used again: what cursors count on. */
  readonly order: number;
  readonly definition: Definition;
  readonly handler: Handler;
  readonly prepared: Prepared;
}

/** Things of one kind by name, in the order of registration. */
export interface Registry<Definition, Handler, Prepared> {
  /** Whether there is, or ever was, an entry: what has been announced is served, if only with an empty list. */
  readonly used: boolean;
  get(key: string): Entry<Definition, Handler, Prepared> | undefined;
  /** By `order`. */
  entries(): readonly Entry<Definition, Handler, Prepared>[];
  /** Keeps a copy. Refuses a taken name (`conflict`), a malformed definition (`invalid_argument`), and what is no JSON. */
  add(definition: Definition, handler: Handler): Registered<Definition, Handler>;
}

export interface RegistryParts<Definition, Prepared> {
  /** For error texts: `tool`. */
  readonly kind: string;
  keyOf(definition: Definition): string;
  check(definition: unknown): Problem | undefined;
  /** What is made once from a definition, such as a compiled schema; throws where it cannot be. */
  prepare(definition: Definition): Prepared;
  /** Called after each change of the list. */
  changed(): void;
  /** The next `order`; its own count by default. */
  nextOrder?(): number;
}

export function createRegistry<Definition extends object, Handler, Prepared>(
  parts: RegistryParts<Definition, Prepared>,
): Registry<Definition, Handler, Prepared> {
  const { kind, keyOf, check, prepare, changed, nextOrder = countUp() } = parts;
  const table = new Map<string, Entry<Definition, Handler, Prepared>>();
  let inOrder: readonly Entry<Definition, Handler, Prepared>[] | undefined;
  let used = false;

  const read = (definition: Definition): { key: string; definition: Definition; prepared: Prepared } => {
    const own = cloneJson(definition, DEFAULT_LIMITS.maxDepth, DEFAULT_LIMITS.maxMessageBytes);
    const problem = check(own);
    if (problem !== undefined) throw new LocalError("invalid_argument", `a ${kind} is malformed: ${describeProblem(problem, kind)}`);
    const key = keyOf(own);
    if (key === "") throw new LocalError("invalid_argument", `a ${kind} needs a name`);
    return { key, definition: own, prepared: prepare(own) };
  };
  const put = (key: string, entry: Entry<Definition, Handler, Prepared> | undefined, told = true) => {
    if (entry === undefined) table.delete(key);
    else table.set(key, entry);
    inOrder = undefined;
    if (told) changed();
  };

  return {
    get used() {
      return used;
    },
    get: (key) => table.get(key),
    // A Map keeps the place of a key that is set again, so that its order is the order of registration.
    entries: () => (inOrder ??= [...table.values()]),
    add(given, handler) {
      const { key, definition, prepared } = read(given);
      if (table.has(key)) throw new LocalError("conflict", `the ${kind} ${key} is there already`);
      used = true;
      let entry: Entry<Definition, Handler, Prepared> = { order: nextOrder(), definition, handler, prepared };
      put(key, entry);
      return {
        get definition() {
          return entry.definition;
        },
        update(changes, newHandler = entry.handler) {
          if (table.get(key) !== entry) throw new LocalError("not_found", `the ${kind} ${key} has been removed`);
          const next = read({ ...entry.definition, ...changes });
          if (next.key !== key) throw new LocalError("invalid_argument", `the ${kind} ${key} cannot change its name to ${next.key}`);
          const told = !equalJson(next.definition, entry.definition);
          entry = { order: entry.order, definition: next.definition, handler: newHandler, prepared: next.prepared };
          put(key, entry, told);
        },
        remove() {
          if (table.get(key) === entry) put(key, undefined);
        },
      };
    },
  };
}

/** Orders for several registries whose entries share a list. */
export function countUp(): () => number {
  let last = 0;
  return () => ++last;
}
