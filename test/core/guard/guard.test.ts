import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import type { Decision } from "../../../src/core/guard/decision.ts";
import type { GuardPolicy } from "../../../src/core/guard/options.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { allow, deny } from "../../../src/core/interceptor/verdict.ts";
import type { ErrorMessage, Message } from "../../../src/core/wire/message.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { call, guardedPair, notice, textResult } from "../../support/guarded-pair.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

const CALL_REQUEST = [{ events: ["tools/call"], phase: "request" }] as const;
const CALL_RESPONSE = [{ events: ["tools/call"], phase: "response" }] as const;
const ALL = [
  { events: ["*"], phase: "request" },
  { events: ["*"], phase: "response" },
] as const;

const denyAll = validator({ name: "deny-all", hooks: ALL }, () => deny("no"));
const noShell = validator({ name: "no-shell", hooks: CALL_REQUEST }, ({ payload }) => (payload.name === "shell" ? deny("shell is not allowed", { path: "/name" }) : allow()));
const shout = mutator({ name: "shout", hooks: CALL_RESPONSE }, ({ payload }) => ({
  ...payload,
  content: payload.content.map((block) => (block.type === "text" ? { ...block, text: block.text.toUpperCase() } : block)),
}));

/** A validator that answers when told to. */
function gate(name: string, hooks: readonly { events: readonly string[]; phase: "request" | "response" }[], only?: unknown): { interceptor: Interceptor; open(valid?: boolean): void; readonly waiting: number } {
  const waiting: ((valid: boolean) => void)[] = [];
  const interceptor = validator({ name, hooks }, ({ payload }) => {
    if (only !== undefined && (payload as { name?: unknown }).name !== only) return true;
    return new Promise<boolean>((resolve) => waiting.push(resolve));
  });
  return {
    interceptor,
    open: (valid = true) => waiting.shift()?.(valid),
    get waiting() {
      return waiting.length;
    },
  };
}

test("without interceptors everything passes untouched, and the ledger ends empty", async () => {
  const pair = guardedPair([]);
  await pair.fromPeer(call(1), notice("notifications/x", { a: 1 }));
  await pair.fromApp(textResult(1, "hi"), notice("notifications/y"));
  assert.deepEqual(pair.atApp, [call(1), notice("notifications/x", { a: 1 })]);
  assert.deepEqual(pair.atPeer, [textResult(1, "hi"), notice("notifications/y")]);
  assert.equal(pair.guard.inFlight, 0);
});

test("a denied request is answered to its sender with the reason, and the application never sees it (case 46)", async () => {
  const pair = guardedPair([noShell]);
  await pair.fromPeer(call("a", "shell"), call("b", "echo"));
  assert.deepEqual(pair.atApp, [call("b", "echo")]);
  assert.deepEqual(pair.atPeer, [
    {
      jsonrpc: "2.0",
      id: "a",
      error: {
        code: -32602,
        message: "Interceptor validation failed",
        data: { validationErrors: [{ interceptor: "no-shell", severity: "error", message: "shell is not allowed", path: "/name" }] },
      },
    },
  ]);
  assert.equal(pair.guard.inFlight, 1);
});

test("a response is mutated on its way to the peer, and the new payload is what arrives (case 45)", async () => {
  const pair = guardedPair([shout]);
  await pair.fromPeer(call(1));
  await pair.fromApp(textResult(1, "hi"));
  assert.deepEqual(pair.atPeer, [textResult(1, "HI")]);
  assert.deepEqual(
    pair.decisions.map(({ direction, kind, event, verdict, changes }) => ({ direction, kind, event, verdict, changes })),
    [{ direction: "sending", kind: "response", event: "tools/call", verdict: "changed", changes: [{ pointer: "/result/content/0/text", kind: "replaced" }] }],
  );
});

test("a denied response becomes an error that does not quote what was blocked", async () => {
  const leak = validator({ name: "leak", hooks: CALL_RESPONSE }, ({ payload }) => deny(`secret found: ${JSON.stringify(payload)}`));
  const pair = guardedPair([leak]);
  await pair.fromPeer(call(1));
  await pair.fromApp(textResult(1, "sk-123"));
  assert.doesNotMatch(JSON.stringify(pair.atPeer), /sk-123/);
  assert.deepEqual((pair.atPeer[0] as { error: { data: unknown } }).error.data, {
    validationErrors: [{ interceptor: "leak", severity: "error", message: "rejected" }],
  });
});

