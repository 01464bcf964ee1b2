import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { settle } from "../../support/fake-host.ts";
import { call, guardedPair, notice, textResult } from "../../support/guarded-pair.ts";

// The guard of a server sees its client as the peer, the guard of a client its server: what one receives the other sends. `asker` is the end
// that the requests of these tests come from.
const SIDES = [
  { role: "server", asker: "fromPeer", answerer: "fromApp", atAnswerer: "atApp", atAsker: "atPeer" },
  { role: "client", asker: "fromApp", answerer: "fromPeer", atAnswerer: "atPeer", atAsker: "atApp" },
] as const;

const MODERN = { [META.protocolVersion]: "2026-07-28" };
const request = (method: string, params: JsonObject, id = 1): Message => ({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...MODERN } } });
const result = (members: JsonObject, id = 1): Message => ({ jsonrpc: "2.0", id, result: members });
const errorOf = (message: Message | undefined) => (message as { error?: { code: number; message: string; data?: unknown } } | undefined)?.error;
const argumentsOf = (message: Message | undefined) => (message as unknown as { params: { arguments: JsonObject } }).params.arguments;
const hook = <Event extends string, P extends "request" | "response">(event: Event, phase: P) => [{ events: [event], phase }] as const;
const denies = (event: string, phase: "request" | "response") => validator({ name: "v", hooks: hook(event, phase) }, () => deny("secret reason"));
const edits = (event: string, phase: "request" | "response", edit: (payload: JsonObject) => unknown) =>
  mutator({ name: "m", hooks: hook(event, phase) }, ({ payload }) => edit(payload as JsonObject) as JsonObject);

