import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { settle } from "../../support/fake-host.ts";
import { call, guardedPair, notice } from "../../support/guarded-pair.ts";

const noSecrets = validator({ name: "no-secrets", hooks: [{ events: ["tools/call", "tools/list", "resources/read"], phase: "response" }] }, ({ payload }) =>
  JSON.stringify(payload).includes("SECRET") ? deny("a secret") : true,
);
const modern = (id: number, method: string, params: Record<string, unknown> = {}): Message => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} } },
});
const answer = (id: number, result: Record<string, unknown>): Message => ({ jsonrpc: "2.0", id, result });
const codeOf = (message: Message | undefined) => (message !== undefined && "error" in message ? message.error.code : undefined);

describe("a result that says it asks for input", () => {
  for (const role of ["server", "client"] as const) {
    const run = async (request: Message, result: Record<string, unknown>) => {
      const pair = guardedPair([noSecrets], { role });
      await (role === "server" ? pair.fromPeer(request) : pair.fromApp(request));
      await (role === "server" ? pair.fromApp(answer(1, result)) : pair.fromPeer(answer(1, result)));
      assert.equal(pair.guard.inFlight, 0);
      return role === "server" ? pair.atPeer : pair.atApp;
    };
    const content = [{ type: "text", text: "SECRET" }];

    test(`brings no content past the ${role}'s guard`, async () => {
      for (const asked of [{}, { requestState: "s" }, { inputRequests: { a: { method: "roots/list" } } }]) {
        const arrived = await run(modern(1, "tools/call", { name: "t" }), { resultType: "input_required", ...asked, content });
        assert.equal(codeOf(arrived[0]), -32602, JSON.stringify(asked));
      }
      const read = await run(modern(1, "resources/read", { uri: "x:y" }), { resultType: "input_required", contents: [{ uri: "x:y", text: "SECRET" }] });
      assert.equal(codeOf(read[0]), -32602);
    });

    test(`is refused by the ${role}'s guard where the method may not ask, or asks for what may not be asked`, async () => {
      const listed = await run(modern(1, "tools/list"), { resultType: "input_required", tools: [{ name: "t", inputSchema: { type: "object" } }] });
      assert.equal(codeOf(listed[0]), -32603);
      for (const method of ["tools/call", "server/discover", "notifications/message"]) {
        const arrived = await run(modern(1, "tools/call", { name: "t" }), { resultType: "input_required", inputRequests: { a: { method, params: {} } } });
        assert.equal(codeOf(arrived[0]), -32603, method);
      }
    });

    test(`brings no text past the ${role}'s guard in what no interceptor of its own sees`, async () => {
      const question = { method: "roots/list" };
      for (const beside of [{ _meta: { x: "SECRET" } }, { _meta: { "com.mcp/x": "SECRET" } }, { _meta: "SECRET" }, { requestState: { x: "SECRET" } }]) {
        const arrived = await run(modern(1, "tools/call", { name: "t" }), { resultType: "input_required", inputRequests: { a: question }, ...beside });
        assert.equal(codeOf(arrived[0]), -32602, JSON.stringify(beside));
      }
      for (const inputRequests of [{ a: { ...question, x: "SECRET" } }, { "a SECRET": question }, { "": question }, { ["k".repeat(65)]: question }, { "a@b.example": question }]) {
        const arrived = await run(modern(1, "tools/call", { name: "t" }), { resultType: "input_required", inputRequests });
        assert.equal(codeOf(arrived[0]), -32603, JSON.stringify(inputRequests));
        assert.doesNotMatch(JSON.stringify(arrived), /SECRET/, "not in the error either");
      }
    });

    test(`may ask for no method that nobody knows (${role})`, async () => {
      for (const [key, method] of [["a", "acme/ask SECRET"], ["a SECRET", "acme/ask"], ["a SECRET", 5]] as const) {
        const arrived = await run(modern(1, "tools/call", { name: "t" }), { resultType: "input_required", inputRequests: { [key]: { method, params: {} } } });
        assert.equal(codeOf(arrived[0]), -32603);
        assert.doesNotMatch(JSON.stringify(arrived), /SECRET/);
      }
    });

    test(`passes the ${role}'s guard as it came where it only asks`, async () => {
      const result = { resultType: "input_required", requestState: "s", inputRequests: { "é/a.b:c_d~-1": { method: "roots/list" } }, _meta: { x: 1 } };
      assert.deepEqual(await run(modern(1, "tools/call", { name: "t" }), result), [answer(1, result)]);
    });
  }

  test("goes on as it came or not at all, and no mutator makes one of another", async () => {
    const ask = { method: "elicitation/create", params: { message: "name?", requestedSchema: { type: "object", properties: {} } } };
    const asking = { resultType: "input_required", requestState: "s", inputRequests: { a: ask }, content: [] };
    const { inputRequests: _requests, requestState: _state, ...empty } = asking;
    const complete = { resultType: "complete", content: [] };
    const task = { resultType: "task", taskId: "T", status: "input_required", inputRequests: { a: ask } };
    const tries: readonly (readonly [before: Record<string, unknown>, after: Record<string, unknown>, fine: boolean])[] = [
      [asking, empty, false],
      [asking, { ...asking, requestState: "other" }, false],
      [asking, { ...asking, inputRequests: { a: { method: "roots/list" } } }, false],
      [asking, complete, false],
      [asking, structuredClone(asking), true],
      [complete, asking, false],
      [complete, { ...complete, requestState: "nobody's", inputRequests: {} }, true],
      [task, { ...task, inputRequests: {} }, false],
      [task, { ...task, x: 1 }, true],
      [complete, task, false],
    ];
    for (const [before, after, fine] of tries) {
      // What tools/call gives as a task is of another shape.
      for (const method of fine && before === task ? ["acme/ask"] : ["tools/call", "acme/ask"]) {
        const turns = mutator({ name: "turns", hooks: [{ events: [method], phase: "response" }] }, () => after as never);
        const pair = guardedPair([turns]);
        await pair.fromPeer(modern(1, method, { name: "t" }));
        await pair.fromApp(answer(1, before));
        const what = `${method} ${JSON.stringify([before, after])}`;
        if (fine) assert.deepEqual(pair.atPeer, [answer(1, after)], what);
        else assert.deepEqual([pair.atPeer.length, codeOf(pair.atPeer[0])], [1, -32603], what);
      }
    }
  });

  test("a result that a mutator makes anew is complete, and says so where its revision demands it", async () => {
    const turns = mutator({ name: "turns", hooks: [{ events: ["tools/call"], phase: "response" }] }, () => ({ content: [] }));
    for (const [request, before, after] of [
      [modern(1, "tools/call", { name: "t" }), { resultType: "complete", content: [{ type: "text", text: "x" }] }, { content: [], resultType: "complete" }],
      [call(1), { content: [{ type: "text", text: "x" }] }, { content: [] }],
    ] as const) {
      const pair = guardedPair([turns]);
      await pair.fromPeer(request);
      await pair.fromApp(answer(1, before));
      assert.deepEqual(pair.atPeer, [answer(1, after)]);
    }
  });

  test("is seen by the interceptors of its own event where it holds more than asking takes, and who the server is does not count", async () => {
    const seen: unknown[] = [];
    const look = validator({ name: "look", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => seen.push(payload) > 0);
    const pair = guardedPair([look]);
    const [plain, more] = [{ "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } }, { x: 1 }].map((_meta) => ({ resultType: "input_required", requestState: "s", _meta }));
    for (const [id, result] of [[1, plain], [2, more]] as const) {
      await pair.fromPeer(modern(id, "tools/call", { name: "t" }));
      await pair.fromApp(answer(id, result!));
    }
    assert.deepEqual([pair.atPeer.length, seen], [2, [more]]);
  });

  test("may have keys and members of any kind where no active interceptor has to do with it", async () => {
    const elsewhere = validator({ name: "elsewhere", hooks: [{ events: ["prompts/get"], phase: "response" }] }, () => deny("no"));
    const audits = validator({ name: "audits", mode: "audit", hooks: [{ events: ["*"], phase: "response" }, { events: ["*"], phase: "request" }] }, () => deny("no"));
    const result = { resultType: "input_required", inputRequests: { "What now?": { method: "roots/list", x: 1 } }, _meta: { x: 1 } };
    for (const interceptor of [elsewhere, audits]) {
      const pair = guardedPair([interceptor]);
      await pair.fromPeer(modern(1, "tools/call", { name: "t" }));
      await pair.fromApp(answer(1, result));
      await pair.fromPeer(modern(2, "tools/call", { name: "t", inputResponses: { "What now?": { roots: [] } } }));
      assert.deepEqual([pair.atPeer, pair.atApp.length], [[answer(1, result)], 2]);
    }
    // Whoever waits for the complete result has to do with it.
    const waits = guardedPair([validator({ name: "waits", hooks: [{ events: ["tools/call"], phase: "response" }] }, () => true)]);
    await waits.fromPeer(modern(1, "tools/call", { name: "t" }));
    await waits.fromApp(answer(1, result));
    assert.deepEqual(waits.atPeer.map(codeOf), [-32603]);
  });
});

test("a retry brings no text past a guard in the keys of its answers, nor does a notification", async () => {
  const allows = validator({ name: "allows", hooks: [{ events: ["elicitation/create"], phase: "response" }] }, () => true);
  const pair = guardedPair([allows], { policy: { interceptNotifications: true } });
  const inputResponses = { "a SECRET": { action: "accept" } };
  await pair.fromPeer(modern(1, "tools/call", { name: "t", inputResponses }));
  await pair.fromPeer({ jsonrpc: "2.0", method: "acme/note", params: { inputResponses } });
  assert.deepEqual([pair.atPeer.map(codeOf), pair.atApp, pair.guard.inFlight], [[-32602], [], 0]);
});

describe("the outcome of a task", () => {
  const creating = async () => {
    const pair = guardedPair([noSecrets]);
    await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", task: {} } });
    await pair.fromApp(answer(1, { task: { taskId: "T", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null } }));
    pair.atPeer.length = 0;
    return pair;
  };
  const outcome = (text: string) => ({ taskId: "T", status: "completed", result: { content: [{ type: "text", text }] } });

  test("is judged as the response of the request that created it, wherever it comes", async () => {
    const pair = await creating();
    await pair.fromPeer({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "T" } });
    await pair.fromApp(answer(2, outcome("SECRET")), notice("notifications/tasks", outcome("SECRET")), notice("notifications/tasks/status", outcome("SECRET")));
    assert.deepEqual(pair.atPeer.map(codeOf), [-32602]);
    await pair.fromPeer({ jsonrpc: "2.0", id: 3, method: "tasks/get", params: { taskId: "T" } });
    await pair.fromApp(answer(3, outcome("fine")), notice("notifications/tasks", outcome("fine")));
    assert.deepEqual(pair.atPeer.slice(1), [answer(3, outcome("fine")), notice("notifications/tasks", outcome("fine"))]);
  });

  test("is refused where nobody knows its request, unless nobody judges responses", async () => {
    const unknown = { ...outcome("x"), taskId: "U" };
    const ask: Message = { jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "U" } };
    const pair = await creating();
    await pair.fromPeer(ask);
    await pair.fromApp(answer(2, unknown), notice("notifications/tasks", unknown));
    assert.deepEqual(pair.atPeer.map(codeOf), [-32603]);
    const lax = guardedPair([validator({ name: "v", hooks: [{ events: ["*"], phase: "request" }] }, () => true)]);
    await lax.fromPeer(ask);
    await lax.fromApp(answer(2, unknown), notice("notifications/tasks", unknown));
    assert.equal(lax.atPeer.length, 2);
  });
});

describe("an owner's function that misbehaves", () => {
  const noCalls = validator({ name: "no-calls", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => deny("no"));

  test("an observer or a log that throws or rejects breaks nothing", async () => {
    for (const bad of [() => Promise.reject(new Error("x")), () => { throw new Error("x"); }] as const) {
      const pair = guardedPair([noCalls], { observe: bad as never, log: bad as never });
      await pair.fromPeer(call(1), { jsonrpc: "2.0", id: 7, result: {} });
      assert.deepEqual(pair.atPeer.map(codeOf), [-32602]);
    }
  });

  test("an answerAs that gives no error gets the usual one answered", async () => {
    const usual = { interceptor: "no-calls", severity: "error", message: "no" };
    const wrong = [undefined, null, { code: 1, message: "m" }, Promise.resolve(new RpcError(1, "m")), new Error("m"), new RpcError(Number.NaN, "m"), new RpcError(1.5, "m"), new RpcError(1, "m", () => 1)];
    for (const returned of wrong) {
      const pair = guardedPair([noCalls], { policy: { answerAs: { "no-calls": () => returned as RpcError } } });
      await pair.fromPeer(call(1));
      assert.deepEqual(pair.atPeer.map((message) => ("error" in message ? message.error.data : message)), [{ validationErrors: [usual] }], String(returned));
      assert.equal(pair.guard.inFlight, 0);
      assert.match(pair.log.join("\n"), /answerAs of no-calls failed/);
    }
  });

  test("a context provider that hangs holds its message no longer than its time, and not at all once cancelled", async () => {
    const pair = guardedPair([noCalls], { context: () => new Promise(() => {}), policy: { contextTimeoutMs: 500 } });
    await pair.fromPeer(call(1), { jsonrpc: "2.0", id: 2, method: "prompts/list" });
    assert.deepEqual(pair.atApp, []);
    await pair.fromPeer(notice("notifications/cancelled", { requestId: 1 }));
    assert.deepEqual(pair.atApp, [{ jsonrpc: "2.0", id: 2, method: "prompts/list" }]);
    await pair.fromPeer(call(3));
    await pair.host.advance(500);
    assert.deepEqual(pair.atPeer.map(codeOf), [-32603]);
    assert.equal(pair.host.liveTimers, 0);
  });

  test("a record that hangs has failed after its time", async () => {
    const see = validator({ name: "see", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);
    const pair = guardedPair([see], { record: () => new Promise(() => {}), policy: { recordTimeoutMs: 500 } });
    await pair.fromPeer(call(1));
    await pair.host.advance(499);
    assert.deepEqual(pair.atApp, []);
    await pair.host.advance(1);
    await settle();
    assert.deepEqual(pair.atApp, []);
    assert.match(pair.log.join("\n"), /could not be recorded/);
  });

  test("a context that is none blocks the message", async () => {
    for (const context of [5, null, "x", { principal: 5 }, { principal: { type: "root" } }, { timestamp: 5 }, { traceId: 7 }]) {
      const seen: unknown[] = [];
      const see = validator({ name: "see", hooks: [{ events: ["tools/call"], phase: "request" }] }, (input) => (seen.push(input.context), true));
      const pair = guardedPair([see], { context: () => context as never });
      await pair.fromPeer(call(1));
      assert.deepEqual([seen, pair.atApp, pair.atPeer.map(codeOf)], [[], [], [-32603]], JSON.stringify(context));
    }
  });
});

test("an answer that is too large to send is answered with an error that fits", async () => {
  const [peer, inner] = memoryPair();
  const sent: Message[] = [];
  const narrow: Transport = {
    ...inner,
    send(frame) {
      if (JSON.stringify(frame.message).length > 500) return Promise.reject(Object.assign(new RpcError(1, "too large"), {}));
      sent.push(frame.message);
      return Promise.resolve();
    },
  };
  const chain = createChain();
  chain.add(validator({ name: "v", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => deny("x".repeat(1000))));
  const guard = guardTransport(narrow, { role: "server", chain: { current: () => chain } });
  void guard.receive();
  await peer.send({ message: call(1) });
  await settle();
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "The answer could not be sent", data: { reason: "failed" } } }]);
  await guard.close();
});