test("a client's guard refuses an outgoing request to the application itself, and an incoming response too", async () => {
  const pair = guardedPair([noShell], { role: "client" });
  await pair.fromApp(call(1, "shell"));
  assert.deepEqual(pair.atPeer, []);
  assert.equal((pair.atApp[0] as { error: { code: number } }).error.code, -32602);
  const other = guardedPair([validator({ name: "v", hooks: CALL_RESPONSE }, () => false)], { role: "client" });
  await other.fromApp(call(1));
  await other.fromPeer(textResult(1, "x"));
  assert.equal((other.atApp[0] as { id: unknown; error: { code: number } }).error.code, -32602);
  assert.equal(other.guard.inFlight, 0);
});

test("validators judge what a mutator has made of an outgoing request (case 44)", async () => {
  const rename = mutator({ name: "rename", hooks: CALL_REQUEST }, ({ payload }) => ({ ...payload, name: "shell" }));
  const pair = guardedPair([rename, noShell], { role: "client" });
  await pair.fromApp(call(1, "echo"));
  assert.deepEqual(pair.atPeer, []);
  const server = guardedPair([rename, noShell]);
  await server.fromPeer(call(1, "echo"));
  assert.deepEqual(server.atApp, [], "an arrival that a mutator has changed is judged again");
});

test("a mutated payload that would not be valid off the wire fails the mutator", async () => {
  const broken = mutator({ name: "broken", hooks: CALL_REQUEST }, () => ({ name: 5 }) as never);
  const pair = guardedPair([broken]);
  await pair.fromPeer(call(1));
  assert.deepEqual(pair.atApp, []);
  assert.deepEqual((pair.atPeer[0] as { error: unknown }).error, {
    code: -32603,
    message: "Interceptor mutation failed",
    data: { failedInterceptor: "broken", reason: "malformed_result" },
  });
});

test("reserved members of _meta, requestState and inputResponses are not an interceptor's to change", async () => {
  let seen: unknown;
  const vandal = mutator({ name: "vandal", hooks: CALL_REQUEST }, ({ payload }) => {
    seen = payload;
    return { name: payload.name, _meta: { progressToken: "forged", "com.example/tag": 1 }, requestState: "forged" };
  });
  const pair = guardedPair([vandal]);
  const params = { name: "echo", _meta: { progressToken: 7, "io.modelcontextprotocol/protocolVersion": "2026-07-28", mine: 1 }, requestState: "opaque" };
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  assert.equal(Object.hasOwn(seen as object, "requestState"), false);
  const [arrived] = pair.atApp as { params: Record<string, unknown> }[];
  assert.deepEqual(arrived?.params, {
    name: "echo",
    _meta: { progressToken: 7, "io.modelcontextprotocol/protocolVersion": "2026-07-28", "com.example/tag": 1 },
    requestState: "opaque",
  });
});

test("a request without params stays without, and is judged as an empty object", async () => {
  const seen: unknown[] = [];
  const pair = guardedPair([validator({ name: "v", hooks: ALL }, ({ payload }) => (seen.push(payload), true))]);
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  assert.deepEqual(seen, [{}]);
  assert.deepEqual(pair.atApp, [{ jsonrpc: "2.0", id: 1, method: "tools/list" }]);
});

test("lifecycle passes a deny-all guard if it is valid, and is refused if it is not", async () => {
  const pair = guardedPair([denyAll]);
  const initialize = (id: number, params: Record<string, unknown>): Message => ({ jsonrpc: "2.0", id, method: "initialize", params });
  const good = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  await pair.fromPeer(initialize(1, good), initialize(2, { protocolVersion: 5 }), { jsonrpc: "2.0", id: 3, method: "ping" }, notice("notifications/initialized"));
  assert.deepEqual(pair.atApp, [initialize(1, good), { jsonrpc: "2.0", id: 3, method: "ping" }, notice("notifications/initialized")]);
  assert.equal((pair.atPeer[0] as { error: { code: number } }).error.code, -32602);
  await pair.fromApp({ jsonrpc: "2.0", id: 1, result: { nonsense: true } }, { jsonrpc: "2.0", id: 3, result: {} });
  assert.deepEqual(pair.atPeer.slice(1).map((message) => [(message as { id: number }).id, "result" in message]), [[1, false], [3, true]]);
});

