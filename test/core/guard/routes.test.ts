import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { createdTask } from "../../../src/core/guard/parts.ts";
import { checkPart, followingCases, requestCases, responseCases } from "../../../src/core/guard/routes.ts";
import type { Message } from "../../../src/core/wire/message.ts";

const request = (method: string, params?: JsonObject): Message => ({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });
const result = (members: JsonObject): Message => ({ jsonrpc: "2.0", id: 1, result: members });
const asked = (version: string | undefined = "2026-07-28") => ({ method: "tools/call", responseEvent: "tools/call", version });
const names = (cases: readonly { readonly event: string; readonly phase: string }[]) => cases.map(({ event, phase }) => `${event} ${phase}`);

test("a plain request is one case, whose payload is its params, or an object where there are none", () => {
  const [only, ...others] = requestCases(request("acme/run", { a: 1 }), "acme/run");
  assert.deepEqual([only?.event, only?.phase, others.length], ["acme/run", "request", 0]);
  assert.deepEqual(only?.payload(request("acme/run", { a: 1 })), { a: 1 });
  assert.deepEqual(only?.payload(request("acme/run")), {});
});

test("the answers of a retry come first, in code point order of their keys, each as the response of what it answers", () => {
  const inputResponses = { "\u{1F600}": { action: "accept" }, "\uFFFD": { roots: [] }, a: { model: "m", content: {} } };
  const cases = requestCases(request("tools/call", { name: "t", inputResponses }), "tools/call");
  assert.deepEqual(names(cases), ["sampling/createMessage response", "roots/list response", "elicitation/create response", "tools/call request"]);
  assert.deepEqual(cases[1]?.payload(request("tools/call", { inputResponses })), { roots: [] });
});

test("an answer of no kind, or of several, makes the request invalid", () => {
  for (const answer of [{}, { action: "accept", roots: [] }, { model: "m", action: "x" }, [], null, "accept"]) {
    assert.throws(() => requestCases(request("tools/call", { inputResponses: { k: answer } }), "tools/call"), { code: -32602, message: /inputResponses\/k / }, JSON.stringify(answer));
  }
  assert.throws(() => requestCases(request("tools/call", { inputResponses: [] }), "tools/call"), { code: -32602 });
});

test("requestState and inputResponses are not in the outer payload, and are put back whatever it becomes", () => {
  const inputResponses = { k: { action: "accept" } };
  const message = request("tools/call", { name: "t", requestState: "s", inputResponses });
  const outer = requestCases(message, "tools/call").at(-1)!;
  assert.deepEqual(outer.payload(message), { name: "t" });
  assert.deepEqual(outer.write(message, { name: "u", requestState: "forged" }), request("tools/call", { name: "u", requestState: "s", inputResponses }));
  const plain = request("tools/call", { name: "t" });
  assert.deepEqual(outer.write(plain, { name: "t", inputResponses: {} }), plain);
});

test("an embedded answer is written in its place, shares what lies beside it, and must stay what it answers", () => {
  const inputResponses = { a: { action: "accept" }, b: { roots: [] } };
  const message = request("tools/call", { name: "t", inputResponses });
  const [first] = requestCases(message, "tools/call");
  const written = first!.write(message, { action: "decline" });
  assert.deepEqual(written, request("tools/call", { name: "t", inputResponses: { a: { action: "decline" }, b: { roots: [] } } }));
  assert.deepEqual(message, request("tools/call", { name: "t", inputResponses }), "the original is as it was");
  assert.equal(first!.wrong?.({ action: "decline" }, {}), undefined);
  for (const payload of [{}, { roots: [] }, { action: "accept", model: "m" }]) assert.equal(typeof first!.wrong?.(payload, {}), "string", JSON.stringify(payload));
});

