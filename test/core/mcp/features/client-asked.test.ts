import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import type { LogEntry } from "../../../../src/core/jsonrpc/log.ts";
import { McpClient } from "../../../../src/core/mcp/client.ts";
import type { Elicitation } from "../../../../src/core/mcp/features/client-elicitation.ts";
import type { CreateMessageResult, SamplingMessage } from "../../../../src/core/wire/gen/mcp.ts";
import { META } from "../../../../src/core/wire/versions.ts";
import { settle } from "../../../support/fake-host.ts";
import { scriptedServer } from "../../../support/scripted-server.ts";

type Prepare = (client: McpClient) => void;

/** Asks one thing in a handshake revision and in 2026-07-28, and gives what the client answers in each: a result, or what refuses it. */
async function bothWays(method: string, params: JsonObject, prepare: Prepare): Promise<{ readonly result?: unknown; readonly refused?: string; readonly failed?: string }[]> {
  const old = await scriptedServer({ era: "handshake", prepare });
  const response = await old.ask(method, params);
  const first =
    "result" in response ? { result: response.result } : "error" in response ? (response.error.code === -32602 ? { refused: response.error.message } : { failed: String(response.error.code) }) : {};
  let retried: unknown;
  const fresh = await scriptedServer({
    prepare,
    answer(_method, { inputResponses }) {
      if (inputResponses === undefined) return { resultType: "input_required", inputRequests: { k: { method, params } } };
      retried = (inputResponses as JsonObject).k;
      return { content: [] };
    },
  });
  const second = await fresh.client.callTool({ name: "t" }).then(
    () => ({ result: retried }),
    (error: { code: string; message: string }) => (error.code === "invalid_message" ? { refused: error.message } : { failed: error.code }),
  );
  return [first, second];
}

const schema = { type: "object", properties: { name: { type: "string", default: "nobody" }, age: { type: "integer" } }, required: ["name"] };
const FORM = { message: "Who?", requestedSchema: schema };
const PAGE = { mode: "url", message: "Go", url: "https://example.com/x", elicitationId: "e1" };

describe("onElicitation, asked by a request and by a result,", () => {
  test("gets the form with its defaults, and sends the content of an accepted one", async () => {
    const seen: Elicitation[] = [];
    const answers = await bothWays("elicitation/create", FORM, (client) => client.onElicitation((request) => (seen.push(request), { action: "accept", content: { name: "Ada", age: 36 } })));
    const expected = { result: { action: "accept", content: { name: "Ada", age: 36 } } };
    assert.deepEqual(answers, [expected, expected]);
    for (const request of seen) assert.deepEqual(request, { ...FORM, mode: "form", defaults: { name: "nobody" } });
    assert.equal(seen.length, 2);
  });
  test("sends no content with a refusal", async () => {
    for (const action of ["decline", "cancel"] as const) {
      const answers = await bothWays("elicitation/create", FORM, (client) => client.onElicitation(() => ({ action, content: { name: "leak" } })));
      assert.deepEqual(answers, [{ result: { action } }, { result: { action } }]);
    }
  });
  test("sends no form that does not fit its schema, nor an answer that is none", async () => {
    for (const answer of [{ action: "accept" }, { action: "accept", content: { name: 5 } }, { action: "accept", content: { name: "a", age: 1.5 } }, { action: "yes" }, undefined]) {
      const answers = await bothWays("elicitation/create", FORM, (client) => client.onElicitation(() => answer as never));
      assert.deepEqual(answers, [{ failed: "-32603" }, { failed: "aborted" }], JSON.stringify(answer));
    }
  });
  test("fills in defaults where it is told to", async () => {
    const answers = await bothWays("elicitation/create", FORM, (client) => client.onElicitation(() => ({ action: "accept" }), { applyDefaults: true }));
    for (const { result } of answers) assert.deepEqual(result, { action: "accept", content: { name: "nobody" } });
  });
  test("refuses a form outside the allowed subset, a mode that was not announced, and a page without an address", async () => {
    const nested = { message: "x", requestedSchema: { type: "object", properties: { deep: { type: "object" } } } };
    const rows: [JsonObject, object][] = [
      [nested, {}],
      [{ message: "x" }, {}],
      [{ requestedSchema: schema }, {}],
      [{ ...FORM, mode: "telepathy" }, {}],
      [PAGE, {}],
      [FORM, { form: false, url: true }],
      [{ ...PAGE, url: "example.com" }, { url: true }],
      [{ mode: "url", message: "x" }, { url: true }],
    ];
    for (const [params, options] of rows) {
      let asked = 0;
      const answers = await bothWays("elicitation/create", params, (client) => client.onElicitation(() => (asked++, { action: "cancel" }), options));
      for (const { refused } of answers) assert.ok(refused !== undefined, `${JSON.stringify(params)}: ${JSON.stringify(answers)}`);
      assert.equal(asked, 0);
    }
  });
  test("opens pages, and sends nothing of what happens there", async () => {
    const answers = await bothWays("elicitation/create", PAGE, (client) => client.onElicitation(() => ({ action: "accept", content: { secret: "x" } }), { url: true }));
    for (const { result } of answers) assert.deepEqual(result, { action: "accept" });
  });
});