test("a second request with an id in flight is refused and leaves the first (case 12)", async () => {
  const pair = guardedPair([noShell]);
  await pair.fromPeer(call(1, "slow"), call(1, "fast"), call("1", "other type"));
  assert.deepEqual(pair.atApp, [call(1, "slow"), call("1", "other type")]);
  assert.match((pair.atPeer[0] as { error: { message: string } }).error.message, /in flight already/);
  await pair.fromApp(textResult(1, "slow answer"));
  assert.deepEqual(pair.atPeer[1], textResult(1, "slow answer"));
});

test("a second answer to one request is dropped", async () => {
  const pair = guardedPair([noShell]);
  await pair.fromPeer(call(1));
  const held = gate("gate", CALL_RESPONSE);
  const other = guardedPair([held.interceptor]);
  await other.fromPeer(call(1));
  await other.fromApp(textResult(1, "first"), textResult(1, "second"));
  held.open();
  await settle();
  assert.deepEqual(other.atPeer, [textResult(1, "first")]);
  assert.equal(other.decisions.filter(({ reason }) => reason === "unknown_exchange").length, 1);
});

test("a response to nothing passes only where no response is ever judged", async () => {
  const open = guardedPair([noShell]);
  await open.fromApp(textResult(99, "?"));
  assert.equal(open.atPeer.length, 1);
  const strict = guardedPair([shout]);
  await strict.fromApp(textResult(99, "?"));
  assert.equal(strict.atPeer.length, 0);
});

test("what a transport made up for a response to nothing passes nowhere", async () => {
  for (const interceptors of [[], [noShell], [shout]]) {
    const transport = scriptedTransport();
    const chain = createChain({ host: fakeHost() });
    if (interceptors.length > 0) chain.add(interceptors);
    const guard = guardTransport(transport, { role: "client", chain: { current: () => chain }, host: fakeHost() });
    const arrived = guard.receive();
    transport.deliver({ jsonrpc: "2.0", id: 99, error: { code: -32600, message: "cannot be read" } }, { synthetic: true });
    transport.deliver(notice("notifications/x"));
    assert.deepEqual((await arrived)?.frame.message, notice("notifications/x"));
    await guard.close();
  }
});

test("a response to nothing that embeds requests passes no interceptor of these", async () => {
  const asking: Message = { jsonrpc: "2.0", id: 9, result: { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: {} } } } };
  const guards = [validator({ name: "v", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, () => true)];
  for (const [interceptors, passed] of [[guards, []], [[], [asking]]] as const) {
    const r = guardedPair(interceptors);
    await r.fromPeer(asking);
    assert.deepEqual(r.atApp, passed);
  }
});

test("a held request holds later requests and notifications of its lane; responses and cancellations pass it", async () => {
  const held = gate("gate", CALL_REQUEST, "slow");
  const pair = guardedPair([held.interceptor]);
  await pair.fromApp({ jsonrpc: "2.0", id: 50, method: "roots/list" });
  await pair.fromPeer(call(1, "slow"), call(2, "fast"), notice("notifications/x"), { jsonrpc: "2.0", id: 50, result: { roots: [] } });
  assert.deepEqual(pair.atApp.map((message) => ("method" in message ? message.method : "response")), ["response"]);
  held.open();
  await settle();
  assert.deepEqual(pair.atApp.slice(1), [call(1, "slow"), call(2, "fast"), notice("notifications/x")]);
});

test("a cancel of a held request stops its chain, and neither goes on nor is answered (cases 39, 40)", async () => {
  let aborted = false;
  const waits = validator({ name: "waits", hooks: CALL_REQUEST }, ({ signal }) => new Promise<boolean>((_resolve, reject) => signal.addEventListener("abort", () => ((aborted = true), reject(new Error("stop"))))));
  const pair = guardedPair([waits]);
  await pair.fromPeer(call(1), call("1"), notice("notifications/cancelled", { requestId: 1, reason: "changed my mind" }));
  assert.equal(aborted, true);
  assert.deepEqual(pair.atApp, []);
  assert.deepEqual(pair.atPeer, []);
  assert.equal(pair.guard.inFlight, 1, "the id of the other type is still judged");
});

