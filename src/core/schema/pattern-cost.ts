import { parsePattern, type CodePoints, type Term } from "./pattern-syntax.ts";

/** Steps that a backtracking engine may take on a text of this many UTF-16 units: an upper bound, often far too high. */
export type Estimate = (length: number) => number;

const MAX_POSITIONS = 1_000;
const MAX_COMPARISONS = 300_000;
// For what is not understood; such patterns do not come about by accident.
const UNKNOWN_BASE = 8;
// More alternatives by the product of all choices: taken for exponential.
const MAX_WAYS = 1_000;

/**
 * Estimates a pattern without running it.
 *
 * - Where at each point one way at most can go on (the automaton of the pattern is deterministic, no edge comes from two
 *   loops), backtracking finds nothing to retry: one pass, or where the match may start anywhere, failed loops from each start.
 * - Else, while no loop holds a loop or a choice: every loop may try every length, so the product of their ranges.
 * - Else exponential, so only short texts pass: every character may multiply the ways by the greatest number of ways on.
 *
 * Counted repetition is a loop with that range; lookarounds and backreferences count as not deterministic; what the parser does not
 * understand is exponential. Sets are compared exactly, so `^[a-z]+(-[a-z]+)*$` is linear and `(a+)+$` is not.
 */
export function estimatePattern(source: string, unicode = true): Estimate {
  const term = parsePattern(source, unicode);
  if (term === undefined) return exponential(UNKNOWN_BASE);
  const { ranges, copies, ways, entangled } = measure(term);
  const branching = countBranches(term);
  const anchored = anchoredAtStart(term);
  if (branching === 1) {
    const range = anchored ? 1 : ranges.reduce((product, next) => product * (next + 1), copies);
    return (length) => (length + 1) * Math.min(length + 1, range);
  }
  if (entangled || ways > MAX_WAYS) return exponential(branching ?? ways * (1 + ranges.length));
  // Engines look for `^` at every place, so an anchored pattern still costs a pass.
  return (length) => length + ranges.reduce((product, range) => product * (Math.min(length, range) + 1), ways * copies * (anchored ? 1 : length + 1));
}

function exponential(base: number): Estimate {
  return (length) => base ** length;
}

interface Shape {
  /** Greatest counts of the loops. */
  readonly ranges: number[];
  /** Of what is repeated a fixed number of times, which a search does at each start. */
  copies: number;
  /** Ways through the choices. */
  ways: number;
  /** A loop holds a loop or a choice. */
  entangled: boolean;
}

function measure(whole: Term): Shape {
  const shape: Shape = { ranges: [], copies: 1, ways: 1, entangled: false };
  const visit = (term: Term, inLoop: boolean): void => {
    switch (term.kind) {
      case "choice":
        shape.ways *= term.terms.length;
        shape.entangled ||= inLoop;
        return term.terms.forEach((part) => visit(part, inLoop));
      case "sequence":
        return term.terms.forEach((part) => visit(part, inLoop));
      case "look":
        return visit(term.body, inLoop);
      case "back":
        shape.ranges.push(Infinity);
        shape.entangled ||= inLoop;
        return;
      case "loop": {
        const { body, max } = term;
        if (isExact(term)) {
          shape.copies *= Math.max(max, 1);
          return visit(body, inLoop);
        }
        shape.entangled ||= inLoop;
        if (max > 1) shape.ranges.push(max);
        else shape.ways *= 2;
        visit(body, inLoop || max > 1);
      }
    }
  };
  visit(whole, false);
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
    case "back":
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

// Positions of a term where its texts may begin and end, after Glushkov.
interface Ends {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** The most ways on at one character of the automaton; undefined where it does not show them all. */
function countBranches(term: Term): number | undefined {
  const sets: CodePoints[] = [];
  const follow: number[][] = [];
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
    const body = build(term.body);
    if (term.max > 1 && !isExact(term)) {
      if (body.nullable) vague = true;
      connect(body.last, body.first);
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
  return vague || comparisons > MAX_COMPARISONS ? undefined : branching;
}

const EMPTY: Ends = { nullable: true, first: [], last: [] };
