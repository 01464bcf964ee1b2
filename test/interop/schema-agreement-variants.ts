// Thousands of messages made from the corpus: each value of a valid one is replaced by values of other types, or left out.
import { isObject, setMember, type JsonObject } from "../../src/core/base/json.ts";
import type { CorpusCase } from "../support/message-corpus.ts";

export interface Variant {
  /** What was changed where: `tools/call result /content/*` + ` null`. Positions in lists are stars. */
  readonly label: string;
  readonly item: CorpusCase;
}

const ABSENT = Symbol("absent");
const CHANGES: readonly [string, unknown][] = [
  ["null", null],
  ["number", 7.5],
  ["text", "x"],
  ["object", {}],
  ["list", []],
  ["true", true],
  ["absent", ABSENT],
];

type Path = readonly (string | number)[];

export function variantsOf(item: CorpusCase): Variant[] {
  const { part } = item;
  if (!item.valid || part.value === undefined || part.kind === "error") return [];
  const about = part.kind === "message" ? "message" : `${part.method} ${part.kind}`;
  return pathsIn(part.value).flatMap((path) =>
    CHANGES.map(([name, leaf]) => ({
      label: `${about} /${path.map((step) => (typeof step === "number" ? "*" : step)).join("/")} ${name}`,
      // The kind of a part says nothing of its value, so the part keeps its kind.
      item: { ...item, part: { ...part, value: replaced(part.value, path, leaf) } as CorpusCase["part"] },
    })),
  );
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  const inside = (step: string | number, member: unknown): Path[] => [[...path, step], ...pathsIn(member, [...path, step])];
  if (Array.isArray(value)) return value.slice(0, 3).flatMap((member, index) => inside(index, member));
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => inside(key, value[key]));
}

function replaced(value: unknown, [step, ...rest]: Path, leaf: unknown): unknown {
  if (step === undefined) return leaf;
  const change = (member: unknown) => replaced(member, rest, leaf);
  if (Array.isArray(value)) return value.map((member, index) => (index === step ? change(member) : member)).filter((member) => member !== ABSENT);
  const copy: JsonObject = {};
  if (!isObject(value)) return copy;
  for (const key of Object.keys(value)) {
    const member = key === step ? change(value[key]) : value[key];
    if (member !== ABSENT) setMember(copy, key, member);
  }
  return copy;
}