test("a result that asks for input runs its embedded requests, and not the outer event", () => {
  const inputRequests = { z: { method: "roots/list" }, a: { method: "elicitation/create", params: { message: "?" } } };
  const message = result({ resultType: "input_required", inputRequests, requestState: "s" });
  const cases = responseCases(message, asked());
  assert.deepEqual(names(cases), ["elicitation/create request", "roots/list request"]);
  assert.deepEqual(cases.map((item) => item.payload(message)), [{ message: "?" }, {}]);
  assert.deepEqual(cases[1]!.write(message, { _meta: { x: 1 } }), result({
    resultType: "input_required", requestState: "s", inputRequests: { ...inputRequests, z: { method: "roots/list", params: { _meta: { x: 1 } } } },
  }));
  assert.deepEqual(responseCases(result({ resultType: "input_required", requestState: "s" }), asked()), []);
});

test("a reader of an older revision takes any result for complete, so its outer event runs", () => {
  const message = result({ resultType: "input_required", inputRequests: {}, content: [] });
  for (const version of ["2025-11-25", "2024-11-05"]) assert.deepEqual(names(responseCases(message, asked(version))), ["tools/call response"], version);
  assert.deepEqual(names(responseCases(message, { method: "tools/call", responseEvent: "tools/call", version: undefined })), ["tools/call response"]);
  const asking = result({ resultType: "input_required", inputRequests: {} });
  assert.deepEqual(responseCases(asking, asked("2027-01-01")), [], "a later one knows it");
});

test("an embedded request without a method cannot be judged", () => {
  for (const inputRequests of [[], "x", { k: {} }, { k: { method: 5 } }, { k: null }]) {
    assert.throws(() => responseCases(result({ resultType: "input_required", inputRequests }), asked()), { code: -32603 }, JSON.stringify(inputRequests));
  }
});

test("an error response is a case of its own, with the error in the payload", () => {
  const message: Message = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "m" } };
  const [only] = responseCases(message, asked());
  assert.deepEqual([only?.error, only?.payload(message)], [true, { error: { code: -1, message: "m" } }]);
  assert.deepEqual(only?.write(message, { error: { code: -2, message: "n" } }), { jsonrpc: "2.0", id: 1, error: { code: -2, message: "n" } });
});

test("each URI that a subscription names follows as what subscribing to it was before", () => {
  const uris = (list: unknown) => request("subscriptions/listen", { notifications: { toolsListChanged: true, resourceSubscriptions: list } });
  const message = uris(["a:1", "b:2"]);
  const cases = followingCases(message, "subscriptions/listen");
  assert.deepEqual(names(cases), ["resources/subscribe request", "resources/subscribe request"]);
  assert.deepEqual(cases.map((item) => item.payload(message)), [{ uri: "a:1" }, { uri: "b:2" }]);
  assert.deepEqual(cases[1]!.write(message, { uri: "c:3" }), uris(["a:1", "c:3"]));
  assert.equal(cases[1]!.wrong?.({ uri: "c:3" }, {}), undefined);
  for (const payload of [{}, { uri: 5 }, { uri: null }]) assert.equal(typeof cases[1]!.wrong?.(payload, {}), "string", JSON.stringify(payload));
  for (const odd of [undefined, "a:1", {}]) assert.deepEqual(followingCases(uris(odd), "subscriptions/listen"), []);
  assert.deepEqual(followingCases(message, "resources/subscribe"), []);
});

test("a created task is found in both shapes", () => {
  assert.equal(createdTask(result({ task: { taskId: "t" } })), "t");
  assert.equal(createdTask(result({ taskId: "t" })), "t");
  for (const members of [{}, { task: "t" }, { task: { taskId: 5 } }, { task: {}, taskId: "t" }]) assert.equal(createdTask(result(members)), undefined, JSON.stringify(members));
  assert.equal(createdTask(request("tools/call", { taskId: "t" })), undefined);
});

test("a part is checked as it would be off the wire, where its shape is known, and must be an object everywhere", () => {
  assert.equal(checkPart("tools/call", "request", { name: "t" }), undefined);
  assert.equal(checkPart("tools/call", "request", { name: 5 }), "params/name must be a string");
  assert.equal(checkPart("tools/call", "response", {}), 'result must have the member "content"');
  assert.equal(checkPart("acme/run", "request", { any: 1 }), undefined);
  for (const part of [null, [], "x"]) assert.equal(checkPart("acme/run", "response", part), "result must be an object");
});