describe("onElicitationComplete", () => {
  test("hears once of each page that was opened, and of no other", async () => {
    const { client, ask, notify } = await scriptedServer({ era: "handshake", prepare: (own) => own.onElicitation(() => ({ action: "accept" }), { url: true }) });
    const done: string[] = [];
    const stop = client.onElicitationComplete((id) => done.push(id));
    await notify("notifications/elicitation/complete", { elicitationId: "e1" });
    await ask("elicitation/create", PAGE);
    for (const params of [{ elicitationId: "e2" }, { elicitationId: 5 }, {}, { elicitationId: "e1" }, { elicitationId: "e1" }]) await notify("notifications/elicitation/complete", params);
    assert.deepEqual(done, ["e1"]);
    stop();
    await ask("elicitation/create", PAGE);
    await notify("notifications/elicitation/complete", { elicitationId: "e1" });
    assert.deepEqual(done, ["e1"]);
  });
  test("forgets the pages that were opened first, above maxIncomingRequests", async () => {
    const { client, ask, notify } = await scriptedServer({
      era: "handshake",
      options: { limits: { maxIncomingRequests: 2 } },
      prepare: (own) => own.onElicitation(() => ({ action: "accept" }), { url: true }),
    });
    const done: string[] = [];
    client.onElicitationComplete((id) => done.push(id));
    for (const elicitationId of ["a", "b", "c"]) await ask("elicitation/create", { ...PAGE, elicitationId });
    for (const elicitationId of ["a", "b", "c"]) await notify("notifications/elicitation/complete", { elicitationId });
    assert.deepEqual(done, ["b", "c"]);
  });
  test("hears of a page that a request was refused for (-32042), and the refusal comes with its data", async () => {

    const data = { elicitations: [PAGE] };
    const { client, notify } = await scriptedServer({ era: "handshake", answer: () => new RpcError(-32042, "visit first", data) });
    const done: string[] = [];
    client.onElicitationComplete((id) => done.push(id));
    await assert.rejects(client.callTool({ name: "t" }), { code: -32042, data });
    await notify("notifications/elicitation/complete", { elicitationId: "e1" });
    assert.deepEqual(done, ["e1"]);
  });
});

const text = (value: string) => ({ type: "text" as const, text: value });
const user = (content: SamplingMessage["content"]): SamplingMessage => ({ role: "user", content });
const use = (id: string) => ({ type: "tool_use" as const, id, name: "w", input: {} });
const used = (toolUseId: string) => ({ type: "tool_result" as const, toolUseId, content: [text("ok")] });
const TOOLS = [{ name: "w", inputSchema: { type: "object" as const } }];
const REPLY: CreateMessageResult = { role: "assistant", content: text("hi"), model: "m", stopReason: "endTurn" };

