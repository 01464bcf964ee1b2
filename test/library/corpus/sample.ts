import { SENSITIVE_TYPES, createScanner } from "../../../src/library/detect/scan.ts";
import { createFindSecrets } from "../../../src/library/secrets/scan.ts";

export const PII_DETECTORS = ["email", "phone", "card", "iban", "ssn", "ip"] as const;
export const SECRET_DETECTORS = ["provider-token", "private-key", "jwt", "url-password", "authorization", "assignment", "high-entropy", "encoded"] as const;

export type Detector = (typeof PII_DETECTORS)[number] | (typeof SECRET_DETECTORS)[number];

export interface Sample {
  readonly detector: Detector;
  readonly text: string;
  /** The exact substrings that must not be seen; none in a negative. */
  readonly secrets: readonly string[];
}

export interface Score {
  positives: number;
  negatives: number;
  secrets: number;
  caught: number;
  matches: number;
  right: number;
  /** Texts in which something was missed, or found that is none; no more than a few. */
  readonly missed: string[];
  readonly wrong: string[];
}

const MOST_SHOWN = 50;

const pii = createScanner(SENSITIVE_TYPES);
const findSecrets = createFindSecrets();

/** What the detectors make of samples, by detector. */
export function measure(samples: Iterable<Sample>): Map<Detector, Score> {
  const scores = new Map<Detector, Score>();
  for (const { detector, text, secrets } of samples) {
    const score: Score = scores.get(detector) ?? { positives: 0, negatives: 0, secrets: 0, caught: 0, matches: 0, right: 0, missed: [], wrong: [] };
    scores.set(detector, score);
    if (secrets.length > 0) score.positives++;
    else score.negatives++;
    const isPii = PII_DETECTORS.some((name) => name === detector);
    const matches = isPii ? pii.find(text) : findSecrets(text);
    const places = secrets.map((secret) => ({ secret, at: occurrences(text, secret) }));
    for (const { secret, at } of places) {
      if (at.length === 0) throw new TypeError(`${detector}: ${JSON.stringify(secret)} is not in ${JSON.stringify(text)}`);
      score.secrets++;
      // What overlaps has been merged, so one match must hold all of it.
      const isCaught = at.every((start) => matches.some((match) => match.start <= start && match.end >= start + secret.length));
      if (isCaught) score.caught++;
      else if (score.missed.length < MOST_SHOWN) score.missed.push(`${secret} in ${text}`);
    }
    for (const match of matches) {
      score.matches++;
      const isRight = places.some(({ secret, at }) => at.some((start) => match.start < start + secret.length && match.end > start));
      if (isRight) score.right++;
      else if (score.wrong.length < MOST_SHOWN) score.wrong.push(`${match.type} ${text.slice(match.start, match.end)} in ${text}`);
    }
  }
  return scores;
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** Over several detectors. Nothing found is a precision of one, nothing to find a recall of one. */
export function rates(scores: Iterable<Score>): { readonly precision: number; readonly recall: number } {
  let [secrets, caught, matches, right] = [0, 0, 0, 0];
  for (const score of scores) {
    secrets += score.secrets;
    caught += score.caught;
    matches += score.matches;
    right += score.right;
  }
  return { precision: matches === 0 ? 1 : right / matches, recall: secrets === 0 ? 1 : caught / secrets };
}