test("a cancel of a delivered request goes on, and its late answer is not judged but dropped", async () => {
  const pair = guardedPair([shout]);
  await pair.fromPeer(call(1), notice("notifications/cancelled", { requestId: 1 }));
  assert.deepEqual(pair.atApp.at(-1), notice("notifications/cancelled", { requestId: 1 }));
  await pair.fromApp(textResult(1, "late"));
  assert.deepEqual(pair.atPeer, []);
  assert.equal(pair.guard.inFlight, 0);
});

test("a cancel of a request that waits in line keeps it from going on, and neither side hears of it again", async () => {
  const held = gate("gate", CALL_REQUEST, "slow");
  const pair = guardedPair([held.interceptor]);
  // The second has been judged, and nobody judges the third.
  await pair.fromPeer(call(1, "slow"), call(2, "fast"), { jsonrpc: "2.0", id: 3, method: "acme/run" });
  for (const requestId of [2, 3]) await pair.fromPeer(notice("notifications/cancelled", { requestId }));
  held.open();
  await settle();
  assert.deepEqual(pair.atApp, [call(1, "slow")]);
  assert.deepEqual(pair.atPeer, []);
  assert.deepEqual(pair.decisions.map(({ id, verdict }) => [id, verdict]), [[2, "passed"], [1, "passed"]]);
  assert.equal(pair.guard.inFlight, 1);
});

test("the answer to a cancelled request is not taken for that to another with its id", async () => {
  const noSecrets = validator({ name: "no-secrets", hooks: CALL_RESPONSE }, ({ payload }) => !JSON.stringify(payload).includes("SECRET"));
  const pair = guardedPair([noSecrets]);
  const again: Message = { jsonrpc: "2.0", id: 1, method: "acme/run" };
  await pair.fromPeer(call(1), notice("notifications/cancelled", { requestId: 1 }), again);
  assert.deepEqual(pair.atPeer.map((message) => "error" in message && message.error.code), [-32600]);
  await pair.fromApp(textResult(1, "SECRET"));
  assert.equal(pair.atPeer.length, 1);
  // It has been answered: whatever comes now is for whoever asks next.
  await pair.fromPeer(again);
  await pair.fromApp(textResult(1, "fine"));
  assert.deepEqual(pair.atPeer[1], textResult(1, "fine"));
  assert.equal(pair.guard.inFlight, 0);
});

test("a cancel while the response is held drops the response", async () => {
  const held = gate("gate", CALL_RESPONSE);
  const pair = guardedPair([held.interceptor]);
  await pair.fromPeer(call(1));
  await pair.fromApp(textResult(1, "x"));
  await pair.fromPeer(notice("notifications/cancelled", { requestId: 1 }));
  held.open();
  await settle();
  assert.deepEqual(pair.atPeer, []);
});

test("a subscription that its server ends by cancelling it is over, and its id is free again", async () => {
  for (const role of ["server", "client"] as const) {
    const r = guardedPair([], { role });
    const [ask, end] = role === "server" ? [r.fromPeer, r.fromApp] : [r.fromApp, r.fromPeer];
    const listen: Message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } };
    const over = notice("notifications/cancelled", { requestId: 1 });
    await ask(listen, call(2));
    await end(over, notice("notifications/cancelled", { requestId: 2 }));
    assert.equal(r.guard.inFlight, 1, "any other request is its sender's to cancel");
    await ask(call(1));
    assert.deepEqual(role === "server" ? r.atApp : r.atPeer, [listen, call(2), call(1)]);
    assert.deepEqual((role === "server" ? r.atPeer : r.atApp)[0], over);
  }
});

test("a cancel of initialize passes and ends nothing", async () => {
  const pair = guardedPair([shout]);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "initialize", params }, notice("notifications/cancelled", { requestId: 1 }), notice("notifications/cancelled", { requestId: 404 }), notice("notifications/cancelled"));
  assert.equal(pair.atApp.length, 4);
  assert.equal(pair.guard.inFlight, 1);
});

