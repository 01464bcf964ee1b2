import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { createRetries } from "../../../src/core/guard/retries.ts";
import { mutator } from "../../../src/core/interceptor/define.ts";
import type { Message, RequestMessage } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { guardedPair } from "../../support/guarded-pair.ts";

const request = (params: JsonObject, id = 1, method = "tools/call"): RequestMessage => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { name: "t", ...params, _meta: { [META.protocolVersion]: "2026-07-28" } },
});
const asks = (requestState: unknown, id = 1): Message => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "input_required", inputRequests: { r: { method: "roots/list" } }, requestState },
});
const ANSWERS = { inputResponses: { r: { roots: [] } } };

test("a retry differs where its method or its params do, whatever the order of members, _meta, answers and state", () => {
  const retries = createRetries(10);
  retries.note(request({ a: 1, b: [{ c: 2 }] }), asks("s"));
  assert.equal(retries.differs(request({ b: [{ c: 2 }], a: 1, ...ANSWERS, requestState: "s" })), false);
  for (const other of [{ a: 1 }, { a: 1, b: [{ c: 3 }] }, { a: "1", b: [{ c: 2 }] }, { a: 1, b: [{ c: 2 }], d: null }]) {
    assert.equal(retries.differs(request({ ...other, ...ANSWERS, requestState: "s" })), true, JSON.stringify(other));
  }
  assert.equal(retries.differs(request({ a: 1, b: [{ c: 2 }], requestState: "s" }, 2, "prompts/get")), true);
});

test("what is no retry of anything known differs from nothing", () => {
  const retries = createRetries(2);
  retries.note(request({ a: 1 }), asks(undefined));
  retries.note(request({ a: 1 }), { jsonrpc: "2.0", id: 1, result: { content: [], requestState: "s" } });
  for (const requestState of ["s", undefined, 5]) assert.equal(retries.differs(request({ a: 2, requestState })), false);
  for (const state of ["1", "2", "3"]) retries.note(request({ a: 1 }), asks(state));
  assert.deepEqual(["1", "2", "3"].map((requestState) => retries.differs(request({ a: 2, requestState }))), [false, true, true]);
});

test("a guard warns where a retry goes on with other params than the first try, by its client's doing or by a mutator's", async () => {
  const hooks = [{ events: ["tools/call"], phase: "request" }] as const;
  let tries = 0;
  const counts = mutator({ name: "m", hooks }, ({ payload }) => ({ ...payload, try: ++tries }));
  const warned = /^warn: a retry of tools\/call goes on with other params than the first try$/;
  for (const [interceptors, second, isWarned] of [[[], { a: 1 }, false], [[], { a: 2 }, true], [[counts], { a: 1 }, true]] as const) {
    const pair = guardedPair(interceptors);
    await pair.fromPeer(request({ a: 1 }));
    await pair.fromApp(asks("s"));
    assert.deepEqual(pair.log, []);
    await pair.fromPeer(request({ ...second, ...ANSWERS, requestState: "s" }, 2));
    assert.equal(pair.atApp.length, 2);
    assert.deepEqual(pair.log.map((line) => warned.test(line)), isWarned ? [true] : []);
  }
});