test("what a lax transport lets through is refused, with one answer where somebody waits", async () => {
  const arrivals: unknown[] = [
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: null },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: ["x"] },
    { jsonrpc: "2.0", id: 1.5, method: "ping" },
    { jsonrpc: "2.0", id: "mine", result: {}, error: { code: 1, message: "m" } },
  ];
  const from = { transport: "memory", connection: "lax" } as const;
  const sent: Message[] = [];
  const lax: Transport = {
    send: (frame) => (sent.push(frame.message), Promise.resolve()),
    receive: () => {
      const message = arrivals.shift();
      return message === undefined ? new Promise(() => {}) : Promise.resolve({ frame: { message: message as Message }, from });
    },
    close: () => Promise.resolve(),
  };
  const chain = createChain();
  chain.add(mutator({ name: "m", hooks: [{ events: ["*"], phase: "response" }] }, ({ payload }) => payload));
  const guard = guardTransport(lax, { role: "server", chain: { current: () => chain } });
  await guard.send({ message: { jsonrpc: "2.0", id: "mine", method: "roots/list" } });
  const first = await guard.receive();
  assert.deepEqual([codeOf(first?.frame.message), (first?.frame.message as { id: unknown }).id], [-32603, "mine"]);
  assert.deepEqual(sent.slice(1).map((message) => [(message as { id: unknown }).id, codeOf(message)]), [[1, -32600], [2, -32600]]);
  assert.equal(guard.inFlight, 0);
  await guard.close();
});

