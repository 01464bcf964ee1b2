import assert from "node:assert/strict";
import { test } from "node:test";
import { METHODS } from "../../src/core/wire/methods.ts";
import { judgeCase, loadCorpus } from "../support/message-corpus.ts";

const corpus = loadCorpus();

test("our validators judge each message of the corpus as expected, and say where it is wrong", () => {
  const wrong: string[] = [];
  for (const item of corpus) {
    const found = judgeCase(item);
    const fits = item.valid ? found === undefined : found !== undefined && (item.part.kind === "message" || found.path === item.at);
    if (!fits) wrong.push(`${item.id}: expected ${item.valid ? "valid" : `a problem at "${item.at}"`}, got ${JSON.stringify(found)}`);
  }
  assert.deepEqual(wrong, []);
});

test("the corpus is large, and half valid and half not within a third", () => {
  const valid = corpus.filter((item) => item.valid).length;
  assert.ok(corpus.length >= 450, String(corpus.length));
  assert.ok(valid > corpus.length / 3 && valid < (corpus.length * 2) / 3, `${valid} of ${corpus.length} are valid`);
});

test("no two messages of the corpus are the same, and each has a name of its own", () => {
  assert.equal(new Set(corpus.map(({ id }) => id)).size, corpus.length);
  const seen = new Map<string, string>();
  for (const { id, part } of corpus) {
    const text = JSON.stringify(part);
    assert.equal(seen.get(text), undefined, id);
    seen.set(text, id);
  }
});

test("the corpus has a valid and an invalid message for the params of every method, and for each result that has a shape", () => {
  const missing: string[] = [];
  for (const [method, { kind }] of METHODS) {
    const about = (part: string, valid: boolean) =>
      corpus.some((item) => item.valid === valid && item.part.kind === part && "method" in item.part && item.part.method === method);
    for (const valid of [true, false]) if (!about(kind, valid)) missing.push(`${method} ${kind} ${valid}`);
    if (kind === "request" && !about("result", true)) missing.push(`${method} result`);
  }
  assert.deepEqual(missing, []);
});
