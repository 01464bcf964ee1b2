import assert from "node:assert/strict";
import { test } from "node:test";
import type { LocalError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { elicit, isSuspended, sample, type Question } from "../../../../src/core/mcp/features/server-ask.ts";
import { McpServer } from "../../../../src/core/mcp/server.ts";
import type { CreateMessageParams, ElicitParams } from "../../../../src/core/wire/gen/mcp.ts";
import { PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost } from "../../../support/fake-host.ts";
import { rawClient } from "../../../support/raw-client.ts";

const CAPABILITIES = { sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
const TEXT = { type: "text", text: "Hi" };
const USE = { type: "tool_use", id: "u", name: "t", input: {} };
const RESULT = { type: "tool_result", toolUseId: "u", content: [] };

// On purpose not of the types: a program in JavaScript can ask anything.
const form = (properties: unknown) => elicit({ message: "m", requestedSchema: { type: "object", properties } } as ElicitParams);
const page = (url: unknown) => elicit({ mode: "url", message: "m", url } as ElicitParams);
const talk = (...messages: [role: string, content: unknown][]) =>
  sample({ messages: messages.map(([role, content]) => ({ role, content })), maxTokens: 5 } as CreateMessageParams);

/** What a question rejects with in the handler, and what the client was asked. */
async function put(version: string, question: Question<unknown>) {
  const asked: string[] = [];
  let rejection: LocalError | undefined;
  const server = new McpServer({ name: "s", version: "1" }, { host: fakeHost() });
  server.tool({ name: "t", inputSchema: { type: "object" } }, async (_args, { ask }) => {
    await ask(question).catch((error: LocalError) => {
      if (isSuspended(error)) throw error;
      rejection = error;
    });
  });
  const answer = (method: string): JsonObject => {
    asked.push(method);
    return method === "elicitation/create" ? { action: "decline" } : { role: "assistant", content: TEXT, model: "m" };
  };
  const client = await rawClient(server, { version, capabilities: CAPABILITIES, answer });
  await client.call("tools/call", { name: "t" });
  return { rejection, asked };
}

for (const version of PROTOCOL_VERSIONS) {
  test(`${version}: what the protocol forbids is not asked, and the handler hears why`, async () => {
    const rows: [Question<unknown>, RegExp][] = [
      [page("not a url"), /params\/url must be a URL/],
      [page("/relative"), /params\/url must be a URL/],
      [page(""), /params\/url/],
      [page(7), /params\/url/],
      [form({ a: { type: "object", properties: {} } }), /requestedSchema\/properties\/a\/type must be one of/],
      [form({ a: { type: "array", items: { type: "object" } } }), /requestedSchema\/properties\/a\/items/],
      [form({ a: { type: "string", format: "password" } }), /requestedSchema\/properties\/a\/format/],
      [form(undefined), /requestedSchema must have the member "properties"/],
      [talk(["assistant", USE]), /a use of a tool has no result/],
      [talk(["assistant", USE], ["user", TEXT]), /a use of a tool has no result/],
      [talk(["assistant", USE], ["user", [RESULT, TEXT]]), /results of tools stand in user messages that hold nothing else/],
      [talk(["assistant", USE], ["assistant", RESULT]), /results of tools stand in user messages/],
      [talk(["user", RESULT]), /answers nothing/],
      [talk(["system", TEXT]), /messages\/0\/role/],
    ];
    for (const [question, message] of rows) {
      const { rejection, asked } = await put(version, question);
      assert.deepEqual([rejection?.code, asked], ["invalid_argument", []], String(message));
      assert.match(String(rejection?.message), message);
      assert.match(String(rejection?.message), /^(elicitation\/create|sampling\/createMessage) cannot be asked: /);
    }
  });

  test(`${version}: a form that came with 2025-11-25 is asked of the clients alone that can read it`, async () => {
    const rows: [Question<unknown>, string][] = [
      [page("https://example.com/"), "a page to visit (mode url)"],
      [form({ a: { type: "string" }, b: { type: "array", items: { type: "string", enum: ["x"] } } }), "a field for several choices (b)"],
      [talk(["user", TEXT], ["user", [TEXT]]), "a list as content (messages/1)"],
      [talk(["assistant", USE], ["user", RESULT]), "the use of tools"],
      [sample({ messages: [], maxTokens: 1, tools: [] }), "the use of tools"],
    ];
    for (const [question, what] of rows) {
      const { method } = question.request;
      const { rejection, asked } = await put(version, question);
      if (version >= "2025-11-25") {
        assert.deepEqual([rejection, asked], [undefined, [method]]);
        continue;
      }
      assert.deepEqual([rejection?.code, rejection?.details, asked], ["unsupported", { since: "2025-11-25", version }, []]);
      assert.equal(rejection?.message, `${method} cannot be asked: ${what} came with revision 2025-11-25, and the client speaks ${version}`);
    }
  });

  test(`${version}: what every revision has is asked`, async () => {
    for (const question of [form({}), form({ a: { type: "string", enum: ["x"] } }), talk(["user", TEXT], ["assistant", TEXT])]) {
      const { rejection, asked } = await put(version, question);
      assert.deepEqual([rejection, asked], [undefined, [question.request.method]]);
    }
  });
}
