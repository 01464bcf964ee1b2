import { parsePattern, type CodePoints, type Term } from "./pattern-syntax.ts";

/** Steps that a backtracking engine may take on a text of this many UTF-16 units: an upper bound, often far too high. */
export type Estimate = (length: number) => number;

const MAX_POSITIONS = 1_000;
const MAX_COMPARISONS = 300_000;
// For what is not understood; such patterns do not come about by accident.
const UNKNOWN_BASE = 8;
// More alternatives by the product of all choices outside loops: taken for exponential.
const MAX_FACTOR = 1_000;

/**
 * Estimates a pattern without running it.
 *
 * - Where at each point one way at most can go on (the automaton of the pattern is deterministic, no edge comes from two
 *   loops), backtracking finds nothing to retry: one pass, or where the match may start anywhere, one pass from each start.
 * - Else, while no loop holds a loop or a choice: every loop may try every length, so the product of their ranges.
 * - Else exponential, so only short texts pass: every character may multiply the ways by the greatest number of ways on.
 *
 * Counted repetition is a loop with that range; lookarounds and backreferences count as not deterministic; what the parser does not
 * understand is exponential. Sets are compared exactly, so `^[a-z]+(-[a-z]+)*$` is linear and `(a+)+$` is not.
 */
export function estimatePattern(source: string): Estimate {
  const term = parsePattern(source);
  if (term === undefined) return exponential(UNKNOWN_BASE);
  const shape = measure(term);
  const automaton = buildAutomaton(term);
  const starts = anchoredAtStart(term) ? 0 : 1;
  if (automaton.branching === 1) {
    // Once in a loop that may end the match at any point, a search succeeds: a start costs a failed loop at most once.
    const searches = starts === 1 && shape.ranges.length > 0 && !(automaton.loopsAccept && !shape.asserts);
    const range = shape.ranges.reduce((product, next) => product * (next + 1), 1);
    return (length) => (length + 1) * (searches ? Math.min(length + 1, range) : 1);
  }
  if (shape.entangled || shape.factor > MAX_FACTOR) return exponential(automaton.branching ?? shape.ways * (1 + shape.loops));
  // Engines look for `^` at every place, so an anchored pattern still costs a pass.
  return (length) =>
    length + shape.ranges.reduce((product, range) => product * (Math.min(length, range) + 1), shape.factor * (length + 1) ** starts);
}

function exponential(base: number): Estimate {
  return (length) => base ** length;
}

interface Shape {
  /** Greatest counts of the loops. */
  readonly ranges: number[];
  /** Ways through the choices outside loops. */
  factor: number;
  /** Ways through the choices inside loops. */
  ways: number;
  loops: number;
  /** A loop holds a loop or a choice. */
  entangled: boolean;
  /** Something besides characters must hold: `$`, `\b`, a lookaround. */
  asserts: boolean;
}

function measure(term: Term): Shape {
  const shape: Shape = { ranges: [], factor: 1, ways: 1, loops: 0, entangled: false, asserts: false };
  const visit = (term: Term, inLoop: boolean): void => {
    switch (term.kind) {
      case "set":
        return;
      case "empty":
        if (term.assertion === "other") shape.asserts = true;
        return;
      case "sequence":
        for (const part of term.terms) visit(part, inLoop);
        return;
      case "choice":
        if (inLoop) {
          shape.entangled = true;
          shape.ways *= term.terms.length;
        } else {
          shape.factor *= term.terms.length;
        }
        for (const part of term.terms) visit(part, inLoop);
        return;
      case "look":
        shape.asserts = true;
        visit(term.body, inLoop);
        return;
      case "back":
        shape.asserts = true;
        shape.ranges.push(Infinity);
        if (inLoop) shape.entangled = true;
        return;
      case "loop":
        visitLoop(term, inLoop);
    }
  };
  const visitLoop = (loop: Term & { kind: "loop" }, inLoop: boolean) => {
    if (isExact(loop)) return visit(loop.body, inLoop);
    if (inLoop) shape.entangled = true;
    if (loop.max <= 1) {
      if (inLoop) shape.ways *= 2;
      else shape.factor *= 2;
      return visit(loop.body, inLoop);
    }
    shape.loops++;
    shape.ranges.push(loop.max);
    visit(loop.body, true);
  };
  visit(term, false);
  return shape;
}

