// Runs the same steps through several sessions of one server, and holds what came back equal, down to the messages on the wire.
import assert from "node:assert/strict";
import type { Session, WireMessage } from "./session.ts";

export interface Step {
  readonly name: string;
  run(session: Session): Promise<unknown>;
  /** What may differ between two runs, and why. Anything else is compared as it is. */
  readonly varies?: readonly Varying[];
  /** Why messages of different methods may overtake each other in the server itself: their order is then compared per method. */
  readonly racing?: string;
}

/** A place whose value depends on the time of the run. */
export interface Varying {
  /** A JSON pointer into the step's record `{ answer, messages }`; `*` stands for any one member. It must be there. */
  readonly pointer: string;
  readonly reason: string;
  /** What the varying part looks like in the string that is there; the rest of it is compared. Without it the whole value is left out. */
  readonly part?: RegExp;
}

export interface StepRecord {
  readonly step: string;
  readonly answer: unknown;
  /** What the server sent during the step, as the transport handed it over. */
  readonly messages: readonly WireMessage[];
}

/** How much was compared, for the table at the end. */
export interface Tally {
  steps: number;
  messages: number;
}

/** What a call ended in, errors included, as a value that can be compared. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await call };
  } catch (thrown) {
    if (!(thrown instanceof Error)) return { thrown };
    const { name, message } = thrown;
    return { error: { name, message, ...("code" in thrown ? { code: thrown.code } : {}), ...("data" in thrown ? { data: thrown.data } : {}) } };
  }
}

/**
 * Runs the steps one after another. The first record is what happened until `ready`, which waits for what the server does of itself after the
 * handshake.
 */
export async function runSteps(session: Session, steps: readonly Step[], ready: (session: Session) => Promise<unknown>): Promise<StepRecord[]> {
  await ready(session);
  const records: StepRecord[] = [{ step: "connect", answer: structuredClone(session.server), messages: session.received.slice() }];
  for (const step of steps) {
    const before = session.received.length;
    const answer = structuredClone(await outcome(step.run(session)));
    records.push({ step: step.name, answer, messages: session.received.slice(before) });
  }
  return records;
}

/** Deep equality of two runs, step by step, but for what the steps declare as varying. */
export function assertSameRecords(actual: readonly StepRecord[], expected: readonly StepRecord[], steps: readonly Step[], tally: Tally): void {
  assert.deepEqual(actual.map(({ step }) => step), expected.map(({ step }) => step));
  actual.forEach((record, index) => {
    // The first record is that of the handshake.
    const step = steps[index - 1];
    const sides = [record, expected[index]!].map((side) => structuredClone(step?.racing === undefined ? side : { ...side, messages: byMethod(side.messages) }));
    const [left, right] = sides;
    for (const one of step?.varies ?? []) {
      for (const side of sides) assert.ok(mask(side, membersOf(one.pointer), one.part) > 0, `${record.step}: nothing varies at ${one.pointer}: ${JSON.stringify(side)}`);
    }
    assert.deepEqual(left, right, record.step);
    tally.steps++;
    tally.messages += record.messages.length;
  });
}

function byMethod(messages: readonly WireMessage[]): WireMessage[] {
  return [...messages].sort((left, right) => (left.method ?? "").localeCompare(right.method ?? ""));
}

function membersOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Overwrites what varies at a path; says in how many places. */
function mask(value: unknown, [member, ...rest]: readonly string[], part: RegExp | undefined): number {
  if (typeof value !== "object" || value === null || member === undefined) return 0;
  // An object of JSON, by the check above.
  const holder = value as Record<string, unknown>;
  let places = 0;
  for (const name of member === "*" ? Object.keys(holder) : [member]) {
    if (!Object.hasOwn(holder, name)) continue;
    const found = holder[name];
    if (rest.length > 0) places += mask(found, rest, part);
    else if (part === undefined) {
      holder[name] = "(varies)";
      places++;
    } else if (typeof found === "string" && found.search(part) !== -1) {
      holder[name] = found.replace(part, "(varies)");
      places++;
    }
  }
  return places;
}

/** One line that `run.ts` repeats at its end. */
export function reportTally(what: string, ways: number, { steps, messages }: Tally): void {
  console.log(`compared: ${what}: ${steps} steps in ${ways} ways to be in between, ${messages} messages from the server, all equal`);
}