for (const { role, asker, answerer, atAnswerer, atAsker } of SIDES) {
  const guarded = (...interceptors: Interceptor[]) => guardedPair(interceptors, { role });

  const FORM = { type: "object", properties: { colour: { type: "string" } } };

describe(`the guard of a ${role}, on a result that asks for input`, () => {
    const inputRequests = {
      b: { method: "elicitation/create", params: { message: "password?", requestedSchema: FORM } },
      a: { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } },
    };
    const asking = result({ resultType: "input_required", inputRequests, requestState: "s" });
    const exchange = async (...interceptors: Interceptor[]) => {
      const pair = guarded(...interceptors);
      await pair[asker](request("tools/call", { name: "t" }));
      await pair[answerer](asking);
      assert.equal(pair.guard.inFlight, 0);
      return pair;
    };

    test("lets it pass where nothing objects, without running the outer event", async () => {
      const seen: string[] = [];
      const look = validator({ name: "look", hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }] }, ({ event, phase }) => seen.push(`${event} ${phase}`) > 0);
      const pair = await exchange(look);
      assert.deepEqual(pair[atAsker], [asking]);
      assert.deepEqual(seen, ["tools/call request", "sampling/createMessage request", "elicitation/create request"]);
    });

    test("blocks the whole result for one embedded request, without the validator's words", async () => {
      const pair = await exchange(denies("elicitation/create", "request"));
      assert.equal(pair[atAsker].length, 1);
      assert.equal(errorOf(pair[atAsker][0])?.code, -32602);
      assert.doesNotMatch(JSON.stringify(pair[atAsker]), /secret reason|password/);
    });

    test("writes what a mutator makes of one, and leaves the rest as it was", async () => {
      const pair = await exchange(edits("elicitation/create", "request", (payload) => ({ ...payload, message: "colour?" })));
      assert.deepEqual(pair[atAsker], [
        result({ resultType: "input_required", requestState: "s", inputRequests: { ...inputRequests, b: { method: "elicitation/create", params: { message: "colour?", requestedSchema: FORM } } } }),
      ]);
    });

    test("fails a mutator whose payload is no object", async () => {
      const pair = await exchange(edits("elicitation/create", "request", () => "text"));
      assert.deepEqual(errorOf(pair[atAsker][0])?.data, { failedInterceptor: "m", reason: "malformed_result" });
    });

    test("is not fooled by one in a revision that knows none", async () => {
      const pair = guarded(denies("tools/call", "response"));
      await pair[asker](call(1));
      await pair[answerer](result({ resultType: "input_required", content: [{ type: "text", text: "leak" }] }));
      assert.equal(errorOf(pair[atAsker][0])?.code, -32602);
      assert.doesNotMatch(JSON.stringify(pair[atAsker]), /leak/);
    });
  });

  describe(`the guard of a ${role}, on a retry with answers`, () => {
    const retry = (inputResponses: JsonObject) => request("tools/call", { name: "t", requestState: "s", inputResponses });
    const answers = { e: { action: "accept", content: { colour: "red" } }, r: { roots: [{ uri: "file:///a" }] } };
    const exchange = async (message: Message, ...interceptors: Interceptor[]) => {
      const pair = guarded(...interceptors);
      await pair[asker](message);
      return pair;
    };

    test("lets it pass where nothing objects, answers first", async () => {
      const seen: string[] = [];
      const look = validator({ name: "look", hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }] }, ({ event, phase }) => seen.push(`${event} ${phase}`) > 0);
      const pair = await exchange(retry(answers), look);
      assert.deepEqual(pair[atAnswerer], [retry(answers)]);
      assert.deepEqual(seen, ["elicitation/create response", "roots/list response", "tools/call request"]);
    });

    test("blocks the request for one answer, and tells its sender why", async () => {
      const pair = await exchange(retry(answers), denies("roots/list", "response"));
      assert.deepEqual(pair[atAnswerer], []);
      assert.deepEqual(errorOf(pair[atAsker][0])?.data, { validationErrors: [{ interceptor: "v", severity: "error", message: "secret reason" }] });
      assert.equal(pair.guard.inFlight, 0);
    });

    test("writes what a mutator makes of one, with requestState as it was", async () => {
      const pair = await exchange(retry(answers), edits("elicitation/create", "response", () => ({ action: "decline" })));
      assert.deepEqual(pair[atAnswerer], [retry({ ...answers, e: { action: "decline" } })]);
    });

    test("fails a mutator that makes another kind of answer of it", async () => {
      for (const made of [{}, { roots: [] }, { action: "accept", model: "m" }]) {
        const pair = await exchange(retry(answers), edits("elicitation/create", "response", () => made));
        assert.deepEqual(pair[atAnswerer], []);
        assert.deepEqual(errorOf(pair[atAsker][0])?.data, { failedInterceptor: "m", reason: "malformed_result" }, JSON.stringify(made));
      }
    });

    test("refuses an answer of no kind, whatever is hooked", async () => {
      const pair = await exchange(retry({ k: { whatever: 1 } }), denies("acme/never", "request"));
      assert.deepEqual(pair[atAnswerer], []);
      assert.equal(errorOf(pair[atAsker][0])?.code, -32602);
      assert.equal(pair.guard.inFlight, 0);
    });
  });

  describe(`the guard of a ${role}, on a subscription to resources`, () => {
    const listen = (...uris: unknown[]) => request("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
    const exchange = async (message: Message, ...interceptors: Interceptor[]) => {
      const pair = guarded(...interceptors);
      await pair[asker](message);
      return pair;
    };
    const noSecret = validator({ name: "v", hooks: hook("resources/subscribe", "request") }, ({ payload }) => payload["uri"] !== "file:///secret");

    test("judges each URI, and lets them pass together or not at all", async () => {
      assert.deepEqual((await exchange(listen("file:///a", "file:///b"), noSecret))[atAnswerer], [listen("file:///a", "file:///b")]);
      const blocked = await exchange(listen("file:///a", "file:///secret"), noSecret);
      assert.deepEqual([blocked[atAnswerer].length, errorOf(blocked[atAsker][0])?.code], [0, -32602]);
    });

    test("judges the URIs that a mutator of the outer event has put there", async () => {
      const redirect = edits("subscriptions/listen", "request", (payload) => ({ ...payload, notifications: { resourceSubscriptions: ["file:///secret"] } }));
      assert.deepEqual((await exchange(listen("file:///a"), redirect, noSecret))[atAnswerer], []);
    });

    test("writes what a mutator makes of a URI, and fails one that makes none", async () => {
      const rewrite = edits("resources/subscribe", "request", ({ uri }) => ({ uri: `${String(uri)}?v=1` }));
      assert.deepEqual((await exchange(listen("a:1", "b:2"), rewrite))[atAnswerer], [listen("a:1?v=1", "b:2?v=1")]);
      const broken = await exchange(listen("a:1"), edits("resources/subscribe", "request", () => ({})));
      assert.deepEqual(errorOf(broken[atAsker][0])?.data, { failedInterceptor: "m", reason: "malformed_result" });
    });
  });

  describe(`the guard of a ${role}, on tasks`, () => {
    const created = (id: number, taskId: string) => result({ task: { taskId, status: "working" } }, id);
    const fetch = (id: number, taskId: string): Message => ({ jsonrpc: "2.0", id, method: "tasks/result", params: { taskId } });
    const acme = (id: number): Message => ({ jsonrpc: "2.0", id, method: "acme/run", params: {} });

    test("judges a finished task's result as the response of the request that created it", async () => {
      const pair = guarded(denies("acme/run", "request"), validator({ name: "w", hooks: hook("tools/call", "response") }, ({ payload }) => !JSON.stringify(payload).includes("leak")));
      await pair[asker](call(1));
      await pair[answerer](created(1, "t"));
      await pair[asker](fetch(2, "t"), fetch(3, "t"));
      await pair[answerer](textResult(2, "leak"), textResult(3, "fine"));
      assert.equal(errorOf(pair[atAsker][1])?.code, -32602);
      assert.deepEqual(pair[atAsker][2], textResult(3, "fine"));
      assert.equal(pair.guard.inFlight, 0);
    });

    test("shows with it the request that created the task, as it went on, wherever the result comes", async () => {
      const seen: unknown[] = [];
      const looks = validator({ name: "w", hooks: hook("tools/call", "response"), withRequest: true }, ({ context }) => {
        seen.push(context.request);
        return true;
      });
      const rename = edits("tools/call", "request", (payload) => ({ ...payload, arguments: { edited: true } }));
      const pair = guarded(looks, rename);
      const asked = { method: "tools/call", params: { name: "t", arguments: { edited: true } } };
      await pair[asker]({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: {} } });
      await pair[answerer](created(1, "t"));
      await pair[asker](fetch(2, "t"), fetch(3, "t"), { jsonrpc: "2.0", id: 4, method: "tasks/get", params: { taskId: "t" } });
      const failed: Message = { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "no" } };
      await pair[answerer](textResult(2, "x"), failed, result({ taskId: "t", status: "completed", result: { content: [] } }, 4));
      // The receipt, the result and the outcome within another; nobody here asks for errors.
      assert.deepEqual(seen, [asked, asked, asked]);
    });

    test("has a task that two calls claim to have created be nobody's, and one that a call claims twice its own", async () => {
      const pair = guarded(denies("acme/run", "request"), validator({ name: "w", hooks: hook("tools/call", "response") }, () => true));
      const ask = (id: number, name: string, token: string): Message => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta: { progressToken: token } } });
      for (const [id, name, taskId] of [[1, "a", "again"], [2, "a", "again"], [3, "a", "lent"], [4, "b", "lent"]] as const) {
        await pair[asker](ask(id, name, `p${id}`));
        await pair[answerer](created(id, taskId));
      }
      await pair[asker](fetch(5, "again"), fetch(6, "lent"));
      await pair[answerer](textResult(5, "x"), textResult(6, "x"));
      assert.deepEqual(pair[atAsker].at(-2), textResult(5, "x"));
      assert.match(errorOf(pair[atAsker].at(-1))?.message ?? "", /cannot be checked/);
    });

    test("mutates it so, and checks what becomes of it", async () => {
      const pair = guarded(edits("tools/call", "response", (payload) => ("task" in payload ? payload : payload["isError"] === true ? {} : { ...payload, content: [] })));
      await pair[asker](call(1));
      await pair[answerer](created(1, "t"));
      await pair[asker](fetch(2, "t"), fetch(3, "t"));
      await pair[answerer](textResult(2, "x"), result({ content: [], isError: true }, 3));
      assert.deepEqual(pair[atAsker].slice(1, 2), [result({ content: [] }, 2)]);
      assert.deepEqual(errorOf(pair[atAsker][2])?.data, { failedInterceptor: "m", reason: "malformed_result" });
    });

    test("refuses the result of a task that nobody knows, and of one that two methods claim, where any response is judged", async () => {
      const pair = guarded(denies("tools/call", "response"));
      await pair[asker](fetch(1, "unknown"));
      await pair[answerer](textResult(1, "x"));
      assert.match(errorOf(pair[atAsker][0])?.message ?? "", /cannot be checked/);
      await pair[asker](acme(2), acme(3));
      await pair[answerer](created(2, "mine"), created(3, "shared"));
      const other = { jsonrpc: "2.0", id: 4, method: "acme/other", params: {} } as const;
      await pair[asker](other);
      await pair[answerer](created(4, "shared"));
      await pair[asker](fetch(5, "mine"), fetch(6, "shared"));
      await pair[answerer](textResult(5, "mine"), textResult(6, "shared"));
      assert.deepEqual(pair[atAsker].slice(-2)[0], textResult(5, "mine"));
      assert.match(errorOf(pair[atAsker].at(-1))?.message ?? "", /cannot be checked/);
    });

    test("lets such a result pass where no response is ever judged", async () => {
      const pair = guarded(denies("tools/call", "request"));
      await pair[asker](fetch(1, "unknown"));
      await pair[answerer](textResult(1, "x"));
      assert.deepEqual(pair[atAsker], [textResult(1, "x")]);
    });

    test("does not take a task of the other side for it", async () => {
      const pair = guarded(denies("tools/call", "response"));
      // The answerer asks, too, and the asker names a task of its own "t".
      await pair[answerer]({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} });
      await pair[asker](created(1, "t"), fetch(2, "t"));
      await pair[answerer](textResult(2, "x"));
      assert.match(errorOf(pair[atAsker].at(-1))?.message ?? "", /cannot be checked/);
    });
  });

  test(`the guard of a ${role} shows interceptors of a response the request as it went on, whatever its receiver does to it`, async () => {
    const seen: unknown[] = [];
    const tag = mutator({ name: "tag", hooks: hook("tools/call", "request") }, ({ payload }) => ({ ...payload, arguments: { tagged: true } }));
    const look = validator({ name: "look", hooks: hook("tools/call", "response"), withRequest: true }, ({ context }) => seen.push(context.request) > 0);
    const pair = guarded(tag, look);
    await pair[asker](call(1));
    argumentsOf(pair[atAnswerer][0])["tagged"] = "vandalised";
    await pair[answerer](textResult(1, "x"));
    assert.deepEqual(seen, [{ method: "tools/call", params: { name: "echo", arguments: { tagged: true } } }]);
  });

  test(`the guard of a ${role} lets an audit entry that runs on see what was judged, whatever the receiver does to it`, async () => {
    let finish = (_payload: unknown) => {};
    const shadow = mutator({ name: "shadow", hooks: hook("tools/call", "request"), mode: "audit" }, ({ payload }) => new Promise<typeof payload>((resolve) => (finish = () => resolve(payload))));
    const outcomes: unknown[] = [];
    const pair = guardedPair([shadow], { role, chainOf: (host) => createChain({ host, observe: (event) => void (event.kind === "verdict" && outcomes.push(event.outcome)) }) });
    await pair[asker](call(1));
    argumentsOf(pair[atAnswerer][0])["late"] = 1;
    finish(undefined);
    await settle();
    assert.deepEqual(outcomes, ["unchanged"]);
  });
}

