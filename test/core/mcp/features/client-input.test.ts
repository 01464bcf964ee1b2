import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { createSignal } from "../../../../src/core/base/signal.ts";
import { McpClient, type McpClientOptions } from "../../../../src/core/mcp/client.ts";
import { settle } from "../../../support/fake-host.ts";
import { scriptedServer, SILENCE, type Answer } from "../../../support/scripted-server.ts";

const DONE = { resultType: "complete", content: [] };
const asking = (inputRequests?: JsonObject, requestState?: string): JsonObject => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? {} : { inputRequests }),
  ...(requestState === undefined ? {} : { requestState }),
});
const FORM = { method: "elicitation/create", params: { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } } };
const SAMPLE = { method: "sampling/createMessage", params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 } };
const ROOTS = { method: "roots/list" };

/** A server that answers call by call; the last answer holds on. */
async function script(answers: readonly Answer[], prepare: (client: McpClient) => void = () => {}, options: McpClientOptions = {}) {
  const left = [...answers];
  return await scriptedServer({ options, prepare, answer: () => (left.length > 1 ? left.shift()! : left[0]!) });
}
const retryOf = (requests: readonly { readonly params?: JsonObject }[], index: number): JsonObject => {
  const { _meta, ...rest } = requests[index]?.params ?? {};
  assert.ok(_meta !== undefined, "a retry carries what every request does");
  return rest;
};

describe("a result that wants input", () => {
  test("is met by the handlers, and the request sent again under a new id with answers and state (case 35)", async () => {
    const state = 'opaque \u2028 "é" \ud800 \\u0041 {"a":1}';
    const inputRequests = { who: FORM, ["__proto__x"]: SAMPLE, where: ROOTS };
    const { client, requests, host } = await script([asking(inputRequests, state), DONE], (own) =>
      own
        .onElicitation(({ mode, message }) => ({ action: "accept", content: { name: `${mode} ${message}` } }))
        .onSampling(() => ({ role: "assistant", content: { type: "text", text: "!" }, model: "m" }))
        .onRoots([{ uri: "file:///w" }]),
    );
    assert.deepEqual(await client.callTool({ name: "t", arguments: { a: 1 } }), DONE);
    const [first, second, ...more] = requests();
    assert.deepEqual(more, []);
    assert.ok(first !== undefined && second !== undefined && first.id !== second.id);
    assert.deepEqual([first.method, second.method], ["tools/call", "tools/call"]);
    assert.deepEqual(retryOf([first], 0), { name: "t", arguments: { a: 1 } });
    assert.deepEqual(retryOf([second], 0), {
      name: "t",
      arguments: { a: 1 },
      inputResponses: {
        who: { action: "accept", content: { name: "form Who?" } },
        __proto__x: { role: "assistant", content: { type: "text", text: "!" }, model: "m" },
        where: { roots: [{ uri: "file:///w" }] },
      },
      requestState: state,
    });
    assert.equal(host.liveTimers, 0);
  });

  test("may come from prompts/get and resources/read as well, and from an extension's method", async () => {
    for (const [method, final] of [["prompts/get", { messages: [] }], ["resources/read", { contents: [] }], ["com.example/x", { y: 1 }]] as const) {
      const { client, requests } = await script([asking({ k: ROOTS }, "s"), { ...final }], (own) => own.onRoots([]));
      assert.deepEqual(await client.request(method, { name: "n" }), final);
      assert.deepEqual(retryOf(requests(), 1), { name: "n", inputResponses: { k: { roots: [] } }, requestState: "s" });
    }
  });

  test("takes the place of the one before it: answers and state of an earlier round are not sent again", async () => {
    const rounds = [asking({ a: ROOTS }, "one"), asking({ b: ROOTS }), asking(undefined, "three"), DONE];
    const { client, requests, host } = await script(rounds, (own) => own.onRoots([]));
    const call = client.callTool({ name: "t", inputResponses: { old: {} }, requestState: "old" });
    await host.advance(1_000);
    await call;
    assert.deepEqual(requests().map((_, index) => retryOf(requests(), index)), [
      { name: "t", inputResponses: { old: {} }, requestState: "old" },
      { name: "t", inputResponses: { a: { roots: [] } }, requestState: "one" },
      { name: "t", inputResponses: { b: { roots: [] } } },
      { name: "t", requestState: "three" },
    ]);
    assert.equal(new Set(requests().map(({ id }) => id)).size, 4);
  });

  test("that asks for nothing but another try is tried again, with waits that grow (load shedding)", async () => {
    const { client, requests, host } = await script([asking(undefined, "s")], undefined, { maxInputRounds: 3 });
    const call = assert.rejects(client.callTool({ name: "t" }), { code: "limit_exceeded" });
    const seen: number[] = [];
    for (const ms of [99, 1, 199, 1, 399, 1]) {
      await host.advance(ms);
      seen.push(requests().length);
    }
    await call;
    assert.deepEqual(seen, [1, 2, 2, 3, 3, 4]);
    assert.equal(host.liveTimers, 0);
  });

  test("is asked for ten times by default, and then given up", async () => {
    const { client, requests, host } = await script([asking({ k: ROOTS })], (own) => own.onRoots([]));
    await assert.rejects(client.callTool({ name: "t" }), { code: "limit_exceeded", message: /after 10 rounds \(maxInputRounds\)/ });
    assert.equal(requests().length, 11);
    assert.equal(host.liveTimers, 0);
  });

  test("is given back as it is where the client is told to", async () => {
    const { client, requests } = await script([asking({ k: FORM }, "s")], undefined, { resultTypes: ["input_required"] });
    assert.deepEqual(await client.request("tools/call", { name: "t" }), asking({ k: FORM }, "s"));
    assert.equal(requests().length, 1);
  });

  test("is no result that may be kept", async () => {
    const kept = { contents: [], ttlMs: 60_000, cacheScope: "public" };
    const { client, requests } = await script([asking({ k: ROOTS }), kept, kept], (own) => own.onRoots([]));
    await client.readResource({ uri: "x:a" });
    await client.readResource({ uri: "x:a" });
    assert.equal(requests().length, 3);
    // Nor is one that the caller has answered by hand.
    await client.readResource({ uri: "x:b", inputResponses: {} });
    await client.readResource({ uri: "x:b", inputResponses: {} });
    await client.readResource({ uri: "x:b", requestState: "s" });
    await client.readResource({ uri: "x:b", requestState: "s" });
    assert.equal(requests().length, 7);
  });
});