describe("onSampling, asked by a request and by a result,", () => {
  test("gets the messages and sends what the model said", async () => {
    const answers = await bothWays("sampling/createMessage", { messages: [user(text("?"))], maxTokens: 5 }, (client) =>
      client.onSampling(({ messages, maxTokens }, { era, method }) => ({ ...REPLY, model: `${messages.length} ${maxTokens} ${era} ${method}` })),
    );
    assert.deepEqual(answers.map(({ result }) => (result as CreateMessageResult).model), ["1 5 handshake sampling/createMessage", "1 5 stateless sampling/createMessage"]);
  });
  test("takes tools where it has announced them alone", async () => {
    for (const params of [{ messages: [], maxTokens: 1, tools: TOOLS }, { messages: [], maxTokens: 1, toolChoice: { mode: "none" } }]) {
      const without = await bothWays("sampling/createMessage", params, (client) => client.onSampling(() => REPLY));
      for (const { refused } of without) assert.match(refused ?? "", /has not announced sampling\.tools/);
      const within = await bothWays("sampling/createMessage", params, (client) => client.onSampling(() => ({ ...REPLY, content: [use("1"), use("2")] }), { tools: true }));
      for (const { result } of within) assert.deepEqual((result as CreateMessageResult).content, [use("1"), use("2")]);
    }
  });
  test("refuses messages in which uses and results of tools do not fit together", async () => {
    const called: SamplingMessage = { role: "assistant", content: [use("1"), use("2")] };
    const good = [[user(text("?")), called, user([used("2"), used("1")])], [called, user([used("1"), used("2")]), user(text("more"))]];
    const bad = [
      [called],
      [called, user([used("1")])],
      [called, user([used("1"), used("2"), text("and")])],
      [called, user(text("no"))],
      [user(used("1"))],
      [called, { role: "assistant" as const, content: [used("1"), used("2")] }],
    ];
    for (const [list, fits] of [[good, true], [bad, false]] as const) {
      for (const messages of list) {
        const answers = await bothWays("sampling/createMessage", { messages, maxTokens: 1 }, (client) => client.onSampling(() => REPLY, { tools: true }));
        for (const { result } of answers) assert.equal(result !== undefined, fits, JSON.stringify(messages));
      }
    }
  });
  test("refuses params that are wrong, and sends no answer that is", async () => {
    for (const params of [{}, { messages: [], maxTokens: "5" }, { messages: [{ role: "system", content: text("") }], maxTokens: 1 }]) {
      for (const { refused } of await bothWays("sampling/createMessage", params, (client) => client.onSampling(() => REPLY))) assert.ok(refused !== undefined);
    }
    for (const answer of [{}, { ...REPLY, model: undefined }, { ...REPLY, role: "x" }, null]) {
      const answers = await bothWays("sampling/createMessage", { messages: [], maxTokens: 1 }, (client) => client.onSampling(() => answer as never));
      assert.deepEqual(answers, [{ failed: "-32603" }, { failed: "aborted" }]);
    }
  });
  test("sends one block, and no list, to a server of before 2025-11-25", async () => {
    for (const [content, expected] of [[[text("a")], { result: text("a") }], [[text("a"), text("b")], { failed: true }]] as const) {
      const { ask } = await scriptedServer({ era: "handshake", version: "2025-06-18", prepare: (own) => own.onSampling(() => ({ ...REPLY, content: [...content] })) });
      const response = await ask("sampling/createMessage", { messages: [], maxTokens: 1 });
      assert.deepEqual("result" in response ? { result: response.result.content } : { failed: true }, expected);
    }
  });
});

describe("onRoots, asked by a request and by a result,", () => {
  test("sends a list, or what a handler gives at the time", async () => {
    const roots = [{ uri: "file:///a", name: "A" }];
    let turn = 0;
    for (const prepare of [(client: McpClient) => client.onRoots(roots), (client: McpClient) => client.onRoots(async () => [{ uri: `file:///${++turn}` }])]) {
      const answers = await bothWays("roots/list", {}, prepare);
      for (const { result } of answers) assert.equal((result as { roots: unknown[] }).roots.length, 1);
    }
    assert.equal(turn, 2);
  });
  test("sends no root that is no file", async () => {
    assert.throws(() => new McpClient({ name: "c", version: "1" }).onRoots([{ uri: "https://example.com" }]), { code: "invalid_argument" });
    for (const roots of [[{ uri: "https://example.com" }], [{}], [{ uri: 5 }]]) {
      assert.deepEqual(await bothWays("roots/list", {}, (client) => client.onRoots(() => roots as never)), [{ failed: "-32603" }, { failed: "aborted" }]);
    }
  });
  test("tells a change where there is a handshake, and sends nothing where there is none", async () => {
    for (const [era, methods] of [["handshake", ["notifications/roots/list_changed"]], ["stateless", []]] as const) {
      const { client, sent } = await scriptedServer({ era, prepare: (own) => own.onRoots([]) });
      await client.rootsChanged();
      assert.deepEqual(sent().map((message) => "method" in message && message.method), methods);
    }
  });
});

