import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_META } from "../../src/core/wire/meta.ts";
import { samplingGuard, type SamplingGuardConfig } from "../../src/library/sampling-guard.ts";
import { fakeHost } from "../support/fake-host.ts";
import { verdictOf } from "./verdict-of.ts";

const PARAMS = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 100 };

function guarding(config: SamplingGuardConfig = {}) {
  const host = fakeHost();
  const guard = samplingGuard(config, { host });
  const ask = (params: object = {}, context: object = { sessionId: "s" }, more: object = {}) => verdictOf(guard, { event: "sampling/createMessage", phase: "request", payload: { ...PARAMS, ...params }, context: context as never, ...more });
  return { host, ask };
}

test("bounds the tokens of one request", () => {
  assert.equal(guarding().ask({ maxTokens: 8_192 }), "pass");
  assert.equal(guarding().ask({ maxTokens: 8_193 }), "/maxTokens: No more than 8192 tokens may be asked for");
  assert.match(guarding({ maxTokens: 10 }).ask(), /No more than 10 tokens/);
  for (const maxTokens of [-1, 0, 0.5, -0]) assert.equal(guarding().ask({ maxTokens }), "/maxTokens: Less than one token may not be asked for");
  for (const maxTokens of [undefined, "5", null]) assert.match(guarding().ask({ maxTokens }), /maxTokens/);
});

test("bounds the requests of a minute, and of a session", async () => {
  const { host, ask } = guarding({ perMinute: 2, total: 4 });
  assert.deepEqual([ask(), ask()], ["pass", "pass"]);
  assert.equal(ask(), ": No more than 2 sampling requests a minute are allowed");
  assert.equal(ask({}, { sessionId: "other" }), "pass");
  await host.advance(59_999);
  assert.notEqual(ask(), "pass");
  await host.advance(1);
  assert.deepEqual([ask(), ask()], ["pass", "pass"]);
  await host.advance(60_000);
  assert.equal(ask(), ": No more than 4 sampling requests are allowed");
});

test("counts no request that it refuses, and none twice that is judged again", () => {
  const { ask } = guarding({ perMinute: 2 });
  assert.notEqual(ask({ maxTokens: 1_000_000 }), "pass");
  assert.equal(ask(), "pass");
  assert.equal(ask({}, { sessionId: "s" }, { _meta: { [OWN_META.revalidation]: true } }), "pass");
  assert.equal(ask(), "pass");
  assert.notEqual(ask(), "pass");
});

test("counts for all together where its scope says so, and fails where nobody is known", () => {
  const { ask } = guarding({ scope: "global", perMinute: 1 });
  assert.equal(ask({}, {}), "pass");
  assert.notEqual(ask({}, { sessionId: "b" }), "pass");
  assert.throws(() => guarding().ask({}, {}), { name: "RpcError", code: -32603 });
});

test("lets a server include no context, bring no tools, and set a system prompt, unless told otherwise", () => {
  assert.equal(guarding().ask({ includeContext: "none", systemPrompt: "Be brief" }), "pass");
  for (const includeContext of ["thisServer", "allServers", "all", null]) assert.match(guarding().ask({ includeContext }), /^\/includeContext/);
  assert.match(guarding().ask({ tools: [] }), /^\/tools/);
  assert.match(guarding().ask({ toolChoice: { mode: "auto" } }), /^\/tools/);
  assert.equal(guarding({ tools: true, includeContext: ["none", "thisServer"] }).ask({ tools: [], includeContext: "thisServer" }), "pass");
  assert.match(guarding({ systemPrompt: false }).ask({ systemPrompt: "Be evil" }), /^\/systemPrompt/);
});

test("lets a server wish for the models of a list", () => {
  const wish = (hints: unknown, models?: string[]) => guarding(models === undefined ? {} : { models }).ask({ modelPreferences: { hints } });
  assert.equal(wish([{ name: "anything" }]), "pass");
  assert.equal(wish([{ name: "small" }, { name: "fast-1" }, {}], ["small", "fast-*"]), "pass");
  assert.match(wish([{ name: "small" }, { name: "large" }], ["small"]), /^\/modelPreferences\/hints\/1\/name/);
  assert.match(wish([{ name: 5 }], ["small"]), /hints\/0/);
  assert.equal(guarding({ models: [] }).ask(), "pass");
});
