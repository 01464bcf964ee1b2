import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { fixtureServerVerb } from "../../src/cli/fixture-server.ts";
import { listenHandler } from "../../src/node/http-handler.ts";

const refuses = (words: readonly string[], message: RegExp) =>
  assert.rejects(fixtureServerVerb.run(words), (thrown) => {
    assert.ok(thrown instanceof UsageError, String(thrown));
    assert.match(thrown.message, message);
    return true;
  });

test("a port that is none, one that is taken, and other words are refused", async () => {
  for (const port of ["-1", "65536", "80a", "1e3", "http://localhost"]) await refuses([`--http=${port}`], /^--http must be a port from 0 to 65535/);
  await refuses(["--http="], /^--http is empty/);
  await refuses(["--http"], /^--http needs a value/);
  await refuses(["stdio"], /^unexpected "stdio"/);
  await refuses(["--", "x"], /^unexpected "x"/);
  const taken = await listenHandler(() => Promise.resolve({ status: 204, headers: [] }));
  // The word is right, and what is asked for fails all the same.
  await assert.rejects(fixtureServerVerb.run(["--http", String(taken.port)]), (thrown) => thrown instanceof LocalError && /^--http \d+: .*EADDRINUSE/.test(thrown.message));
  await taken.close();
});