describe("several inputs", () => {
  const two = asking({ b: FORM, a: ROOTS });
  test("are asked for at once", async () => {
    const log: string[] = [];
    let release = (): void => {};
    const { client } = await script([two, DONE], (own) =>
      own
        .onElicitation(async () => {
          log.push("form");
          await new Promise<void>((resolve) => (release = resolve));
          return { action: "decline" };
        })
        .onRoots(() => (log.push("roots"), [])),
    );
    const call = client.callTool({ name: "t" });
    await settle();
    assert.deepEqual(log, ["form", "roots"]);
    release();
    await call;
  });
  test("are asked for one after the other, in the order of the keys, where the client is told to", async () => {
    const log: string[] = [];
    const { client, requests } = await script(
      [two, DONE],
      (own) =>
        own
          .onElicitation(async () => {
            log.push("form asked");
            await settle();
            log.push("form answered");
            return { action: "cancel" };
          })
          .onRoots(() => (log.push("roots"), [])),
      { inputInOrder: true },
    );
    await client.callTool({ name: "t" });
    assert.deepEqual(log, ["form asked", "form answered", "roots"]);
    assert.deepEqual(Object.keys(retryOf(requests(), 1).inputResponses as object), ["b", "a"]);
  });
});

describe("a result that wants input wrongly is a protocol error, and nobody is asked:", () => {
  const rows: [string, JsonObject][] = [
    ["neither requests nor state", { resultType: "input_required" }],
    ["a method that no result may ask for", asking({ ok: ROOTS, k: { method: "ping" } })],
    ["a method that only looks familiar", asking({ k: { method: "constructor" } })],
    ["a request that is none", asking({ ok: ROOTS, k: 5 } as never)],
    ["a request without a method", asking({ ok: ROOTS, k: {} })],
    ["requests that are a list", { resultType: "input_required", inputRequests: [ROOTS] }],
    ["state that is no text", { resultType: "input_required", requestState: { a: 1 } }],
    ["params that are wrong", asking({ ok: ROOTS, k: { method: "elicitation/create", params: { message: 5 } } })],
    ["an unknown type", { resultType: "half", content: [] }],
    ["a type that is no text", { resultType: 5 }],
  ];
  for (const [name, result] of rows) {
    test(name, async () => {
      let asked = 0;
      const { client, requests, host } = await script([result], (own) => own.onRoots(() => (asked++, [])).onElicitation(() => (asked++, { action: "cancel" })));
      await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message" });
      assert.deepEqual([asked, requests().length, host.liveTimers], [0, 1, 0]);
    });
  }
  for (const method of ["tools/list", "prompts/list", "resources/list", "completion/complete", "subscriptions/listen"]) {
    test(`${method} must not ask`, async () => {
      const { client } = await scriptedServer({ answer: () => asking({ k: ROOTS }), prepare: (own) => own.onRoots([]) });
      await assert.rejects(client.request(method), { code: "invalid_message", message: new RegExp(`${method} must not ask for input`) });
    });
  }
});

