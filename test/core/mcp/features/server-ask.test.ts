import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../../../src/core/base/limits.ts";
import type { ServerContext } from "../../../../src/core/mcp/context.ts";
import { elicit, isSuspended, roots, sample } from "../../../../src/core/mcp/features/server-ask.ts";
import { McpServer, type McpServerOptions } from "../../../../src/core/mcp/server.ts";
import type { CreateMessageParams, ElicitFormParams } from "../../../../src/core/wire/gen/mcp.ts";
import { PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost } from "../../../support/fake-host.ts";
import { rawClient, type RawClientOptions } from "../../../support/raw-client.ts";

const INFO = { name: "s", version: "1" };
const MODERN = "2026-07-28";
const CAPABILITIES = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
const FORM: ElicitFormParams = { message: "Your name?", requestedSchema: { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] } };
const PAGE = { mode: "url", message: "Sign here", url: "https://example.com/sign" } as const;
const PROMPT: CreateMessageParams = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 };
const ask = sample(PROMPT);

const answers: Record<string, JsonObject> = {
  "elicitation/create": { action: "accept", content: { name: "Ann" } },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Ho" }, model: "m" },
  "roots/list": { roots: [{ uri: "file:///a" }] },
};
const answer = (method: string, params: JsonObject = {}) => (params.mode === "url" ? { action: "accept" } : (answers[method] ?? {}));

function asking(handler: (context: ServerContext, args: JsonObject) => unknown, options: McpServerOptions = {}) {
  const server = new McpServer(INFO, { host: fakeHost(), ...options });
  server.tool({ name: "t", inputSchema: { type: "object" } }, async (args, context) => JSON.stringify(await handler(context, args)));
  server.prompt({ name: "p" }, async (_args, context) => JSON.stringify(await handler(context, {})));
  server.resource({ uri: "r:", name: "r" }, async (_uri, context) => JSON.stringify(await handler(context, {})));
  return server;
}
const connect = (server: McpServer, version: string, more: Partial<RawClientOptions> = {}) => rawClient(server, { version, capabilities: CAPABILITIES, answer, ...more });
const said = (result: JsonObject): unknown => JSON.parse((result.content as { text: string }[])[0]!.text);

