/**
 * The known word that is nearest to a wrong one, if any is near enough to be meant: at most a third of its letters are wrong, missing or too
 * many; two that have changed places count once.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance && distance <= Math.max(1, Math.floor(candidate.length / 3))) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The hint for a wrong word: the nearest that is known as a question, or something else where none is near. */
export function didYouMean<Else extends string | undefined>(word: string, known: Iterable<string>, otherwise: Else): string | Else {
  const meant = nearest(word, known);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}

function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swap = swapped ? (beforePrevious[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(substitution, swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
