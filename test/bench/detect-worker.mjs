// What finding personal data and secrets costs a character, beside JSON.parse of the same text. Says `{ name: { redact, secrets, parse } }` in nanoseconds
// of processor time, once it is told to begin.
import { SENSITIVE_TYPES } from "../../dist/library/detect/scan.js";
import { createRedactText } from "../../dist/library/redact-text.js";
import { createFindSecrets } from "../../dist/library/secrets/scan.js";

const MEASURED_MS = 300;
const ROUNDS = 5;
const CHARACTERS = 200_000;
const redactText = createRedactText({ types: SENSITIVE_TYPES, masks: new Map(SENSITIVE_TYPES.map((type) => [type, "[masked]"])), allow: new Set() });
const findSecrets = createFindSecrets();

const SAMPLES = {
  Plain: "The quick brown fox jumps over the lazy dog, and nobody minds. ",
  Numbers: "At 10:30 the 12 foxes jumped over 3 dogs (see section 4.1): nobody minded at all. ",
  Log: "2026-07-28T10:11:12.345Z INFO [worker-12] job 84512 done in 1532 ms, size=10485760 ",
  Json: '{"id":12,"name":"Widget number 12","status":"active","count":84,"updatedAt":"2026-07-28T10:11:12Z","tags":["red","small"]}, ',
  Addresses: "Write to bob@example.com or call +1 415 555 0123 before the end of the week, please. ",
};

function nanosecondsPerCharacter(run, characters) {
  const times = [];
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; ) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) * 1e3) / characters);
  }
  // The first ones run before the engine has compiled what is measured.
  const warm = times.slice(Math.floor(times.length / 2)).sort((left, right) => left - right);
  return warm[Math.floor(warm.length / 2)];
}

const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)];

process.on("message", () => {
  const found = {};
  for (const [name, sentence] of Object.entries(SAMPLES)) {
    const json = JSON.stringify(sentence.repeat(Math.ceil(CHARACTERS / sentence.length)));
    // As a message off the wire is: one flat string.
    const text = JSON.parse(json);
    const subjects = { parse: () => JSON.parse(json), redact: () => redactText(text), secrets: () => findSecrets(text) };
    const rounds = { parse: [], redact: [], secrets: [] };
    // By turns, so that what else the machine does hits all alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [subject, run] of Object.entries(subjects)) rounds[subject].push(nanosecondsPerCharacter(run, text.length));
    }
    found[name] = Object.fromEntries(Object.entries(rounds).map(([subject, values]) => [subject, median(values)]));
  }
  process.send(found);
});
process.send({ ready: true });