describe("one handler that asks serves", () => {
  const handler = async ({ ask, elicit: byForm, listRoots, protocolVersion, sample: bySampling }: ServerContext) => {
    const { content } = await byForm(FORM);
    const { model } = await bySampling(PROMPT);
    const second = protocolVersion < "2025-11-25" ? FORM : PAGE;
    const [{ action }, { roots: found }] = await Promise.all([ask(elicit(second)), listRoots()]);
    return [content?.name, model, action, found];
  };
  const outcome = ["Ann", "m", "accept", [{ uri: "file:///a" }]];
  for (const version of PROTOCOL_VERSIONS) {
    test(`${version}: a tool, a prompt and a resource`, async () => {
      const byLines = await connect(asking(handler), version, { lines: true });
      assert.deepEqual(said(await byLines.call("tools/call", { name: "t" })), outcome);
      const client = await connect(asking(handler), version);
      assert.deepEqual(said(await client.call("tools/call", { name: "t" })), outcome);
      const { messages } = await client.call("prompts/get", { name: "p" });
      assert.deepEqual(JSON.parse((messages as { content: { text: string } }[])[0]!.content.text), outcome);
      const { contents } = await client.call("resources/read", { uri: "r:" });
      assert.deepEqual(JSON.parse((contents as { text: string }[])[0]!.text), outcome);
    });

    test(`${version}: a client that lacks a capability gets -32021, with what is missing`, async () => {
      for (const [question, capabilities, requiredCapabilities] of [
        [elicit(FORM), {}, { elicitation: { form: {} } }],
        [elicit(FORM), { elicitation: { url: {} } }, { elicitation: { form: {} } }],
        [elicit(PAGE), { elicitation: {} }, { elicitation: { url: {} } }],
        [ask, { roots: {} }, { sampling: {} }],
        [sample({ ...PROMPT, tools: [] }), { sampling: {} }, { sampling: { tools: {} } }],
        [roots(), { constructor: {}, roots: undefined }, { roots: {} }],
      ] as const) {
        const client = await connect(asking(({ ask }) => ask<unknown>(question)), version, { capabilities });
        for (const [method, params] of [["tools/call", { name: "t" }], ["prompts/get", { name: "p" }], ["resources/read", { uri: "r:" }]] as const) {
          const { code, message, data } = await client.failure(method, params);
          assert.deepEqual([code, data], [-32021, { requiredCapabilities }]);
          assert.match(message, /^Missing client capability: /);
        }
      }
    });

    test(`${version}: an elicitation without modes is one by forms, and a handler may do without an answer`, async () => {
      const handler = ({ ask }: ServerContext) => ask(elicit(PAGE)).catch(({ code }: { code: number }) => code);
      assert.equal(said(await (await connect(asking(handler), version, { capabilities: { elicitation: {} } })).call("tools/call", { name: "t" })), -32021);
      const form = await connect(asking(({ ask }) => ask(elicit(FORM))), version, { capabilities: { elicitation: {} } });
      assert.deepEqual(said(await form.call("tools/call", { name: "t" })), { action: "accept", content: { name: "Ann" } });
    });

    test(`${version}: an answer that is none, or does not fit the form, is refused`, async () => {
      for (const wrong of [{}, { action: "perhaps" }, { action: "accept", content: { name: "" } }, { action: "accept", content: { name: { deep: 1 } } }, { action: "accept" }]) {
        const client = await connect(asking(({ ask }) => ask(elicit(FORM))), version, { answer: () => wrong });
        if (version === MODERN) await assert.rejects(client.call("tools/call", { name: "t" }), { code: -32602, message: /inputResponses\.ask-1/ });
        else assert.equal((await client.call("tools/call", { name: "t" })).isError, true);
      }
      const declined = await connect(asking(({ ask }) => ask(elicit(FORM))), version, { answer: () => ({ action: "decline" }) });
      assert.deepEqual(said(await declined.call("tools/call", { name: "t" })), { action: "decline" });
    });

    test(`${version}: what is to be done once is done once`, async () => {
      const runs: string[] = [];
      const client = await connect(
        asking(async ({ once, listRoots }) => {
          runs.push("run");
          const first = await once("order", () => (runs.push("order"), { id: 7 }));
          await listRoots();
          const again = await once("order", () => (runs.push("again"), { id: 8 }));
          await listRoots();
          return [first.id, again.id, await once("__proto__", async () => "x"), await once("null", () => null)];
        }),
        version,
      );
      assert.deepEqual(said(await client.call("tools/call", { name: "t" })), [7, 7, "x", null]);
      assert.deepEqual(runs, version === MODERN ? ["run", "order", "run", "run"] : ["run", "order"]);
    });
  }
});