test("both phases of an exchange are of one trace: the request's own where it is well formed, else a new one", async () => {
  const contexts: { traceId: string; spanId: string }[] = [];
  const look = validator({ name: "look", hooks: [...hook("tools/call", "request"), ...hook("tools/call", "response")] }, ({ context }) => contexts.push(context as never) > 0);
  const late = validator({ name: "late", hooks: hook("tools/call", "response") }, ({ context }) => contexts.push(context as never) > 0);
  const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const traced = (traceparent: string): Message => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: { traceparent } } });
  const exchange = async (message: Message, interceptor: Interceptor) => {
    contexts.length = 0;
    const pair = guardedPair([interceptor]);
    await pair.fromPeer(message);
    await pair.fromApp(textResult(1, "x"));
    return contexts.map((context) => [context.traceId, context.spanId]);
  };
  assert.deepEqual(await exchange(traced(`00-${traceId}-${spanId}-01`), look), [[traceId, spanId], [traceId, spanId]]);
  assert.deepEqual(await exchange(traced(`00-${traceId}-${spanId}-01`), late), [[traceId, spanId]], "also where only the response is judged");
  for (const message of [call(1), traced("00-nonsense-01"), traced(`00-${"0".repeat(32)}-${spanId}-01`)]) {
    const [asked, answered, ...others] = await exchange(message, look);
    assert.match(asked?.[0] ?? "", /^(?!0+$)[0-9a-f]{32}$/);
    assert.deepEqual([answered, others], [asked, []]);
  }
});

