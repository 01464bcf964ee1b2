import { LocalError } from "../core/base/errors.ts";
import { DEFAULT_MAX_DEPTH, isObject, setMember, type JsonObject } from "../core/base/json.ts";
import { withCopies } from "./redact-copies.ts";
import { type Exchange, type Place, zoneOf } from "./redact-structure.ts";
import type { RedactText, Tally } from "./redact-text.ts";

export interface RedactPayloadOptions {
  readonly redactText: RedactText;
  /** Replaces a number in data whose digits are sensitive by its mask, which is a string. */
  readonly numbers: "mask" | "keep";
}

/**
 * The payload with every string redacted: values and member names, wherever they are, except what `redact-structure.ts` names. What holds
 * nothing sensitive is the same object as before; the argument is never changed. Depth past the message limit throws `limit_exceeded`,
 * which blocks the message.
 */
export function redactPayload(payload: unknown, exchange: Exchange, { redactText, numbers }: RedactPayloadOptions, tally?: Tally): unknown {
  // Recursion is bounded by the depth that a message may have.
  const walk = (value: unknown, place: Place, depth: number): unknown => {
    if (typeof value === "string") return redactText(value, tally);
    if (typeof value === "number") return place.zone === "data" && numbers === "mask" ? redactNumber(value, redactText, tally) : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth === 0) throw new LocalError("limit_exceeded", `a payload nested deeper than ${DEFAULT_MAX_DEPTH} levels cannot be redacted`);
    if (Array.isArray(value)) return walkList(value, place, depth);
    return isObject(value) ? walkObject(value, place, depth) : value;
  };

  const walkList = (list: readonly unknown[], place: Place, depth: number): readonly unknown[] => {
    let copy: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const redacted = walk(item, place, depth - 1);
      if (redacted !== item) (copy ??= [...list])[index] = redacted;
    }
    return copy ?? list;
  };

  const walkObject = (object: JsonObject, place: Place, depth: number): JsonObject => {
    const members = Object.keys(object);
    const values: unknown[] = [];
    let names: Map<string, string> | undefined;
    let changed = false;
    for (const member of members) {
      const value = object[member];
      const zone = zoneOf(member, object, place, exchange);
      const redacted = zone === undefined ? value : walk(value, { zone, holder: member }, depth - 1);
      values.push(redacted);
      changed ||= redacted !== value;
      const name = redactText(member, tally);
      if (name !== member) (names ??= new Map()).set(member, name);
    }
    if (!changed && names === undefined) return object;
    const newName = names === undefined ? (member: string) => member : renaming(members, names);
    const copy: JsonObject = {};
    for (const [index, member] of members.entries()) setMember(copy, newName(member), values[index]);
    return copy;
  };

  const redacted = walk(payload, { zone: "protocol", holder: undefined }, DEFAULT_MAX_DEPTH);
  return exchange.event === "tools/call" && exchange.phase === "response" ? withCopies(payload, redacted) : redacted;
}

/** Gives each redacted member a name that no other has: the second of one mask becomes `…#2`, counted in member order. */
function renaming(members: readonly string[], names: ReadonlyMap<string, string>): (member: string) => string {
  const taken = new Set(members.filter((member) => !names.has(member)));
  const counts = new Map<string, number>();
  return (member) => {
    const name = names.get(member);
    if (name === undefined) return member;
    let count = counts.get(name) ?? 0;
    let free: string;
    do {
      count++;
      free = count === 1 ? name : `${name}#${count}`;
    } while (taken.has(free));
    counts.set(name, count);
    taken.add(free);
    return free;
  };
}

/** Only a whole number that JSON carries exactly can be judged by its digits. */
function redactNumber(value: number, redactText: RedactText, tally: Tally | undefined): number | string {
  if (!Number.isSafeInteger(value) || value < 1e12) return value;
  const digits = String(value);
  const redacted = redactText(digits, tally);
  return redacted === digits ? value : redacted;
}