describe("in a handshake revision", () => {
  test("a question is a request in the exchange, and a page has an id of its own", async () => {
    const seen: JsonObject[] = [];
    const client = await connect(asking(({ ask }) => ask(elicit(PAGE))), "2025-11-25", { answer: (_method, params) => (seen.push(params), { action: "cancel" }) });
    await client.call("tools/call", { name: "t" });
    await client.call("tools/call", { name: "t" });
    assert.deepEqual(seen.map(({ elicitationId: _id, ...rest }) => rest), [PAGE, PAGE]);
    assert.match(String(seen[0]?.elicitationId), /^[\w-]{22}$/);
    assert.notEqual(seen[0]?.elicitationId, seen[1]?.elicitationId);
    const given = await connect(asking(async ({ ask }) => [await ask(elicit({ ...PAGE, elicitationId: "mine" })), await ask(elicit(FORM))]), "2025-11-25", {
      answer: (_method, params) => (seen.push(params), { action: "cancel" }),
    });
    await given.call("tools/call", { name: "t" });
    assert.deepEqual(seen.slice(2), [{ ...PAGE, elicitationId: "mine" }, FORM]);
  });

  test("a question to a person is given ten minutes, and any other the usual time; both can be told otherwise", async () => {
    const host = fakeHost();
    const waits: [number, (context: ServerContext) => Promise<unknown>][] = [
      [600_000, ({ elicit: byForm }) => byForm(FORM)],
      [600_000, ({ sample: bySampling }) => bySampling(PROMPT)],
      [60_000, ({ listRoots }) => listRoots()],
      [5_000, ({ listRoots }) => listRoots({ timeoutMs: 5_000 })],
      [5_000, ({ sample: bySampling }) => bySampling(PROMPT, { timeoutMs: 5_000 })],
      [5_000, ({ elicit: byForm }) => byForm(FORM, { timeoutMs: 5_000 })],
    ];
    const handlers = waits.map(([, handler]) => handler);
    const client = await connect(asking((context, { which }) => handlers[Number(which)]?.(context), { host }), "2025-11-25", { answer: () => new Promise(() => {}) as never });
    for (const [index, [ms]] of waits.entries()) {
      let ended = false;
      const call = client.call("tools/call", { name: "t", arguments: { which: index } }).finally(() => (ended = true));
      await host.advance(ms - 1);
      assert.equal(ended, false, String(index));
      await host.advance(1);
      assert.match(JSON.stringify(await call), new RegExp(`no answer within ${ms} ms`));
    }
    assert.equal(host.liveTimers, 0);
  });

  test("a client that answers by an error fails the tool in words for the model, and never as an error of the server's", async () => {
    const client = await connect(asking(({ listRoots }) => listRoots()), "2025-06-18", {
      answer: () => {
        throw new TypeError("no");
      },
    });
    const { isError, content } = await client.call("tools/call", { name: "t" });
    assert.deepEqual([isError, content], [true, [{ type: "text", text: "the client did not answer roots/list: Internal error" }]]);
  });
});