describe("handlers", () => {
  const prepare: Prepare = (client) => client.onSampling(() => REPLY, { tools: true, context: true }).onElicitation(() => ({ action: "cancel" }), { url: true }).onRoots([]);
  test("announce what they answer, in the handshake or with each request, over what is given by hand", async () => {
    const old = await scriptedServer({ era: "handshake", prepare, options: { capabilities: { sampling: { extra: {} } } } });
    const asked = { sampling: { tools: {}, context: {}, extra: {} }, elicitation: { form: {}, url: {} } };
    const [first] = old.transport.sent;
    assert.deepEqual((first?.message as { params: JsonObject }).params.capabilities, { ...asked, roots: { listChanged: true } });
    const fresh = await scriptedServer({ prepare, options: { capabilities: { sampling: { extra: {} } } }, answer: () => ({}) });
    await fresh.client.request("x/y");
    assert.deepEqual((fresh.requests()[0]?.params?._meta as JsonObject)[META.clientCapabilities], { ...asked, roots: {} });
  });
  test("that come late are announced from the next request on, without a handshake", async () => {
    const { client, requests } = await scriptedServer({ answer: () => ({}) });
    await client.request("x/y");
    client.onRoots([]);
    await client.request("x/y");
    assert.deepEqual(requests().map(({ params }) => (params?._meta as JsonObject)[META.clientCapabilities]), [{}, { roots: {} }]);
  });
  test("are one for a method, however it is registered", () => {
    const client = new McpClient({ name: "c", version: "1" }).onRoots([]).method("sampling/createMessage", () => ({}));
    assert.throws(() => client.onRoots([]), { code: "conflict" });
    assert.throws(() => client.method("roots/list", () => ({})), { code: "conflict" });
    assert.throws(() => client.onSampling(() => REPLY), { code: "conflict" });
    assert.throws(() => client.onElicitation(() => ({ action: "cancel" }), { form: false }), { code: "invalid_argument" });
  });
  test("are not for requests that a stateless server must not send: those are dropped, and the log hears of the first", async () => {
    let asked = 0;
    const log: LogEntry[] = [];
    const { transport, sent, client } = await scriptedServer({
      options: { log: (entry) => log.push(entry) },
      prepare: (own) => own.onRoots(() => (asked++, [])).method("my/method", () => (asked++, {})).use((next) => (request) => (asked++, next(request))),
      answer: () => ({}),
    });
    for (const method of ["roots/list", "ping", "my/method", "no/method", "ping"]) transport.deliver({ jsonrpc: "2.0", id: "same", method });
    await settle();
    assert.deepEqual([sent(), asked], [[], 0]);
    assert.deepEqual(log.map(({ level, details }) => [level, details]), [["warning", { method: "roots/list" }]]);
    assert.match(log[0]?.message ?? "", /which this revision does not have; it is dropped/);
    await client.request("x/y");
  });
  test("that are not there leave the server's request unanswered by a result", async () => {
    const { ask } = await scriptedServer({ era: "handshake" });
    for (const method of ["sampling/createMessage", "elicitation/create", "roots/list"]) {
      const response = await ask(method, {});
      assert.equal("error" in response && response.error.code, -32601);
    }
  });
  test("are told when the server cancels", async () => {
    let told = false;
    const { transport, notify } = await scriptedServer({
      era: "handshake",
      prepare: (own) => own.onRoots(({ signal }) => new Promise(() => signal.addEventListener("abort", () => (told = true)))),
    });
    transport.deliver({ jsonrpc: "2.0", id: "r", method: "roots/list" });
    await notify("notifications/cancelled", { requestId: "r" });
    assert.equal(told, true);
  });
});
