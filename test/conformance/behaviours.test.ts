import assert from "node:assert/strict";
import { test } from "node:test";
import { fixtureInterceptor } from "../../src/conformance/behaviours.ts";
import type { FixtureDeclaration } from "../../src/conformance/vector.ts";
import { fakeHost } from "../support/fake-host.ts";
import { vectors, vectorSchema } from "./vectors.ts";

const declaration = (word: string, type: FixtureDeclaration["type"] = "validation"): FixtureDeclaration => ({
  name: "x",
  type,
  hooks: [{ events: ["*"], phase: "request" }],
  behaviour: { do: word, path: "/a", value: 1, equals: 1, ms: 1, then: { do: "throw" }, severities: [], result: {}, code: 1, message: "" },
});

const { $defs } = vectorSchema as { $defs: { Behaviour: { properties: { do: { enum: string[] } } } } };
const WORDS = $defs.Behaviour.properties.do.enum;

test("each word of the schema is one of the vocabulary, and some vector uses it", () => {
  const text = JSON.stringify(vectors);
  for (const word of WORDS) {
    const made = (["validation", "mutation"] as const).filter((type) => {
      try {
        return fixtureInterceptor(declaration(word, type), { host: fakeHost() }) !== undefined;
      } catch {
        return false;
      }
    });
    assert.ok(made.length > 0, word);
    assert.ok(text.includes(`"do":"${word}"`), `no vector uses ${word}`);
  }
});

test("a word that is not in the vocabulary is refused, within slow too", () => {
  for (const behaviour of [{ do: "explode" }, { do: "constructor" }, { do: "slow", ms: 1, then: { do: "explode" } }]) {
    assert.throws(() => fixtureInterceptor({ ...declaration("allow"), behaviour }, { host: fakeHost() }), { code: "invalid_argument" });
  }
  assert.throws(() => fixtureInterceptor(declaration("upper"), { host: fakeHost() }), { code: "invalid_argument" });
});