describe("in 2026-07-28", () => {
  const two = async ({ ask }: ServerContext) => [(await ask(elicit(FORM))).content?.name, (await ask(roots())).roots.length];
  const open = async (server: McpServer, more: Partial<RawClientOptions> = {}) => {
    const client = await connect(server, MODERN, more);
    return { client, first: await client.send("tools/call", { name: "t", arguments: { a: 1, b: 2 } }) };
  };
  const retry = (first: JsonObject, inputResponses: JsonObject = { "ask-1": answers["elicitation/create"] }) => ({ name: "t", arguments: { b: 2, a: 1 }, inputResponses, requestState: first.requestState });

  test("the first result asks, and is neither complete nor to be cached", async () => {
    const { first } = await open(asking(two));
    assert.deepEqual([first.resultType, first.inputRequests, first.ttlMs], ["input_required", { "ask-1": { method: "elicitation/create", params: FORM } }, undefined]);
    assert.equal(typeof first.requestState, "string");
    const { client } = await open(asking(two));
    assert.equal((await client.send("resources/read", { uri: "r:" })).ttlMs, undefined);
    assert.equal((await client.call("resources/read", { uri: "r:" })).ttlMs, 0);
  });

  test("answers of earlier rounds come from the state, whatever the client sends for them", async () => {
    const { client, first } = await open(asking(two));
    const second = await client.send("tools/call", retry(first));
    assert.deepEqual(second.inputRequests, { "ask-2": { method: "roots/list" } });
    const responses = { "ask-1": { action: "accept", content: { name: "Eve" } }, "ask-2": answers["roots/list"], "ask-9": {} };
    assert.deepEqual(said(await client.send("tools/call", retry(second, responses as JsonObject))), ["Ann", 1]);
  });

  test("responses to what nobody asked are ignored, whatever they are", async () => {
    const { client, first } = await open(asking(({ ask }) => ask(elicit(FORM))));
    for (const odd of [5, null, "x", [], {}]) {
      const inputResponses = { "ask-1": answers["elicitation/create"], "ask-2": odd, other: odd, constructor: odd };
      assert.deepEqual(said(await client.send("tools/call", retry(first, inputResponses as JsonObject))), answers["elicitation/create"]);
      assert.equal((await client.send("tools/call", { name: "t", inputResponses: { other: odd } })).resultType, "input_required");
    }
    for (const odd of [5, null, "x", []]) {
      const { code, message } = await client.failure("tools/call", retry(first, { "ask-1": odd }));
      assert.equal(code, -32602);
      assert.match(message, /inputResponses\.ask-1/);
    }
  });

  test("questions that are put side by side are in one result, and one that is not answered is asked again", async () => {
    const { client, first } = await open(asking(({ ask }) => Promise.all([ask(roots()), ask(elicit(FORM)), ask(roots())])));
    assert.deepEqual(Object.keys(first.inputRequests as object), ["ask-1", "ask-2", "ask-3"]);
    const again = await client.send("tools/call", retry(first, { "ask-1": answers["roots/list"], "ask-3": answers["roots/list"] }));
    assert.deepEqual(again.inputRequests, { "ask-2": { method: "elicitation/create", params: FORM } });
    const done = await client.send("tools/call", retry(again, { "ask-2": answers["elicitation/create"] }));
    assert.equal((said(done) as unknown[]).length, 3);
  });

  test("a state that was tampered with, of another key, or of nobody is refused before the handler runs, or when it asks", async () => {
    let runs = 0;
    const server = asking((context) => (runs++, two(context)));
    const { client, first } = await open(server);
    const state = String(first.requestState);
    const elsewhere = String((await open(asking(two))).first.requestState);
    runs = 0;
    for (const requestState of [`${state}A`, state.slice(0, -2), state.replace(/\.[\w-]+\./, ".e30."), elsewhere]) {
      const { code, message } = await client.failure("tools/call", { ...retry(first), requestState });
      assert.deepEqual([code, message], [-32602, "Invalid params: params.requestState is not what this server gave out"]);
    }
    assert.equal(runs, 0);
    for (const requestState of ["", "mine"]) assert.equal((await client.failure("tools/call", { ...retry(first), requestState })).code, -32602);
    for (const wrong of [{ requestState: 5 }, { requestState: null }, { inputResponses: [] }, { inputResponses: { "ask-1": 5 } }]) {
      assert.equal((await client.failure("tools/call", { ...retry(first), ...wrong })).code, -32602, JSON.stringify(wrong));
    }
  });

  test("a state is good for its request alone: its method, its arguments, its principal (case 35)", async () => {
    const server = asking(two);
    const { client, first } = await open(server, { principal: { type: "user", id: "ann", claims: { token: 1 } } });
    const { name: _name, arguments: _args, ...state } = retry(first);
    for (const [method, params] of [
      ["tools/call", { name: "t", arguments: { a: 1, b: 3 } }],
      ["tools/call", { name: "t" }],
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "r:" }],
    ] as const) assert.match((await client.failure(method, { ...params, ...state })).message, /requestState belongs to a request with another (content|method)/);
    for (const principal of [{ type: "user", id: "eve" }, { type: "service", id: "ann" }, undefined] as const) {
      const other = await connect(server, MODERN, principal === undefined ? {} : { principal });
      assert.match((await other.failure("tools/call", retry(first))).message, /another principal/);
    }
    const renewed = await connect(server, MODERN, { principal: { type: "user", id: "ann", claims: { token: 2 } } });
    assert.equal((await renewed.send("tools/call", { ...retry(first), _meta: { other: 1 } })).resultType, "input_required");
  });

  test("a state expires, and is taken by a replica with the same key", async () => {
    const host = fakeHost();
    const stateKey = new Uint8Array(32).fill(1);
    const { client, first } = await open(asking(two, { host, stateKey, stateTtlMs: 1_000 }));
    const replica = await connect(asking(two, { stateKey }), MODERN);
    assert.equal((await replica.send("tools/call", retry(first))).resultType, "input_required");
    await host.advance(1_000);
    assert.match((await client.failure("tools/call", retry(first))).message, /has expired/);
  });

  test("answers without a state are for nobody: the question is asked anew", async () => {
    const { client } = await open(asking(two));
    const again = await client.send("tools/call", { name: "t", inputResponses: { "ask-1": answers["elicitation/create"] } });
    assert.equal(again.resultType, "input_required");
  });

  test("a question has the key that its handler gives it, and no other may have the same", async () => {
    const named = asking(async ({ elicit, listRoots }) => [(await elicit(FORM, { key: "user" })).action, (await listRoots({ key: "__proto__" })).roots.length]);
    const { client, first } = await open(named);
    assert.deepEqual(Object.keys(first.inputRequests as JsonObject), ["user"]);
    const inputResponses = { user: answers["elicitation/create"], "ask-1": { action: "decline" } };
    const second = await client.send("tools/call", retry(first, inputResponses));
    assert.deepEqual(Object.keys(second.inputRequests as JsonObject), ["__proto__"]);
    assert.deepEqual(said(await client.call("tools/call", { name: "t" })), ["accept", 1]);

    for (const version of [MODERN, "2025-11-25"]) {
      const twice = asking(({ elicit, listRoots }) => Promise.all([elicit(FORM, { key: "a" }), listRoots({ key: "a" })]));
      const { code, message } = await (await connect(twice, version)).failure("tools/call", { name: "t" });
      assert.deepEqual([code, message], [-32603, 'The handler asks twice under the key "a"']);
    }
  });

  describe("a question that is not sealed", () => {
    const UNSEALED = { key: "user", sealed: false } as const;
    const reply = { user: answers["elicitation/create"] };
    const greet = asking(async ({ elicit }) => (await elicit(FORM, UNSEALED)).content?.name);

    test("goes out without a state, and takes an answer under its key from whoever sends one", async () => {
      const { client, first } = await open(greet);
      assert.deepEqual([first.resultType, "requestState" in first], ["input_required", false]);
      const inputResponses = { ...reply, stray: 5 };
      assert.equal(said(await client.send("tools/call", { name: "t", inputResponses })), "Ann");
      assert.deepEqual(await client.send("tools/call", { name: "t", inputResponses: { stray: reply.user } }), first);
    });

    test("holds an answer to its form all the same", async () => {
      const client = await connect(greet, MODERN);
      for (const wrong of [5, {}, { action: "accept", content: { name: "" } }]) {
        const { code, message } = await client.failure("tools/call", { name: "t", inputResponses: { user: wrong } });
        assert.deepEqual([code, /inputResponses\.user/.test(message)], [-32602, true], JSON.stringify(wrong));
      }
      for (const none of [null, [], "x"]) assert.equal((await client.failure("tools/call", { name: "t", inputResponses: none })).code, -32602);
    });

    test("has a state as soon as something is to be kept: an answer, a value, a question that is sealed", async () => {
      const kept = [
        asking(async ({ elicit, listRoots }) => [await elicit(FORM, UNSEALED), await listRoots({ key: "b", sealed: false })]),
        asking(async ({ elicit, once }) => [await once("x", () => 1), await elicit(FORM, UNSEALED)]),
        asking(({ elicit, listRoots }) => Promise.all([elicit(FORM, UNSEALED), listRoots()])),
      ];
      for (const [index, server] of kept.entries()) {
        const client = await connect(server, MODERN);
        const asked = await client.send("tools/call", { name: "t", ...(index === 0 ? { inputResponses: reply } : {}) });
        assert.equal(typeof asked.requestState, "string");
        assert.equal(Array.isArray(said(await client.call("tools/call", { name: "t" }))), true);
      }
    });

    test("is bound to its state where there is one, and needs a key of its own", async () => {
      let message = "first";
      const changing = asking(async ({ elicit, once }) => [await once("x", () => 1), (await elicit({ ...FORM, message }, UNSEALED)).action]);
      const { client, first } = await open(changing);
      message = "second";
      const again = await client.send("tools/call", retry(first, reply));
      assert.equal(again.resultType, "input_required");

      for (const version of [MODERN, "2025-11-25"]) {
        const unnamed = await connect(asking(({ elicit }) => elicit(FORM, { sealed: false })), version);
        const { code, message } = await unnamed.failure("tools/call", { name: "t" });
        assert.deepEqual([code, message], [-32603, "The handler asks a question that is not sealed without a key"]);
      }
    });

    test("is a request as any other in a handshake revision", async () => {
      const client = await connect(greet, "2025-11-25");
      assert.equal(said(await client.call("tools/call", { name: "t" })), "Ann");
    });
  });

  test("an answer never serves for another question, should the handler ask otherwise when it is run again", async () => {
    let file = "a";
    const handler = async ({ ask }: ServerContext) => (await ask(elicit({ ...FORM, message: `Delete ${file}?` }))).action;
    const { client, first } = await open(asking(handler));
    file = "b";
    const second = await client.send("tools/call", retry(first));
    assert.deepEqual([second.resultType, (second.inputRequests as { "ask-1": { params: JsonObject } })["ask-1"].params.message], ["input_required", "Delete b?"]);
    assert.equal(said(await client.send("tools/call", retry(second))), "accept");
  });

  test("what a handler does to its arguments, questions, answers and values has no effect on what is bound, asked and kept", async () => {
    const form = { message: "first", requestedSchema: FORM.requestedSchema };
    const handler = async ({ ask, once }: ServerContext, args: JsonObject) => {
      args.mine = true;
      const value = await once("v", () => ({ n: 1 }));
      value.n++;
      const first = await ask(elicit({ ...form }));
      const name = first.content?.name;
      first.content = { name: "changed" };
      const reused = { message: "a", requestedSchema: FORM.requestedSchema };
      const left = ask(elicit(reused));
      reused.message = "b";
      const [one, other] = await Promise.all([left, ask(elicit(reused))]);
      return [name, one.content?.name, other.content?.name, value.n, args];
    };
    const messages: unknown[] = [];
    const client = await connect(asking(handler), MODERN, { answer: (_method, { message }) => (messages.push(message), { action: "accept", content: { name: `to ${String(message)}` } }) });
    const result = await client.call("tools/call", { name: "t", arguments: { a: { b: 1 } } });
    assert.deepEqual(said(result), ["to first", "to a", "to b", 2, { a: { b: 1 }, mine: true }]);
    assert.deepEqual(messages, ["first", "a", "b"]);
  });

  test("a question that nobody waits for, and one that is no JSON, harm nobody", async () => {
    const server = new McpServer(INFO, { host: fakeHost(), exposeErrors: true }).method("m", (_params, { ask }) => {
      void ask(roots());
      return { done: true };
    });
    const client = await connect(server, MODERN);
    assert.equal((await client.send("m")).done, true);
    const odd = await connect(asking(({ ask }) => ask(elicit({ ...FORM, odd: 1n }))), MODERN);
    assert.match(JSON.stringify(await odd.call("tools/call", { name: "t" })), /JSON cannot carry a bigint/);
  });

  test("a handler cannot go past a question by catching, and what it does after is of no effect", async () => {
    const { first } = await open(asking(async ({ ask }) => (await ask(roots()).catch(() => ({ roots: [] }))).roots));
    assert.deepEqual([first.resultType, first.inputRequests], ["input_required", { "ask-1": { method: "roots/list" } }]);
    const server = new McpServer(INFO, { host: fakeHost() });
    server.tool({ name: "t", inputSchema: { type: "object" } }, (_args, { ask }) => {
      void ask(roots());
      return "not waited for";
    });
    assert.equal((await open(server)).first.resultType, "input_required");
  });

  test("a handler that is suspended can tell, runs its finally blocks, and is no failure for the log", async () => {
    const order: unknown[] = [];
    const handler = async ({ listRoots }: ServerContext) => {
      try {
        return await listRoots();
      } catch (error) {
        order.push(isSuspended(error));
        throw error;
      } finally {
        order.push("closed");
      }
    };
    await open(asking(handler, { log: (entry) => order.push(entry) }));
    assert.deepEqual(order, [true, "closed"]);
    for (const other of [new LocalError("aborted", "x"), new LocalError("closed", "x", { details: { suspended: true } }), { code: "aborted" }, undefined]) {
      assert.equal(isSuspended(other), false);
    }
  });

  test("nothing can be asked where the revision has no way to", async () => {
    const server = new McpServer(INFO, { host: fakeHost(), exposeErrors: true }).method("m", (_params, { ask }) => ask(roots()));
    const client = await connect(server, MODERN);
    assert.match((await client.failure("m")).message, /nothing can be asked while m is answered/);
    const older = await connect(server, "2025-11-25");
    assert.deepEqual(await older.call("m"), answers["roots/list"]);
  });

  test("a handler that asks by a result of its own keeps its own state", async () => {
    const server = new McpServer(INFO, { host: fakeHost() });
    const inputRequests = { mine: { method: "roots/list" } };
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => ({ resultType: "input_required", inputRequests, requestState: "my own" }));
    const { client, first } = await open(server);
    assert.deepEqual([first.inputRequests, first.requestState], [inputRequests, "my own"]);
    assert.equal((await client.send("tools/call", { name: "t", requestState: "my own", inputResponses: { mine: {} } })).resultType, "input_required");
    server.prompt({ name: "p" }, () => ({ resultType: "input_required", requestState: "s" }));
    server.resource({ uri: "r:", name: "r" }, () => ({ resultType: "input_required", requestState: "s" }) as never);
    assert.equal((await client.send("prompts/get", { name: "p" })).requestState, "s");
    assert.equal((await client.send("resources/read", { uri: "r:" })).requestState, "s");
    const older = await connect(server, "2025-11-25");
    for (const [method, params] of [["tools/call", { name: "t" }], ["prompts/get", { name: "p" }], ["resources/read", { uri: "r:" }]] as const) {
      assert.match((await older.failure(method, params)).message, /needs revision 2026-07-28/);
    }
  });

  test("questions and rounds are bounded, the bound included (maxAsks)", async () => {
    assert.ok(DEFAULT_LIMITS.maxAsks >= 50);
    const inRow = (count: number) => async ({ ask }: ServerContext) => {
      for (let index = 0; index < count; index++) await ask(roots());
      return count;
    };
    const options = { limits: { maxAsks: 3 } };
    assert.equal(said(await (await connect(asking(inRow(3), options), MODERN)).call("tools/call", { name: "t" })), 3);
    await assert.rejects((await connect(asking(inRow(4), options), MODERN)).call("tools/call", { name: "t" }), { code: -32603, message: /maxAsks/ });
    const moody = asking(({ ask }) => ask(elicit({ ...FORM, message: String(Math.random()) })), options);
    await assert.rejects((await connect(moody, MODERN)).call("tools/call", { name: "t" }), { code: -32603, message: /asks 3 times and is not done/ });
  });

  test("a retry that is cancelled, or fails by itself, is as any other request", async () => {
    const client = await connect(
      asking(async ({ listRoots }) => {
        await listRoots();
        throw new TypeError("afterwards");
      }),
      MODERN,
    );
    const { isError, content, resultType } = await client.call("tools/call", { name: "t" });
    assert.deepEqual([isError, content, resultType], [true, [{ type: "text", text: "afterwards" }], "complete"]);
  });
});
