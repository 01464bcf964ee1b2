import { invert, parsePattern, type Assertion, type Term } from "./pattern-syntax.ts";

/** Takes note of steps, about ten nanoseconds each, and throws where they are too many. */
export type Pay = (steps: number) => void;

/** States of one pattern, its counted repetitions written out. */
const MAX_STATES = 100_000;

/** How many states `matchPattern` would need for a pattern; undefined where it cannot take it: backreferences, what is not understood, too many states. */
export function countStates(source: string, unicode: boolean): number | undefined {
  const term = parsePattern(source, unicode);
  const states = term === undefined ? Infinity : statesOf(term) + 1;
  return states <= MAX_STATES ? states : undefined;
}

function statesOf(term: Term): number {
  switch (term.kind) {
    case "set":
    case "empty":
      return 1;
    case "sequence":
      return term.terms.reduce((sum, part) => sum + statesOf(part), 0);
    case "choice":
      return term.terms.reduce((sum, part) => sum + statesOf(part) + 2, 0);
    case "loop":
      // One more, so that a body without states has a limit, too.
      return (statesOf(term.body) + 1) * copiesOf(term.min, term.max) + 1;
    case "look":
      return statesOf(term.body) + 2;
    case "back":
      return Infinity;
  }
}

function copiesOf(min: number, max: number): number {
  return max < Infinity ? max : min + 1;
}

/**
 * A matcher for what `countStates` counts that never backtracks: it follows all ways at once, so a text takes steps by its length times
 * the states at most, whatever the pattern. Without captures that is all there is to what `RegExp.prototype.test` says.
 *
 * A lookahead is the same matcher on the pattern read backwards, from the end of the text to its start: it marks each place from where it would
 * go on to a match. A lookbehind marks them forwards. Each is read once for the whole text, before what holds it.
 */
export function matchPattern(source: string, unicode: boolean): (text: string, pay: Pay) => boolean {
  const sets: CharacterSet[] = [];
  const looks: Look[] = [];
  // Copies of a repetition share the sets and the looks of its body.
  const known = new Map<Term, number>();
  const numberOf = (term: Term, make: () => number): number => {
    let number = known.get(term);
    if (number === undefined) known.set(term, (number = make() - 1));
    return number;
  };

  function assemble(whole: Term, backward: boolean): Code {
    const steps: number[] = [];
    const operands: number[] = [];
    const emit = (step: number, operand = 0) => {
      operands.push(operand);
      return steps.push(step) - 1;
    };
    const here = (at: number) => (operands[at] = steps.length);
    const visit = (term: Term): void => {
      switch (term.kind) {
        case "set":
          emit(TAKE, numberOf(term, () => sets.push(characterSet(term))));
          return;
        case "empty":
          if (term.assertion !== undefined) emit(ASSERT, ASSERTIONS.indexOf(term.assertion));
          return;
        case "sequence":
          for (const part of backward ? [...term.terms].reverse() : term.terms) visit(part);
          return;
        case "choice": {
          const ends = term.terms.slice(1).map((_, index) => {
            const fork = emit(FORK);
            visit(term.terms[index]!);
            const end = emit(JUMP);
            here(fork);
            return end;
          });
          visit(term.terms.at(-1)!);
          ends.forEach(here);
          return;
        }
        case "loop":
          return repeat(term);
        case "look":
          emit(LOOK, numberOf(term, () => {
            const code = assemble(term.body, !term.behind);
            return looks.push({ code, unwanted: term.negated ? 1 : 0 });
          }));
      }
    };
    const repeat = ({ body, min, max }: Term & { kind: "loop" }) => {
      const forks: number[] = [];
      for (let count = 1; count <= copiesOf(min, max); count++) {
        if (count > min) forks.push(emit(FORK));
        visit(body);
      }
      if (max === Infinity) emit(JUMP, forks[0]);
      forks.forEach(here);
    };
    visit(whole);
    emit(MATCH);
    return { backward, steps: Uint8Array.from(steps), operands: Int32Array.from(operands) };
  }

  // Only called for what has been counted.
  const code = assemble(parsePattern(source, unicode)!, false);
  return (text, pay) => {
    const marks: Uint8Array[] = [];
    for (const look of looks) {
      pay(text.length * 2);
      const found = new Uint8Array(text.length + 1);
      scan(look.code, text, marks, pay, found);
      marks.push(found);
    }
    return scan(code, text, marks, pay);
  };

  /** Whether there is a match anywhere; with `found`, marks each place where one ends. */
  function scan({ backward, steps, operands }: Code, text: string, marks: readonly Uint8Array[], pay: Pay, found?: Uint8Array): boolean {
    pay(steps.length + SCAN_STEPS);
    // By state: one more than the last place where it was entered.
    const entered = new Int32Array(steps.length);
    // Entered at this place and yet to be looked at.
    const open = new Int32Array(steps.length);
    // Those at this place that wait for a character.
    const ready = new Int32Array(steps.length);
    let opened = 0;
    const enter = (state: number, at: number) => {
      if (entered[state] === at + 1) return;
      entered[state] = at + 1;
      open[opened++] = state;
    };
    for (let at = backward ? text.length : 0; ; ) {
      enter(0, at);
      let waiting = 0;
      let visits = 0;
      while (opened > 0) {
        const state = open[--opened]!;
        const operand = operands[state]!;
        visits++;
        switch (steps[state]) {
          case TAKE:
            ready[waiting++] = state;
            break;
          case FORK:
            enter(operand, at);
            enter(state + 1, at);
            break;
          case JUMP:
            enter(operand, at);
            break;
          case ASSERT:
            if (holds(ASSERTIONS[operand]!, text, at)) enter(state + 1, at);
            break;
          case LOOK:
            if (marks[operand]![at] !== looks[operand]!.unwanted) enter(state + 1, at);
            break;
          case MATCH:
            if (found === undefined) return true;
            found[at] = 1;
        }
      }
      pay(visits + waiting);
      if (at === (backward ? 0 : text.length)) return false;
      const character = backward ? before(text, at) : unicode ? text.codePointAt(at)! : text.charCodeAt(at);
      const width = character > 0xffff ? 2 : 1;
      at += backward ? -width : width;
      for (let index = 0; index < waiting; index++) {
        const state = ready[index]!;
        if (takes(sets[operands[state]!]!, character, pay)) enter(state + 1, at);
      }
    }
  }

  function before(text: string, at: number): number {
    const whole = unicode && at > 1 ? text.codePointAt(at - 2)! : 0;
    return whole > 0xffff ? whole : text.charCodeAt(at - 1);
  }
}

