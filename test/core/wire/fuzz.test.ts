import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveLimits } from "../../../src/core/base/limits.ts";
import type { Problem } from "../../../src/core/wire/check.ts";
import { decodeFrame, encodeFrame } from "../../../src/core/wire/frame.ts";
import {
  checkErrorMessage, checkErrorObject, checkNotificationMessage, checkRequestMessage, checkResultMessage,
} from "../../../src/core/wire/gen/json-rpc.ts";
import { classify, isRequestId, type Classified } from "../../../src/core/wire/message.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 20260728;

const CHECKS: Record<Exclude<Classified["kind"], "invalid">, (value: unknown) => Problem | undefined> = {
  request: checkRequestMessage,
  notification: checkNotificationMessage,
  result: checkResultMessage,
  error: checkErrorMessage,
};

const SCALARS: readonly unknown[] = [
  null, true, false, undefined, 0, -0, 1, 1.5, 2 ** 53, -1e300, "", "2.0", "tools/call", "\u2028\n\"\\", "__proto__",
];
const MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data", "__proto__", "constructor", "Id"];

function randomValue(random: Random, depth: number): unknown {
  const roll = random.next();
  if (depth === 0 || roll < 0.5) return random.pick(SCALARS);
  if (roll < 0.65) return Array.from({ length: random.below(3) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.pick(MEMBERS), randomValue(random, depth - 1)]));
}

/** A valid message with none to a few members replaced, dropped or added. */
function randomMessage(random: Random): unknown {
  const id = random.pick([0, 1, "a", -5]);
  const base: Record<string, unknown> = {
    ...random.pick<Record<string, unknown>>([
      { jsonrpc: "2.0", id, method: "tools/call", params: { name: "x" } },
      { jsonrpc: "2.0", id, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/progress", params: {} },
      { jsonrpc: "2.0", id, result: { content: [] } },
      { jsonrpc: "2.0", id, error: { code: -32603, message: "m" } },
    ]),
  };
  for (let changes = random.below(3); changes > 0; changes--) {
    const member = random.pick(MEMBERS.slice(0, 6));
    if (random.next() < 0.4) delete base[member];
    else base[member] = randomValue(random, 2);
  }
  return random.next() < 0.03 ? [base] : base;
}

test("every value gets exactly one outcome, and what is called valid satisfies the validator of its kind", () => {
  const random = seededRandom(SEED);
  const seen = new Map<string, number>();
  for (let round = 0; round < 10_000; round++) {
    const value = random.next() < 0.8 ? randomMessage(random) : randomValue(random, 3);
    const classified = classify(value);
    const told = `seed ${SEED}, round ${round}: ${JSON.stringify(value)}`;
    seen.set(classified.kind, (seen.get(classified.kind) ?? 0) + 1);
    const fitting = Object.entries(CHECKS).filter(([, check]) => check(value) === undefined).map(([kind]) => kind);
    if (classified.kind === "invalid") {
      assert.deepEqual(fitting, [], told);
      assert.equal(checkErrorObject(classified.error), undefined, told);
      assert.ok(classified.id === undefined || isRequestId(classified.id), told);
    } else {
      assert.deepEqual(fitting, [classified.kind], told);
      assert.equal(classified.message, value, told);
    }
  }
  for (const kind of [...Object.keys(CHECKS), "invalid"]) assert.ok((seen.get(kind) ?? 0) > 200, `${kind} came up ${seen.get(kind)} times`);
});

const FRAGMENTS = [
  "", "{", "}", "[", "]", '"', ",", ":", "\\", "\n", "\u2028", "0", '"id":1,', '"id":2,', '"ID":3,', "\ud800", "😀",
];

/** Cuts, doubles, swaps and inserts at random places of a text. */
function mutateText(text: string, random: Random): string {
  let mutated = text;
  for (let changes = random.below(4); changes > 0; changes--) {
    const at = random.below(mutated.length + 1);
    const length = random.below(6);
    const insert = random.pick([...FRAGMENTS, mutated.slice(at, at + 12)]);
    mutated = mutated.slice(0, at) + insert + mutated.slice(at + length);
  }
  return mutated;
}

test("every text gets a frame or a refusal, never a throw, and a frame is written back as one line of the same message", () => {
  const random = seededRandom(SEED);
  const limits = resolveLimits({ maxDepth: 5, maxMessageBytes: 150 });
  const counts = { frames: 0, syntax: 0, other: 0 };
  for (let round = 0; round < 10_000; round++) {
    const text = mutateText(JSON.stringify(randomMessage(random)), random);
    const told = `seed ${SEED}, round ${round}: ${text}`;
    const { frame, invalid } = decodeFrame(text, limits);
    assert.notEqual(frame === undefined, invalid === undefined, told);
    if (invalid !== undefined) {
      assert.equal(checkErrorObject(invalid.error), undefined, told);
      assert.ok(invalid.id === undefined || isRequestId(invalid.id), told);
      const syntax = invalid.error.code === -32700;
      assert.ok(syntax || invalid.error.code === -32600, told);
      if (syntax) counts.syntax++;
      else counts.other++;
    } else if (frame !== undefined) {
      counts.frames++;
      const line = encodeFrame(frame);
      assert.doesNotMatch(line, /[\n\r]/, told);
      assert.deepEqual(JSON.parse(line), frame.message, told);
    }
  }
  for (const [outcome, count] of Object.entries(counts)) assert.ok(count > 500, `${outcome} came up ${count} times`);
});

test("a refused text gives the id that the platform's parser sees, where it has one id", () => {
  const random = seededRandom(SEED + 1);
  let ids = 0;
  for (let round = 0; round < 10_000; round++) {
    const value = randomMessage(random);
    const text = JSON.stringify(value);
    const { invalid } = decodeFrame(text, resolveLimits({ maxMessageBytes: 1 }));
    const parsed = JSON.parse(text) as { id?: unknown };
    const expected = !Array.isArray(parsed) && Object.hasOwn(parsed, "id") && isRequestId(parsed.id) ? parsed.id : undefined;
    assert.equal(invalid?.id, expected, `seed ${SEED + 1}, round ${round}: ${text}`);
    if (expected !== undefined) ids++;
  }
  assert.ok(ids > 1_000);
});