test("notifications run through the chain only where the policy says so; a denied one vanishes", async () => {
  const off = guardedPair([denyAll]);
  await off.fromPeer(notice("notifications/message", { data: "x" }));
  assert.equal(off.atApp.length, 1);
  const on = guardedPair([denyAll], { policy: { interceptNotifications: true } });
  await on.fromPeer(notice("notifications/message", { data: "x" }), notice("notifications/initialized"), notice("notifications/cancelled", { requestId: 9 }));
  assert.deepEqual(on.atApp, [notice("notifications/cancelled", { requestId: 9 }), notice("notifications/initialized")]);
  assert.deepEqual(on.atPeer, []);
  assert.deepEqual(on.decisions.map(({ verdict, kind }) => [verdict, kind]), [["dropped", "notification"]]);
});

test("of a progress notification only the message may change", async () => {
  const edit = mutator({ name: "edit", hooks: [{ events: ["notifications/progress"], phase: "request" }] }, () => ({ progressToken: "forged", progress: 99, message: "clean" }));
  const pair = guardedPair([edit], { policy: { interceptNotifications: true } });
  await pair.fromApp(notice("notifications/progress", { progressToken: 1, progress: 2, total: 4, message: "secret" }));
  assert.deepEqual(pair.atPeer, [notice("notifications/progress", { progressToken: 1, progress: 2, total: 4, message: "clean" })]);
});

test("an error response is shown to those who handle errors, and the policy says what becomes of others", async () => {
  const scrub = mutator({ name: "scrub", hooks: CALL_RESPONSE, handlesErrors: true }, ({ payload }) => ("error" in payload ? { error: { ...(payload.error as object), message: "scrubbed" } as never } : payload));
  const failing = (id: number): Message => ({ jsonrpc: "2.0", id, error: { code: -32000, message: "sk-1", data: { key: "sk-1" } } });
  const handled = guardedPair([scrub]);
  await handled.fromPeer(call(1));
  await handled.fromApp(failing(1));
  assert.equal((handled.atPeer[0] as { error: { message: string } }).error.message, "scrubbed");
  const plain = guardedPair([shout]);
  await plain.fromPeer(call(1));
  await plain.fromApp(failing(1));
  assert.deepEqual(plain.atPeer, [failing(1)]);
  const generic = guardedPair([shout], { policy: { errorResponses: "generic" } });
  await generic.fromPeer(call(1));
  await generic.fromApp(failing(1));
  assert.deepEqual((generic.atPeer[0] as { error: unknown }).error, { code: -32000, message: "Request failed" });
  // What the owner knows by its object goes out as it is, and a copy of it does not.
  const own = failing(1) as ErrorMessage;
  const keeping = guardedPair([shout], { policy: { errorResponses: "generic", keepsError: (error) => error === own.error } });
  for (const [id, message] of [[1, own], [2, failing(2)]] as const) {
    await keeping.fromPeer(call(id));
    await keeping.fromApp(message);
  }
  assert.deepEqual(keeping.atPeer, [own, { ...own, id: 2, error: { code: -32000, message: "Request failed" } }]);
});

test("the context provider says who is behind a message; where it rejects, the message is blocked", async () => {
  const contexts: unknown[] = [];
  const look = validator({ name: "look", hooks: CALL_REQUEST }, ({ context }) => (contexts.push(context), true));
  const pair = guardedPair([look], { context: ({ method, direction }) => ({ principal: { type: "user", id: `${method} ${direction}` } }) });
  await pair.fromPeer(call(1));
  const [context] = contexts as { principal: unknown; traceId: string; timestamp: string; sessionId: string }[];
  assert.deepEqual(context?.principal, { type: "user", id: "tools/call receiving" });
  assert.match(context?.traceId ?? "", /^[0-9a-f]{32}$/);
  assert.equal(context?.timestamp, "2026-07-28T00:00:00.000Z");
  const rejecting = guardedPair([look], { context: () => Promise.reject(new Error("no token")) });
  await rejecting.fromPeer(call(1));
  assert.deepEqual(rejecting.atApp, []);
  assert.equal((rejecting.atPeer[0] as { error: { code: number } }).error.code, -32603);
  assert.doesNotMatch(JSON.stringify(rejecting.atPeer), /no token/);
});