/** A fixed count of something without choices leaves nothing to retry. */
function isExact(loop: Term & { kind: "loop" }): boolean {
  return loop.min === loop.max && isRigid(loop.body);
}

function isRigid(term: Term): boolean {
  switch (term.kind) {
    case "set":
    case "empty":
      return true;
    case "sequence":
      return term.terms.every(isRigid);
    case "loop":
      return isExact(term);
    default:
      return false;
  }
}

function anchoredAtStart(term: Term): boolean {
  switch (term.kind) {
    case "empty":
      return term.assertion === "start";
    case "sequence":
      return term.terms[0] !== undefined && anchoredAtStart(term.terms[0]);
    case "choice":
      return term.terms.every(anchoredAtStart);
    default:
      return false;
  }
}

interface Automaton {
  /** The most ways on at one character; undefined where the automaton does not show them all. */
  readonly branching: number | undefined;
  /** Whether the match may end after each character that stands in a loop. */
  readonly loopsAccept: boolean;
}

// Positions of a term where its texts may begin and end, after Glushkov.
interface Ends {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

function buildAutomaton(term: Term): Automaton {
  const sets: CodePoints[] = [];
  const follow: number[][] = [];
  const looped = new Set<number>();
  // Ways that take no character, or are not modelled: lookarounds, backreferences, patterns past the bounds.
  let vague = false;
  let comparisons = 0;

  // Two ways to the same position count as two: `(a+)+` differs from `a+` in nothing else.
  const connect = (from: readonly number[], to: readonly number[]) => {
    comparisons += from.length * to.length;
    if (comparisons > MAX_COMPARISONS) vague = true;
    if (!vague) for (const position of from) follow[position]?.push(...to);
  };

  const build = (term: Term): Ends => {
    if (vague) return EMPTY;
    switch (term.kind) {
      case "set": {
        if (sets.length >= MAX_POSITIONS) vague = true;
        const position = sets.push(term.set) - 1;
        follow.push([]);
        return { nullable: false, first: [position], last: [position] };
      }
      case "empty":
        return EMPTY;
      case "sequence":
        return term.terms.reduce<Ends>((left, part) => join(left, build(part)), EMPTY);
      case "choice": {
        const ends = term.terms.map(build);
        if (ends.filter((end) => end.nullable).length > 1) vague = true;
        return { nullable: ends.some((end) => end.nullable), first: ends.flatMap((end) => end.first), last: ends.flatMap((end) => end.last) };
      }
      case "loop":
        return loop(term);
      default:
        vague = true;
        return EMPTY;
    }
  };

  const join = (left: Ends, right: Ends): Ends => {
    connect(left.last, right.first);
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
    };
  };

  const loop = (term: Term & { kind: "loop" }): Ends => {
    const before = sets.length;
    const body = build(term.body);
    if (term.max > 1 && !isExact(term)) {
      if (body.nullable) vague = true;
      connect(body.last, body.first);
      for (let position = before; position < sets.length; position++) looped.add(position);
    }
    return { ...body, nullable: body.nullable || term.min === 0 };
  };

  const whole = build(term);
  // Past the budget the answer does not count any more.
  const overlap = (left: CodePoints = [], right: CodePoints = []) => {
    comparisons += left.length * right.length + 1;
    return comparisons > MAX_COMPARISONS || left.some(([low, high]) => right.some(([from, to]) => low <= to && from <= high));
  };
  // Ways that share a character with one of them, at least as many as share one character.
  const branchingOf = (next: readonly number[]) =>
    next.reduce((most, one) => Math.max(most, next.reduce((count, other) => count + (overlap(sets[one], sets[other]) ? 1 : 0), 0)), 1);
  let branching = 1;
  for (const next of [whole.first, ...follow]) {
    if (vague || comparisons > MAX_COMPARISONS) break;
    branching = Math.max(branching, branchingOf(next));
  }
  const accepting = new Set(whole.last);
  const shown = !vague && comparisons <= MAX_COMPARISONS;
  return { branching: shown ? branching : undefined, loopsAccept: [...looped].every((position) => accepting.has(position)) };
}

const EMPTY: Ends = { nullable: true, first: [], last: [] };