// What a state does: goes on past a character, to another state too, to another state alone, where something holds, or ends the match.
const TAKE = 0;
const FORK = 1;
const JUMP = 2;
const ASSERT = 3;
const LOOK = 4;
const MATCH = 5;

// What a scan costs before it takes a character, and what asking the engine for one does.
const SCAN_STEPS = 64;
const ENGINE_STEPS = 16;

const ASSERTIONS: readonly Assertion[] = ["start", "end", "boundary", "no boundary"];

interface Code {
  readonly backward: boolean;
  readonly steps: Uint8Array;
  readonly operands: Int32Array;
}

interface Look {
  readonly code: Code;
  /** The mark of places where it does not hold. */
  readonly unwanted: 0 | 1;
}

interface CharacterSet {
  /** First and last of each range, in order. */
  readonly ends: Int32Array;
  /** For what only the engine knows: Unicode properties. */
  readonly engine: RegExp | undefined;
  // The last answer: copies of a repetition ask about the same character one after the other.
  character: number;
  taken: boolean;
}

function characterSet({ set, property }: Term & { kind: "set" }): CharacterSet {
  const engine = property === undefined ? undefined : new RegExp(`^${property}$`, "u");
  return { ends: Int32Array.from(invert(invert(set)).flat()), engine, character: -1, taken: false };
}

function takes(set: CharacterSet, character: number, pay: Pay): boolean {
  if (set.character === character) return set.taken;
  if (set.engine !== undefined) pay(ENGINE_STEPS);
  set.character = character;
  if (set.engine !== undefined) return (set.taken = set.engine.test(String.fromCodePoint(character)));
  const { ends } = set;
  let low = 0;
  let high = ends.length;
  // The number of ends below the character; an odd one is inside a range.
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! < character) low = middle + 1;
    else high = middle;
  }
  return (set.taken = low % 2 === 1 || ends[low] === character);
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    default:
      return (isWord(text, at - 1) !== isWord(text, at)) === (assertion === "boundary");
  }
}

function isWord(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}