describe("input that nobody gives", () => {
  test("names the handler that is missing, before any other handler is asked", async () => {
    let asked = 0;
    const { client, requests } = await script([asking({ a: ROOTS, b: SAMPLE })], (own) => own.onRoots(() => (asked++, [])));
    await assert.rejects(client.callTool({ name: "t" }), {
      code: "unsupported",
      message: /sampling\/createMessage/,
      details: { method: "sampling/createMessage", inputRequests: ["a", "b"] },
    });
    assert.deepEqual([asked, requests().length], [0, 1]);
  });

  test("as a handler fails, ends the call with its error as the cause; other handlers are told", async () => {
    const why = new LocalError("refused", "the user is away");
    let told: unknown;
    const { client, requests, host } = await script([asking({ a: ROOTS, b: FORM })], (own) =>
      own
        .onRoots(() => Promise.reject(why))
        .onElicitation(async (_request, { coreSignal, signal }) => {
          await new Promise<void>((resolve) => coreSignal.onAbort(() => resolve()));
          told = signal.aborted;
          return { action: "cancel" };
        }),
    );
    await assert.rejects(client.callTool({ name: "t" }), { code: "aborted", cause: why, message: /the user is away/, details: { key: "a", method: "roots/list" } });
    await settle();
    assert.deepEqual([told, requests().length, host.liveTimers], [true, 1, 0]);
  });

  test("as the server asks in a mode that was not announced, is the server's fault", async () => {
    const page = { method: "elicitation/create", params: { mode: "url", message: "Go", url: "https://example.com" } };
    const { client } = await script([asking({ k: page })], (own) => own.onElicitation(() => ({ action: "accept" })));
    await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message", message: /mode url/ });
  });
});

