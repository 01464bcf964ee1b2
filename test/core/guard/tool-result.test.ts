import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { disagreement } from "../../../src/core/guard/result-agreement.ts";
import { createToolSchemas } from "../../../src/core/guard/tool-schemas.ts";
import { mutator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import type { GuardPolicy } from "../../../src/core/guard/options.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { call, guardedPair } from "../../support/guarded-pair.ts";
import { guardedSeam, SEAMS, type Guarded, type Seam } from "./seams.ts";

type Payload = Record<string, unknown>;

const list: Message = { jsonrpc: "2.0", id: "list", method: "tools/list" };
const schema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
const tools = (outputSchema: unknown = schema, name = "echo"): Message => ({
  jsonrpc: "2.0",
  id: "list",
  result: { tools: [{ name, inputSchema: { type: "object" }, ...(outputSchema !== null && { outputSchema }) }] },
});
const result = (structuredContent: unknown, text?: string, more: Payload = {}): Message => ({
  jsonrpc: "2.0",
  id: 1,
  result: { content: text === undefined ? [] : [{ type: "text", text }], structuredContent, ...more },
});
const edits = (edit: (payload: Payload) => Payload): Interceptor =>
  mutator({ name: "edit", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => edit(payload) as never);
const structured = (value: unknown) => edits((payload) => ({ ...payload, structuredContent: value }));

/** One call at a seam: the list that advertises the tool, the call, and its answer, through one mutator of responses. */
async function answered(seam: Seam, edit: Interceptor, answer: Message, policy: GuardPolicy = {}, listed: Message = tools()): Promise<Guarded & { readonly answer: Payload }> {
  const pair = guardedSeam(seam, [edit], { policy });
  await pair.fromClient(list);
  await pair.fromServer(listed);
  await pair.fromClient(call(1));
  await pair.fromServer(answer);
  await pair.close();
  const last = pair.atClient.find((message) => "id" in message && message.id === 1);
  return { ...pair, answer: last as unknown as Payload };
}

for (const seam of SEAMS) {
  describe(`${seam}, where a mutator has changed a tool's result`, () => {
    test("refuses structured content that no longer fits what the tool advertises", async () => {
      for (const value of [{ count: "many" }, {}, undefined]) {
        const { answer, decisions, log } = await answered(seam, structured(value), result({ count: 1 }));
        assert.deepEqual(answer["error"], { code: -32603, message: "Interceptor mutation failed", data: { failedInterceptor: "edit", reason: "malformed_result" } });
        assert.deepEqual([decisions.at(-1)?.reason, decisions.at(-1)?.by], ["mutation_failed", "edit"]);
        assert.match(log.join("\n"), /the tool echo was refused: structuredContent/);
      }
    });

    test("answers with a result that models can read, where the policy says so", async () => {
      const { answer, decisions } = await answered(seam, structured({}), result({ count: 1 }), { onSchemaBreak: "error-result" });
      assert.deepEqual(answer["result"], { content: [{ type: "text", text: "Interceptor mutation failed" }], isError: true });
      assert.equal(decisions.at(-1)?.verdict, "blocked");
    });

    test("lets pass what still fits", async () => {
      const { answer } = await answered(seam, structured({ count: 2 }), result({ count: 1 }));
      assert.deepEqual((answer["result"] as Payload)["structuredContent"], { count: 2 });
    });

    test("refuses text that has changed without the structured content that it repeats, and the other way about", async () => {
      const value = { count: 1 };
      const reworded = edits((payload) => ({ ...payload, content: [{ type: "text", text: '{"count":2}' }] }));
      for (const edit of [reworded, structured({ count: 2 }), edits((payload) => ({ ...payload, content: [] }))]) {
        const { answer, log } = await answered(seam, edit, result(value, JSON.stringify(value)));
        assert.equal((answer["error"] as Payload | undefined)?.["code"], -32603);
        assert.match(log.join("\n"), /text that repeats/);
      }
      const both = edits((payload) => ({ ...payload, content: [{ type: "text", text: '{ "count": 2 }' }], structuredContent: { count: 2 } }));
      assert.ok((await answered(seam, both, result(value, JSON.stringify(value))))["answer"]["result"]);
    });
  });
}

describe("the output schema that counts", () => {
  const accepts = async (edit: Interceptor, answer: Message, listed?: Message) => "result" in (await answered("guardServer", edit, answer, {}, listed)).answer;

  test("is the one that was advertised, after mutation", async () => {
    const loosen = mutator({ name: "loosen", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => ({
      ...payload,
      tools: payload.tools.map((tool) => ({ ...tool, name: "shown", outputSchema: { type: "object" as const } })),
    }));
    for (const [asked, fits] of [["shown", true], ["echo", true]] as const) {
      // Under its own name the tool was never advertised, so there is nothing to hold its results against.
      const pair = guardedPair([loosen, structured({ count: "many" })]);
      await pair.fromPeer(list);
      await pair.fromApp(tools());
      await pair.fromPeer(call(1, asked));
      await pair.fromApp(result({ count: 1 }));
      assert.equal("result" in pair.atPeer[1]!, fits, asked);
    }
    const tighten = mutator({ name: "tighten", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => ({
      ...payload,
      tools: payload.tools.map((tool) => ({ ...tool, name: "shown", outputSchema: { type: "object" as const, required: ["count", "more"] } })),
    }));
    // The asker calls it by the advertised name, and a mutator of requests calls it by its own.
    const back = mutator({ name: "back", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: "echo" }));
    const pair = guardedPair([tighten, back, structured({ count: 2 })]);
    await pair.fromPeer(list);
    await pair.fromApp(tools());
    await pair.fromPeer(call(1, "shown"));
    await pair.fromApp(result({ count: 1 }));
    assert.equal("error" in pair.atPeer[1]!, true);
  });

  test("is the last one advertised; a tool that has none any more is not checked", async () => {
    const pair = guardedPair([structured({ count: "many" })]);
    const expected = [false, true, false];
    for (const [index, outputSchema] of [schema, null, schema].entries()) {
      await pair.fromPeer({ ...list, id: `l${index}` } as Message);
      await pair.fromApp({ ...tools(outputSchema), id: `l${index}` } as Message);
      await pair.fromPeer(call(index + 1));
      await pair.fromApp({ ...result({ count: 1 }), id: index + 1 } as Message);
      const answer = pair.atPeer.find((message) => "id" in message && message.id === index + 1)!;
      assert.equal("result" in answer, expected[index], String(index));
    }
  });

  test("does not bind errors, tools that were not listed, or content that mutators left alone", async () => {
    assert.equal(await accepts(structured({}), result({ count: 1 }, undefined, { isError: true })), true);
    assert.equal(await accepts(structured({}), result({ count: 1 }), tools(schema, "other")), true);
    assert.equal(await accepts(edits((payload) => ({ ...payload, _meta: { k: 1 } })), result({ count: "wrong from the start" })), true);
    // What was an error and is none any more has to fit.
    const clear = edits(({ isError: _error, ...payload }) => payload);
    assert.equal(await accepts(clear, result(undefined, "failed", { isError: true })), false);
  });

  test("that cannot be compiled checks nothing, and is logged once", async () => {
    const warnings: string[] = [];
    const schemas = createToolSchemas({ maxToolSchemas: 10, maxToolSchemaChars: 1_000 }, (message) => warnings.push(message));
    schemas.learn({ tools: [{ name: "t", outputSchema: { type: 7 } }] });
    assert.deepEqual([schemas.misfit("t", 1), schemas.misfit("t", 1), warnings.length], [undefined, undefined, 1]);
    assert.match(warnings[0]!, /cannot be used/);
  });

  test("is kept for so many tools and so many characters, and no more: the oldest are forgotten", () => {
    const warnings: string[] = [];
    const advertise = (name: string, outputSchema: object = schema) => ({ tools: [{ name, outputSchema }] });
    const few = createToolSchemas({ maxToolSchemas: 2, maxToolSchemaChars: 10_000 }, () => {});
    for (const name of ["a", "b", "a", "c"]) few.learn(advertise(name));
    assert.deepEqual(["a", "b", "c"].map((name) => few.misfit(name, {}) !== undefined), [true, false, true]);
    const size = JSON.stringify(schema).length;
    const short = createToolSchemas({ maxToolSchemas: 10, maxToolSchemaChars: 2 * size }, (message) => warnings.push(message));
    for (const name of ["a", "b"]) short.learn(advertise(name));
    assert.equal(short.misfit("a", {}) !== undefined, true);
    short.learn(advertise("c"));
    assert.deepEqual(["a", "b", "c"].map((name) => short.misfit(name, {}) !== undefined), [false, true, true]);
    short.learn(advertise("huge", { ...schema, description: "x".repeat(2 * size) }));
    assert.deepEqual([short.misfit("huge", {}), warnings.length], [undefined, 1]);
  });

  test("is known to every connection of a guarded server, where its own connection was told of none", () => {
    const shared = createToolSchemas({ maxToolSchemas: 10, maxToolSchemaChars: 10_000 }, () => {});
    const connection = () => createToolSchemas({ maxToolSchemas: 10, maxToolSchemaChars: 10_000 }, () => {}, shared);
    const [first, second, third] = [connection(), connection(), connection()];
    first.learn({ tools: [{ name: "t", outputSchema: schema }] });
    assert.notEqual(second.misfit("t", {}), undefined);
    third.learn({ tools: [{ name: "t", outputSchema: { type: "array" } }] });
    assert.equal(first.misfit("t", { count: 1 }), undefined);
    assert.notEqual(second.misfit("t", { count: 1 }), undefined);
    third.learn({ tools: [{ name: "t" }] });
    assert.equal(third.misfit("t", {}), undefined);
  });

  test("is not learnt from a list that is none", () => {
    const cyclic: Payload = {};
    cyclic["self"] = cyclic;
    const schemas = createToolSchemas({ maxToolSchemas: 10, maxToolSchemaChars: 1_000 }, () => {});
    for (const wrong of [{}, { tools: 1 }, { tools: [null, 1, {}, { name: 1, outputSchema: schema }, { name: "1", outputSchema: cyclic }] }]) schemas.learn(wrong as never);
    assert.equal(schemas.misfit("1", {}), undefined);
  });
});

describe("text and structured content", () => {
  const text = (value: string) => ({ type: "text", text: value });
  const value = { a: 1, b: ["x"] };
  const copy = text('{ "b": ["x"], "a": 1.0 }');

  test("belong together where a text block is the JSON of the structured content, whatever its spelling", () => {
    const before = { content: [text("hello"), copy], structuredContent: value };
    const rows: [object, boolean][] = [
      [before, true],
      [{ content: [text("HELLO"), copy], structuredContent: value }, true],
      [{ content: [copy], structuredContent: value }, true],
      [{ content: [text('{"a":2,"b":["x"]}')], structuredContent: { a: 2, b: ["x"] } }, true],
      [{ content: [text('{"a":2,"b":["x"]}')], structuredContent: value }, false],
      [{ content: [text("{broken")], structuredContent: value }, false],
      [{ content: [], structuredContent: value }, false],
      [{ content: [copy], structuredContent: { a: 2 } }, false],
      [{ content: [copy, text('{"a":2}')], structuredContent: { a: 2 } }, false],
      [{ content: [text("prose")], structuredContent: { a: 2 } }, false],
      [{ content: [copy] }, false],
      [{ content: [text("both are gone")] }, true],
      [{ content: 7, structuredContent: value }, false],
    ];
    for (const [after, agrees] of rows) assert.equal(disagreement(before, after as Payload) === undefined, agrees, JSON.stringify(after));
  });

  test("are nothing to each other where no text repeats the structured content", () => {
    for (const before of [{ content: [text("prose")], structuredContent: value }, { content: [copy] }, { content: [], structuredContent: value }, {}]) {
      assert.equal(disagreement(before, { content: [text("new")], structuredContent: { a: 9 } }), undefined);
    }
  });

  test("may be any JSON", () => {
    for (const any of ["x", 1, null, true, [1]]) {
      const before = { content: [text(JSON.stringify(any))], structuredContent: any };
      assert.equal(disagreement(before, before), undefined);
      assert.notEqual(disagreement(before, { ...before, structuredContent: "other" }), undefined, JSON.stringify(any));
    }
  });

  test("of a task's result are held together as well", async () => {
    const pair = guardedPair([structured({ count: 2 })]);
    await pair.fromPeer(call(1));
    await pair.fromApp({ jsonrpc: "2.0", id: 1, result: { task: { taskId: "t", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null } } } as Message);
    await pair.fromPeer({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId: "t" } });
    await pair.fromApp({ jsonrpc: "2.0", id: 2, result: { content: [text('{"count":1}')], structuredContent: { count: 1 } } } as Message);
    assert.equal("error" in pair.atPeer[1]!, true);
  });

  test("of a task's result are held against the schema of the tool that was called", async () => {
    for (const [count, fits] of [[2, true], ["masked", false]] as const) {
      const pair = guardedPair([edits((payload) => ("content" in payload ? { ...payload, structuredContent: { count } } : payload))]);
      await pair.fromPeer(list);
      await pair.fromApp(tools());
      await pair.fromPeer(call(1));
      await pair.fromApp({ jsonrpc: "2.0", id: 1, result: { task: { taskId: "t", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null } } } as Message);
      await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tasks/result", params: { taskId: "t" } });
      await pair.fromApp(result({ count: 1 }));
      assert.equal("result" in pair.atPeer[2]!, fits, String(count));
    }
  });

  test("are checked after the last mutator, so that one may finish what another began", async () => {
    const first = mutator({ name: "first", priorityHint: 1, hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, structuredContent: { count: 2 } }));
    const second = mutator({ name: "second", priorityHint: 2, hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, content: [{ type: "text" as const, text: '{"count":2}' }] }));
    const pair = guardedPair([first, second]);
    await pair.fromPeer(call(1));
    await pair.fromApp(result({ count: 1 }, '{"count":1}'));
    assert.equal("result" in pair.atPeer[0]!, true);
  });
});
