// What redaction costs a character beside JSON.parse of the same text. Says `{ name: { redact, parse } }` in nanoseconds, the best of the rounds, once it
// is told to begin.
import { SENSITIVE_TYPES } from "../../dist/library/detect/scan.js";
import { createRedactText } from "../../dist/library/redact-text.js";

const ROUNDS = 15;
const CHARACTERS = 200_000;
const redactText = createRedactText({ types: SENSITIVE_TYPES, masks: new Map(SENSITIVE_TYPES.map((type) => [type, "[masked]"])), allow: new Set() });

const SAMPLES = {
  Plain: "The quick brown fox jumps over the lazy dog, and nobody minds. ",
  Numbers: "At 10:30 the 12 foxes jumped over 3 dogs (see section 4.1): nobody minded at all. ",
  Log: "2026-07-28T10:11:12.345Z INFO [worker-12] job 84512 done in 1532 ms, size=10485760 ",
  Addresses: "Write to bob@example.com or call +1 415 555 0123 before the end of the week, please. ",
};

function nanosecondsPerCharacter(run, characters) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    run();
    best = Math.min(best, ((performance.now() - started) * 1e6) / characters);
  }
  return best;
}

process.on("message", () => {
  const found = {};
  for (const [name, sentence] of Object.entries(SAMPLES)) {
    const json = JSON.stringify(sentence.repeat(Math.ceil(CHARACTERS / sentence.length)));
    // As a message off the wire is: one flat string.
    const text = JSON.parse(json);
    const parse = nanosecondsPerCharacter(() => JSON.parse(json), text.length);
    found[name] = { parse, redact: nanosecondsPerCharacter(() => redactText(text), text.length) };
  }
  process.send(found);
});
process.send({ ready: true });
