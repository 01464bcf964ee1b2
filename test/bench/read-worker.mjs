// What strict reading of JSON and a check against a schema cost, beside JSON.parse of the same text. Says `{ name: { parse, scan, schema } }` in
// nanoseconds of processor time for a character, once it is told to begin.
import assert from "node:assert/strict";
import { compileSchema } from "mcp-interceptors";
import { MESSAGE_CASE_PLACES, scanJson } from "../../dist/core/base/json-text.js";
import { paramsOf } from "./curve-message.mjs";

const MEASURED_MS = 100;
const ROUNDS = 7;
const CHARACTERS = 200_000;

const text = { type: "string", minLength: 1, maxLength: 10_000 };
const integer = { type: "integer", minimum: 0 };
const ROW = {
  type: "object",
  properties: { id: integer, name: text, status: { enum: ["active", "gone"] }, count: integer, ratio: { type: "number" }, tags: { type: "array", items: text, maxItems: 10 } },
  required: ["id", "name", "status", "tags"],
  additionalProperties: false,
};
const PROSE = "The quick brown fox jumps over the lazy dog, and \"nobody\" minds, \n as foxes do. ";

const listOf = (sized) => Array.from({ length: Math.floor(CHARACTERS / JSON.stringify(sized(0)).length) }, (_, at) => sized(at));
const SAMPLES = {
  Rows: { value: paramsOf(CHARACTERS).arguments.rows, items: ROW },
  Prose: { value: listOf((at) => `${at} ${PROSE.repeat(20)}`), items: text },
  Numbers: { value: listOf((at) => (at * 7919) % 100_003), items: integer },
};

function nanosecondsPerCharacter(run, characters) {
  const times = [];
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; ) {
    const before = process.cpuUsage();
    for (let again = 0; again < 5; again++) run();
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) * 200) / characters);
  }
  return times.sort((left, right) => left - right)[times.length >> 1];
}

process.on("message", () => {
  const found = {};
  for (const [name, { value, items }] of Object.entries(SAMPLES)) {
    const json = JSON.stringify(value);
    const schema = compileSchema({ type: "array", items });
    assert.equal(schema.check(value), undefined);
    assert.equal(scanJson(json).refusal, undefined);
    const subjects = { parse: () => JSON.parse(json), scan: () => scanJson(json, { caseVariants: MESSAGE_CASE_PLACES }), schema: () => schema.check(value) };
    const rounds = { parse: [], scan: [], schema: [] };
    // By turns, so that what else the machine does hits all alike. The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [subject, run] of Object.entries(subjects)) {
        const time = nanosecondsPerCharacter(run, json.length);
        if (round > 0) rounds[subject].push(time);
      }
    }
    found[name] = Object.fromEntries(Object.entries(rounds).map(([subject, values]) => [subject, values.sort((left, right) => left - right)[values.length >> 1]]));
  }
  process.send(found);
});
process.send({ ready: true });
