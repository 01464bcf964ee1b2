import { seededRandom, type Random } from "../../support/random.ts";
import type { Detector, Sample } from "./sample.ts";
import { secretNegatives } from "./second-negatives.ts";
import type { Maker, Piece } from "./second-parts.ts";
import { personalNegatives } from "./second-pii-negatives.ts";
import { personalPositives } from "./second-pii.ts";
import { assignmentPositive, authorizationPositive, encodedPositive, entropyPositive, privateKeyPositive, urlPositive } from "./second-secrets.ts";
import { jwtPositive, providerNegative, providerPositive } from "./second-tokens.ts";

const positives: Readonly<Record<Detector, Maker>> = {
  ...personalPositives,
  "provider-token": providerPositive,
  "private-key": privateKeyPositive,
  jwt: jwtPositive,
  "url-password": urlPositive,
  authorization: authorizationPositive,
  assignment: assignmentPositive,
  "high-entropy": entropyPositive,
  encoded: encodedPositive,
};
const negatives: Readonly<Record<Detector, Maker>> = { ...personalNegatives, ...secretNegatives, "provider-token": providerNegative };

const eachWay = 300;

/** A text that was not there before. */
function fresh(random: Random, maker: Maker, seen: Set<string>): Piece {
  let piece = maker(random);
  while (seen.has(piece.text)) piece = maker(random);
  seen.add(piece.text);
  return piece;
}

/** Positives and negatives of each detector, written from the promises alone. */
export function* generate(seed: number): Iterable<Sample> {
  const random = seededRandom(seed);
  for (const detector of Object.keys(positives) as Detector[]) {
    const seen = new Set<string>();
    for (let count = 0; count < eachWay; count += 1) {
      yield { detector, ...fresh(random, positives[detector], seen) };
      yield { detector, ...fresh(random, negatives[detector], seen) };
    }
  }
}