test("the record is written before the message goes on, and a failing record blocks unless told otherwise", async () => {
  let written: (() => void) | undefined;
  const pair = guardedPair([noShell], { record: () => new Promise((resolve) => (written = resolve)) });
  await pair.fromPeer(call(1));
  assert.deepEqual(pair.atApp, []);
  written?.();
  await settle();
  assert.deepEqual(pair.atApp, [call(1)]);
  const failing = () => Promise.reject(new Error("disk full"));
  const closed = guardedPair([noShell], { record: failing });
  await closed.fromPeer(call(1));
  assert.deepEqual([closed.atApp.length, closed.atPeer.length], [0, 1]);
  const open = guardedPair([noShell], { record: failing, policy: { onRecordFailure: "continue" } });
  await open.fromPeer(call(1));
  assert.equal(open.atApp.length, 1);
});

test("while it is known that nothing can be recorded, no request goes on, whoever would look at it, but the lifecycle's", async () => {
  let full = true;
  const kept: Decision[] = [];
  const options = { record: (decision: Decision) => (full ? Promise.reject(new Error("disk full")) : void kept.push(decision)), canRecord: () => !full };
  const look = validator({ name: "look", hooks: [{ events: ["tools/call"], phase: "response" }] }, () => true);
  const pair = guardedPair([look], options);
  const list: Message = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const ping: Message = { jsonrpc: "2.0", id: 3, method: "ping" };
  for (const message of [call(1), list, ping]) await pair.fromPeer(message);
  assert.deepEqual(pair.atApp, [ping]);
  const error = { code: -32603, message: "Interceptor execution failed", data: { reason: "unavailable", delivery: "none" } };
  assert.deepEqual(pair.atPeer, [1, 2].map((id) => ({ jsonrpc: "2.0", id, error })));
  full = false;
  await pair.fromPeer(call(1));
  assert.deepEqual(pair.atApp.at(-1), call(1), "the id is free again");
  full = true;
  const going = guardedPair([look], { ...options, policy: { onRecordFailure: "continue" } });
  await going.fromPeer(call(1));
  assert.equal(going.atApp.length, 1);
});

test("a refusal can be another documented answer, or a result that a model reads", async () => {
  const unknownTool = guardedPair([noShell], {
    policy: { answerAs: { "no-shell": ({ params }) => new RpcError(-32602, `Unknown tool: ${(params as { name: string }).name}`) } },
  });
  await unknownTool.fromPeer(call(1, "shell"));
  assert.deepEqual(unknownTool.atPeer, [{ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "Unknown tool: shell" } }]);
  // As the interceptor declares it, unless the policy says something else.
  const declared = validator({ name: "declared", hooks: [{ events: ["tools/call"], phase: "request" }], answerAs: ({ method, interceptor }) => new RpcError(-32001, `${method} ${interceptor}`) }, () => false);
  for (const [policy, error] of [
    [{ blockAs: "result" }, { code: -32001, message: "tools/call declared" }],
    [{ answerAs: { declared: () => new RpcError(-32602, "no") } }, { code: -32602, message: "no" }],
    [{ answerAs: { declared: ({ error }) => new RpcError(error.code, error.message) } }, { code: -32602, message: "Interceptor validation failed" }],
  ] satisfies [GuardPolicy, object][]) {
    const pair = guardedPair([noShell, declared], { policy });
    await pair.fromPeer(call(1, "other"));
    assert.deepEqual(pair.atPeer, [{ jsonrpc: "2.0", id: 1, error }]);
    await pair.fromPeer(call(2, "shell"));
    assert.equal(JSON.stringify(pair.atPeer[1]).includes("shell is not allowed"), true, "the first that refuses answers");
  }
  const asResult = guardedPair([noShell], { policy: { blockAs: "result" } });
  await asResult.fromPeer(call(1, "shell"));
  assert.deepEqual(asResult.atPeer, [
    { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "Interceptor validation failed\nno-shell: shell is not allowed" }], isError: true } },
  ]);
});

