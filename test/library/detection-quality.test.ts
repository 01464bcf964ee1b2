// About src/library/detect/ and src/library/secrets/ together: how much of what they should find they find, over generated texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CORPORA } from "./corpus/corpora.ts";
import { measure, PII_DETECTORS, rates, SECRET_DETECTORS } from "./corpus/sample.ts";

const SEED = 1;

for (const [name, generate] of CORPORA) {
  const scores = measure(generate(SEED));
  const of = (detectors: readonly string[]) => [...scores].filter(([detector]) => detectors.includes(detector)).map(([, score]) => score);

  test(`the ${name} corpus has 200 positives and 200 negatives or more for each detector`, () => {
    const few = [...PII_DETECTORS, ...SECRET_DETECTORS].filter((detector) => {
      const { positives = 0, negatives = 0 } = scores.get(detector) ?? {};
      return positives < 200 || negatives < 200;
    });
    assert.deepEqual(few, []);
  });

  for (const [what, detectors] of [["personal data", PII_DETECTORS], ["secrets", SECRET_DETECTORS]] as const) {
    test(`of the ${what} in the ${name} corpus 97 in 100 are masked, and 99 in 100 of what is masked are rightly so`, () => {
      const { precision, recall } = rates(of(detectors));
      const examples = of(detectors).flatMap(({ missed, wrong }) => [...missed.slice(0, 3), ...wrong.slice(0, 3)]);
      assert.ok(recall >= 0.97, `recall ${recall}: ${examples.join("\n")}`);
      assert.ok(precision >= 0.99, `precision ${precision}: ${examples.join("\n")}`);
    });
  }
}

test("the same seed makes the same texts", () => {
  for (const [, generate] of CORPORA) assert.deepEqual([...generate(7)].slice(0, 500), [...generate(7)].slice(0, 500));
});
