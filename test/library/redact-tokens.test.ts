import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import type { Phase } from "../../src/core/wire/gen/interceptors.ts";
import { redact } from "../../src/library/redact.ts";
import { createTokenMap } from "../../src/library/redact-tokens.ts";
import { decided } from "./invoke.ts";

const MAIL = "bob@example.com";

function run(interceptor: Interceptor, event: string, phase: Phase, payload: unknown, sessionId = "one"): unknown {
  return decided(interceptor, { event, phase, payload, context: { sessionId } })["payload"];
}

const answer = (text: string) => ({ content: [{ type: "text", text }] });
const call = (value: unknown) => ({ name: "send", arguments: { to: value } });

test("gives the same value the same token, and puts it back in the arguments of a call", () => {
  const guard = redact({ tokens: true });
  assert.deepEqual(run(guard, "tools/call", "response", answer(`${MAIL}, 10.0.0.1, amy@example.com, ${MAIL}`)), answer("[EMAIL_1], [IP_1], [EMAIL_2], [EMAIL_1]"));
  assert.deepEqual(run(guard, "resources/read", "response", { contents: [{ uri: "x:y", text: MAIL }] }), { contents: [{ uri: "x:y", text: "[EMAIL_1]" }] });
  assert.deepEqual(run(guard, "tools/call", "request", call(["Hi [EMAIL_2]", { "[IP_1]": "[EMAIL_1]" }])), call(["Hi amy@example.com", { "10.0.0.1": MAIL }]));
  assert.deepEqual(run(guard, "prompts/get", "request", call("[EMAIL_1]")), call(MAIL));
});

test("puts a number back as a number where its token is the whole value, and as text within one", () => {
  const guard = redact({ tokens: true });
  const card = 4111111111111111;
  const structuredContent = { card, text: "5500005555555559" };
  const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
  const masked = { card: "[CARD_1]", text: "[CARD_2]" };
  assert.deepEqual(run(guard, "tools/call", "response", { content, structuredContent }), { content: [{ type: "text", text: JSON.stringify(masked) }], structuredContent: masked });
  const sent = call(["[CARD_1]", { "[CARD_1]": "[CARD_1]" }, "pay with [CARD_1]", "[CARD_2]"]);
  assert.deepEqual(run(guard, "tools/call", "request", sent), call([card, { [card]: card }, `pay with ${card}`, "5500005555555559"]));
});

test("puts values back in arguments alone, and in no other request or answer", () => {
  const guard = redact({ tokens: true });
  run(guard, "tools/call", "response", answer(MAIL));
  const request = { name: "[EMAIL_1]", arguments: { a: 1 }, _meta: { "com.example/x": "[EMAIL_1]" } };
  assert.deepEqual(run(guard, "tools/call", "request", request), request);
  const sampling = { messages: [{ role: "user", content: { type: "text", text: "ask [EMAIL_1]" } }], maxTokens: 5 };
  assert.doesNotMatch(JSON.stringify(run(guard, "sampling/createMessage", "request", sampling)), /bob@/);
  assert.doesNotMatch(JSON.stringify(run(guard, "elicitation/create", "response", { action: "accept", content: { mail: "[EMAIL_1]" } })), /bob@/);
});

test("knows the tokens of a session in that session alone, and leaves a forged one as it is", () => {
  const guard = redact({ tokens: true });
  run(guard, "tools/call", "response", answer(MAIL), "one");
  run(guard, "tools/call", "response", answer("amy@example.com"), "two");
  assert.deepEqual(run(guard, "tools/call", "request", call("[EMAIL_1]"), "two"), call("amy@example.com"));
  assert.deepEqual(run(guard, "tools/call", "request", call("[EMAIL_1]"), "three"), call("[EMAIL_1]"));
  assert.deepEqual(run(guard, "tools/call", "request", call("[EMAIL_9] [CARD_1]"), "one"), call("[EMAIL_9] [CARD_1]"));
});

test("does not let a server write a token that stands for something else", () => {
  const guard = redact({ tokens: true });
  assert.deepEqual(run(guard, "tools/call", "response", answer(`say [EMAIL_1] to ${MAIL}`)), answer("say [TEXT_1] to [EMAIL_1]"));
  assert.deepEqual(run(guard, "tools/call", "request", call("[TEXT_1]")), call("[EMAIL_1]"));
});

test("fails where it cannot tell whose a message is", () => {
  assert.throws(() => decided(redact({ tokens: true }), { event: "tools/call", phase: "response", payload: answer(MAIL) }), { code: -32603 });
  const principal = { type: "user", id: "ann" } as const;
  assert.deepEqual(decided(redact({ tokens: true }), { event: "tools/call", phase: "response", payload: answer(MAIL), context: { principal } })["payload"], answer("[EMAIL_1]"));
});

test("masks values for good once a session has a thousand tokens, and those that are too long", () => {
  const map = createTokenMap();
  for (let count = 0; count < 1_000; count++) assert.equal(map.tokenFor("ssn", String(count)), `[SSN_${count + 1}]`);
  assert.equal(map.tokenFor("ssn", "1000"), undefined);
  assert.equal(map.tokenFor("ssn", "5"), "[SSN_6]");
  assert.equal(map.restore("[SSN_6] [SSN_1001]"), "5 [SSN_1001]");
  assert.equal(map.withoutLookalikes("see [SSN_6]"), "see SSN_6");
  assert.equal(createTokenMap().tokenFor("email", "a".repeat(257)), undefined);
  const guard = redact({ tokens: true });
  const long = `${"a".repeat(300)}@example.com`;
  assert.deepEqual(run(guard, "tools/call", "response", answer(`${long} ${MAIL}`)), answer("[REDACTED:email] [EMAIL_1]"));
});

test("values survive the way to a model and back to the tool", () => {
  const guard = redact({ tokens: true });
  const values = [MAIL, "+1 415 555 0123", "4111 1111 1111 1111", "DE89370400440532013000", "123-45-6789", "2001:db8::1"];
  const shown = run(guard, "tools/call", "response", { content: [], structuredContent: { values } }) as { structuredContent: { values: string[] } };
  for (const value of values) assert.ok(!JSON.stringify(shown).includes(value));
  assert.deepEqual(run(guard, "tools/call", "request", { name: "save", arguments: shown.structuredContent }), { name: "save", arguments: { values } });
});