describe("a call that is in its rounds", () => {
  test("is cancelled under its newest id (case 35)", async () => {
    const { client, requests, sent } = await script([asking({ k: ROOTS }), SILENCE], (own) => own.onRoots([]));
    const source = createSignal();
    const call = assert.rejects(client.callTool({ name: "t" }, { signal: source.signal }), { code: "aborted", cause: "enough" });
    await settle();
    source.abort("enough");
    await call;
    await settle();
    const cancelled = sent().filter((message) => "method" in message && message.method === "notifications/cancelled");
    assert.deepEqual(cancelled.map((message) => ("params" in message ? message.params?.requestId : undefined)), [requests()[1]?.id]);
  });

  test("is given up while a handler is at it: nothing is sent, and the handler is told", async () => {
    let told = false;
    const { client, sent, host } = await script([asking({ k: ROOTS })], (own) =>
      own.onRoots(async ({ coreSignal }) => {
        await new Promise<void>((resolve) => coreSignal.onAbort(() => resolve()));
        told = true;
        return [];
      }),
    );
    const source = createSignal();
    const call = assert.rejects(client.callTool({ name: "t" }, { signal: source.signal }), { code: "aborted", cause: "enough" });
    await settle();
    source.abort("enough");
    await call;
    await settle();
    assert.deepEqual([told, sent().length, host.liveTimers], [true, 1, 0]);
  });

  test("is not sent again after a timeout of a round, which is cancelled once (case 40)", async () => {
    const { client, requests, sent, host } = await script([asking({ k: ROOTS }), SILENCE], (own) => own.onRoots([]));
    const call = assert.rejects(client.callTool({ name: "t" }, { timeoutMs: 50 }), { code: "timeout" });
    await host.advance(50);
    await call;
    await host.advance(10_000);
    assert.deepEqual([requests().length, sent().length, host.liveTimers], [2, 3, 0]);
  });

  test("ends with timeout when the whole of it takes too long, whoever it waits for", async () => {
    for (const options of [{ maxTotalTimeoutMs: 70 }, {}]) {
      const { client, requests, host } = await script([asking({ k: ROOTS })], (own) => own.onRoots(() => new Promise(() => {})), { inputTimeoutMs: 70 });
      const call = assert.rejects(client.callTool({ name: "t" }, options), { code: "timeout", details: { timeoutMs: 70 } });
      await host.advance(70);
      await call;
      assert.deepEqual([requests().length, host.liveTimers], [1, 0]);
    }
  });

  test("ends with timeout in a round as well, which is cancelled", async () => {
    const { client, requests, sent, host } = await script([asking({ k: ROOTS }), SILENCE], (own) => own.onRoots([]));
    const call = assert.rejects(client.callTool({ name: "t" }, { maxTotalTimeoutMs: 70 }), { code: "timeout" });
    await host.advance(70);
    await call;
    assert.deepEqual([requests().length, sent().length, host.liveTimers], [2, 3, 0]);
  });

  test("asks no further handler once it is given up", async () => {
    let asked = 0;
    const source = createSignal();
    const { client } = await script(
      [asking({ a: FORM, b: ROOTS })],
      (own) => own.onElicitation(() => (source.abort("enough"), { action: "cancel" })).onRoots(() => (asked++, [])),
      { inputInOrder: true },
    );
    await assert.rejects(client.callTool({ name: "t" }, { signal: source.signal }), { code: "aborted" });
    await settle();
    assert.equal(asked, 0);
  });

  test("ends with closed when the connection does, in a handler and in a wait", async () => {
    for (const result of [asking({ k: ROOTS }), asking(undefined, "s")]) {
      const { client, host } = await script([result], (own) => own.onRoots(() => new Promise(() => {})));
      const call = assert.rejects(client.callTool({ name: "t" }), { code: "closed" });
      await settle();
      await client.close();
      await call;
      assert.equal(host.liveTimers, 0);
    }
  });

  test("ends with the server's error, which is not tried again", async () => {
    const { client, requests } = await script([asking({ k: ROOTS }), new RpcError(-32603, "no")], (own) => own.onRoots([]));
    await assert.rejects(client.callTool({ name: "t" }), { code: -32603 });
    assert.equal(requests().length, 2);
  });

  test("hears of the progress of each round", async () => {
    const { client, requests, notify, reply } = await script([SILENCE], (own) => own.onRoots([]));
    const seen: number[] = [];
    const call = client.callTool({ name: "t" }, { onProgress: ({ progress }) => seen.push(progress) });
    for (const [round, answer] of [asking({ k: ROOTS }), DONE].entries()) {
      await settle();
      const request = requests()[round]!;
      await notify("notifications/progress", { progressToken: (request.params?._meta as JsonObject).progressToken, progress: round + 1 });
      await reply(request.id, answer);
    }
    await call;
    assert.deepEqual(seen, [1, 2]);
  });
});

test("two calls in their rounds keep their states apart", async () => {
  const { client, requests } = await scriptedServer({
    prepare: (own) => own.onRoots([]),
    answer: (_method, { name, requestState }) => (requestState === undefined ? asking({ k: ROOTS }, `of ${String(name)}`) : { content: [{ type: "text", text: `${String(name)} ${String(requestState)}` }] }),
  });
  const results = await Promise.all(["a", "b", "c"].map((name) => client.callTool({ name })));
  assert.deepEqual(results.map(({ content }) => content[0]?.text), ["a of a", "b of b", "c of c"]);
  assert.equal(requests().length, 6);
});

test("rounds and times that are none are refused", () => {
  for (const options of [{ maxInputRounds: 0 }, { maxInputRounds: 1.5 }, { inputTimeoutMs: 0 }, { inputTimeoutMs: NaN }]) {
    assert.throws(() => new McpClient({ name: "c", version: "1" }, options), { code: "invalid_argument" });
  }
});