test("an interceptor that sets what is not its own to set changes nothing, whatever it sets", async () => {
  const sets = mutator({ name: "sets", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, requestState: 5, inputResponses: "x", added: 1 }) as never);
  const pair = guardedPair([sets]);
  await pair.fromPeer(call(1, "t"));
  assert.deepEqual(pair.atApp, [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: {}, added: 1 } }]);
});

describe("a task", () => {
  const noQuestions = validator({ name: "no-questions", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, () => false);
  const inputRequests = { a: { method: "elicitation/create", params: { message: "the password?", requestedSchema: { type: "object", properties: {} } } } };
  const run = async (method: string, result: Record<string, unknown>) => {
    const pair = guardedPair([noQuestions], { role: "client" });
    await pair.fromApp(modern(1, method, { name: "t", taskId: "T" }));
    await pair.fromPeer(answer(1, result));
    return codeOf(pair.atApp[0]);
  };

  test("that asks for input as it is created is judged by what it asks", async () => {
    assert.equal(await run("tools/call", { resultType: "task", taskId: "T", status: "input_required", inputRequests }), -32602);
    assert.equal(await run("acme/run", { resultType: "task", taskId: "T", status: "working" }), undefined);
  });

  test("cannot ask for input by its outcome", async () => {
    assert.equal(await run("tasks/get", { taskId: "T", status: "completed", result: { resultType: "input_required", inputRequests } }), -32603);
  });
});

describe("what passes unjudged", () => {
  const denyAll = validator(
    { name: "deny-all", hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }], handlesErrors: true },
    () => deny("no"),
  );
  const asks = {
    resultType: "input_required",
    inputRequests: { a: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } },
    supportedVersions: ["2026-07-28"],
    capabilities: {},
    serverInfo: { name: "s", version: "1" },
    ttlMs: 0,
    cacheScope: "private",
  };

  for (const role of ["server", "client"] as const) {
    for (const method of ["ping", "server/discover"]) {
      test(`carries no request of another method in the answer to ${method}, and no answer in a retry (${role})`, async () => {
        const pair = guardedPair([denyAll], { role });
        await pair.fromPeer(modern(1, method));
        await pair.fromApp(answer(1, asks));
        assert.deepEqual(pair.atPeer.map(codeOf), [-32603]);
        await pair.fromApp(modern(1, method));
        await pair.fromPeer(answer(1, asks));
        await pair.fromApp(modern(2, method, { requestState: "s", inputResponses: { a: { action: "accept", content: { pin: 1 } } } }));
        assert.deepEqual(pair.atApp.slice(1).map(codeOf), [-32603, -32602]);
        assert.equal(pair.atPeer.length, 2);
        assert.equal(pair.guard.inFlight, 0);
      });
    }
  }
});

describe("a requestState", () => {
  const noSecrets = validator({ name: "no-secrets", hooks: [{ events: ["*"], phase: "request" }] }, ({ payload }) => !JSON.stringify(payload).includes("SECRET"));
  const fate = async (message: Message) => {
    const pair = guardedPair([noSecrets], { policy: { interceptNotifications: true } });
    await pair.fromPeer(message);
    return pair.atApp.length === 1 ? "passed" : "refused";
  };
  const requestState = "SECRET";

  test("is judged like any other member where nothing can be a retry", async () => {
    assert.equal(await fate(notice("notifications/message", { level: "info", data: 1, requestState })), "refused");
    assert.equal(await fate(modern(1, "tools/list", { requestState })), "refused");
    assert.equal(await fate({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", requestState, _meta: { [META.protocolVersion]: "2025-11-25" } } }), "refused");
  });

  test("is the two peers' own where it can be one", async () => {
    assert.equal(await fate(modern(1, "tools/call", { name: "t", requestState })), "passed");
    assert.equal(await fate(modern(1, "acme/run", { requestState })), "passed");
    assert.equal(await fate({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", requestState } }), "passed");
  });
});