test("what a context provider gives is its own to change afterwards", async () => {
  const principal = { type: "user" as const, id: "u", claims: { role: "admin" } };
  let release = (_valid: boolean) => {};
  const seen: unknown[] = [];
  const first = validator({ name: "first", hooks: hook("tools/call", "request") }, () => new Promise<boolean>((resolve) => (release = resolve)));
  const second = mutator({ name: "second", hooks: hook("tools/call", "request") }, ({ payload, context }) => (seen.push(context.principal), payload));
  const pair = guardedPair([first, second], { context: () => ({ principal }) });
  await pair.fromPeer(call(1));
  principal.claims.role = "nobody";
  release(true);
  await settle();
  assert.deepEqual(seen, [{ type: "user", id: "u", claims: { role: "admin" } }]);
  const odd = guardedPair([first], { context: () => ({ traceId: (() => "") as never }) });
  await odd.fromPeer(call(1));
  assert.equal(errorOf(odd.atPeer[0])?.code, -32603);
});

test("a notification that carries answers of no kind is dropped, and its sender is not told", async () => {
  const pair = guardedPair([denies("acme/never", "request")], { policy: { interceptNotifications: true } });
  await pair.fromApp(notice("acme/note", { inputResponses: { k: {} } }));
  await pair.fromPeer(notice("acme/note", { inputResponses: { k: {} } }));
  const line = "warn: the notification acme/note was dropped: invalid_message";
  assert.deepEqual([pair.atPeer, pair.atApp, pair.log], [[], [], [line, line]]);
  assert.deepEqual(pair.decisions.map(({ verdict, reason }) => [verdict, reason]), [["dropped", "invalid_message"], ["dropped", "invalid_message"]]);
});
