import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import { createStates, missingKey, readScope, scopeSchema, scopesIn } from "../../src/library/state.ts";

const counting = (scope: "session" | "principal" | "global", maxKeys?: number) => createStates({ owner: "x", scope, create: () => ({ seen: 0 }), ...(maxKeys === undefined ? {} : { maxKeys }) });

test("keeps one state for each session, and one for all under the scope global", () => {
  const bySession = counting("session");
  assert.equal(bySession.of({ sessionId: "a" }), bySession.of({ sessionId: "a" }));
  assert.notEqual(bySession.of({ sessionId: "a" }), bySession.of({ sessionId: "b" }));
  const global = counting("global");
  assert.equal(global.of({ sessionId: "a" }), global.of({}));
});

test("falls back to the principal where there is no session, told apart by type, issuer and id", () => {
  const states = counting("session");
  const ada = { principal: { type: "user" as const, id: "ada", claims: { iss: "one" } } };
  assert.equal(states.of(ada), states.of(structuredClone(ada)));
  assert.notEqual(states.of(ada), states.of({ principal: { ...ada.principal, claims: { iss: "two" } } }));
  assert.notEqual(states.of(ada), states.of({ principal: { ...ada.principal, type: "service" } }));
  assert.notEqual(states.of({ sessionId: 'principal ["user",null,"ada"]' }), states.of({ principal: { type: "user", id: "ada" } }));
});

test("fails where the context says nobody, rather than to begin anew with each message", () => {
  const refused = (error: unknown) => error instanceof LocalError && error.code === "refused" && error.message.includes('"scope": "global"');
  assert.throws(() => counting("session").of({}), refused);
  assert.throws(() => counting("session").of({ principal: { type: "user" } }), refused);
  assert.throws(() => counting("session").of({ principal: { type: "anonymous", id: "x" } }), refused);
  assert.throws(() => counting("principal").of({ sessionId: "a" }), refused);
});

test("forgets whoever was longest away once there are too many", () => {
  const states = counting("session", 2);
  const a = states.of({ sessionId: "a" });
  const b = states.of({ sessionId: "b" });
  states.of({ sessionId: "a" });
  states.of({ sessionId: "c" });
  assert.equal(states.size, 2);
  assert.equal(states.of({ sessionId: "a" }), a);
  assert.notEqual(states.of({ sessionId: "b" }), b);
});

test("reads a scope, and names the ones that there are for another", () => {
  assert.equal(readScope(undefined, "x"), "session");
  assert.equal(readScope(undefined, "x", ["principal", "global"]), "principal");
  assert.throws(() => readScope("session", "x", ["principal", "global"]), /config of x: scope must be one of "principal", "global"/);
});

test("says in a failure what is missing, and of another scope only where the config has one", () => {
  const failureOf = (states: { of(context: object): unknown }) => {
    try {
      return String(states.of({}));
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  assert.equal(missingKey(failureOf(counting("session"))), "sessionId or principal");
  assert.equal(missingKey(failureOf(counting("principal"))), "principal");
  assert.equal(missingKey("it keeps state by principal"), undefined);
  const fixed = failureOf(createStates({ owner: "x", scope: "session", fixed: true, create: () => ({}) }));
  assert.equal(missingKey(fixed), "sessionId or principal");
  assert.doesNotMatch(fixed, /global/);
});

test("knows the scopes that a config may have", () => {
  assert.deepEqual(scopesIn({ properties: { scope: scopeSchema } }), ["session", "principal", "global"]);
  assert.deepEqual(scopesIn({ properties: { scope: { enum: ["global", "principal"] } } }), ["principal", "global"]);
  for (const none of [{}, { properties: {} }, { properties: { scope: { type: "string" } } }]) assert.deepEqual(scopesIn(none), []);
});