test("the interceptor methods pass where the server hosts its own chain, and nowhere else", async () => {
  const invoke: Message = { jsonrpc: "2.0", id: 1, method: "interceptor/invoke", params: {} };
  const hosting = guardedPair([denyAll], { policy: { hostsChain: true } });
  await hosting.fromPeer(invoke);
  assert.equal(hosting.atApp.length, 1);
  const relaying = guardedPair([denyAll]);
  await relaying.fromPeer(invoke);
  assert.equal(relaying.atApp.length, 0);
});

test("what the sender does to its message afterwards changes nothing", async () => {
  const held = gate("gate", CALL_RESPONSE);
  const pair = guardedPair([held.interceptor]);
  await pair.fromPeer(call(1));
  const result = { content: [{ type: "text", text: "judged" }] };
  await pair.fromApp({ jsonrpc: "2.0", id: 1, result });
  result.content[0]!.text = "sent";
  held.open();
  await settle();
  assert.deepEqual(pair.atPeer, [textResult(1, "judged")]);
});

test("the request that a response interceptor sees is the one that went on, whatever its receiver or its sender did to it", async () => {
  const seen: unknown[] = [];
  const witness = validator({ name: "witness", hooks: CALL_RESPONSE, withRequest: true }, ({ context }) => {
    seen.push(context.request?.params);
    return true;
  });
  const stamp = mutator({ name: "stamp", hooks: CALL_REQUEST }, ({ payload }) => ({ ...payload, _meta: { "com.example/stamp": 1 } }));
  const vandalise = (message: Message | undefined) => {
    assert.ok(message !== undefined && "params" in message && message.params !== undefined);
    message.params.arguments = { path: "another" };
  };
  for (const interceptors of [[witness], [witness, stamp]]) {
    const stamped = interceptors.length > 1 ? { _meta: { "com.example/stamp": 1 } } : {};
    const served = guardedPair(interceptors);
    await served.fromPeer(call(1, "read", { path: "own" }));
    vandalise(served.atApp[0]);
    await served.fromApp(textResult(1, "hi"));
    const asking = guardedPair(interceptors, { role: "client" });
    const question = call(1, "read", { path: "own" });
    await asking.fromApp(question);
    vandalise(question);
    await asking.fromPeer(textResult(1, "hi"));
    assert.deepEqual(seen.splice(0), Array(2).fill({ name: "read", arguments: { path: "own" }, ...stamped }));
  }
});

test("a result that mutators could vary is not cached for everybody", async () => {
  const noop = mutator({ name: "noop", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => payload);
  const pair = guardedPair([noop]);
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await pair.fromApp({ jsonrpc: "2.0", id: 1, result: { tools: [], ttlMs: 1000, cacheScope: "public" } });
  assert.deepEqual((pair.atPeer[0] as { result: unknown }).result, { tools: [], ttlMs: 1000, cacheScope: "private" });
});

test("a result that a condition has spared is not cached for those whom it does not spare", async () => {
  const chain = createChain();
  chain.add(mutator({ name: "filter", hooks: [{ events: ["tools/list"], phase: "response" }] }, () => ({ tools: [] })), { overrides: { filter: { when: () => false } } });
  const pair = guardedPair([], { chainOf: () => chain });
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const tools = [{ name: "a", inputSchema: { type: "object" } }];
  await pair.fromApp({ jsonrpc: "2.0", id: 1, result: { tools, ttlMs: 1000, cacheScope: "public" } });
  assert.deepEqual((pair.atPeer[0] as { result: unknown }).result, { tools, ttlMs: 1000, cacheScope: "private" });
});

test("the end of the connection answers nothing more, aborts what runs and leaves nothing", async () => {
  const held = gate("gate", CALL_REQUEST);
  const pair = guardedPair([held.interceptor]);
  await pair.fromPeer(call(1), call(2));
  assert.equal(pair.guard.inFlight, 2);
  await pair.guard.close();
  await settle();
  assert.equal(pair.guard.inFlight, 0);
  assert.equal(pair.host.liveTimers, 0);
  await assert.rejects(pair.guard.send({ message: notice("notifications/x") }), /closed/);
});
