// Attacks by secrets that get where they are not meant to be: into results, errors and messages, as they are, in pieces and encoded.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RpcError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { ToolHandler } from "../../src/core/mcp/tools.ts";
import { TOKENS } from "../library/corpus/tokens.ts";
import { seededRandom } from "../support/random.ts";
import { ANY, defences, ERAS, serverWith } from "./kit.ts";

const defend = defences();
const SECRET = TOKENS["github"]!(seededRandom(7));
const PASSWORD = "tr0ub4dor-and-3";
const hex = (text: string) => Buffer.from(text).toString("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const percent = (text: string) => [...text].map((character) => `%${hex(character)}`).join("");
const block = (text: string) => ({ type: "text" as const, text });

/** Results that hold the secret, by how. */
const RESULTS: { readonly [how: string]: ToolHandler } = {
  "in a text": () => `The token is ${SECRET}.`,
  "in the message of an error that a tool throws": () => {
    throw new TypeError(`401 for https://x.example: token ${SECRET} is expired`);
  },
  "in the message of a protocol error": () => {
    throw new RpcError(-32000, `cannot connect as ${SECRET}`);
  },
  "in the data of a protocol error": () => {
    throw new RpcError(-32000, "cannot connect", { request: { headers: { authorization: `Bearer ${SECRET}` } } });
  },
  "split over two content blocks": () => ({ content: [block(`token: ${SECRET.slice(0, 17)}`), block(SECRET.slice(17))] }),
  "split over three content blocks": () => ({ content: [block(SECRET.slice(0, 9)), block(SECRET.slice(9, 25)), block(`${SECRET.slice(25)} is it`)] }),
  "in Base64": () => `config: ${base64(`{"token":"${SECRET}"}`)}`,
  "in Base64 without padding, for URLs": () => base64(`token=${SECRET};`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  "in Base64 twice": () => base64(base64(`the token is ${SECRET}`)),
  "in hexadecimal": () => hex(`token=${SECRET}`),
  "in a URL": () => `https://x.example/cb?state=1&token=${percent(SECRET)}`,
  "in JSON within JSON": () => JSON.stringify({ body: JSON.stringify({ token: SECRET }) }),
  "with invisible characters in it": () => `${SECRET.slice(0, 12)}\u200b${SECRET.slice(12)}`,
  "in structured content and in the text that repeats it": () => ({ structuredContent: { user: "ann", auth: { value: SECRET } } }),
  "as the name of a member": () => ({ content: [block("see data")], structuredContent: { sessions: { [SECRET]: "ann" } } }),
  "in an embedded resource": () => ({ content: [{ type: "resource", resource: { uri: "mem:///env", text: `TOKEN=${SECRET}` } }] }),
  "in a link's description": () => ({ content: [{ type: "resource_link", uri: "mem:///env", name: "env", description: `opens with ${SECRET}` }] }),
  "in _meta": () => ({ content: [block("ok")], _meta: { "com.example/debug": { token: SECRET } } }),
};

const SHAPES = [SECRET, SECRET.slice(4, 25), SECRET.slice(17), base64(SECRET).slice(4, 30), hex(SECRET).slice(8, 60), percent(SECRET)];
const holdsNoSecret = (text: string) => {
  for (const shape of SHAPES) assert.ok(!text.includes(shape), text);
  assert.match(text, /REDACTED/);
};

describe("a secret in a result", () => {
  for (const [how, handler] of Object.entries(RESULTS)) {
    it(`${how} is masked`, async () => {
      const { client } = await defend({ ops: serverWith({ read: handler }) });
      for (const era of ERAS) holdsNoSecret(await (await client("ops", era)).passes("read"));
    });
  }

  it("that is no token but a password is masked by what stands before it, or by the name of its member", async () => {
    const server = serverWith({
      config: () => `host: db.example.com\npassword: ${PASSWORD}\nurl: postgres://ann:${PASSWORD}@db.example.com/app`,
      account: () => ({ structuredContent: { user: "ann", password: PASSWORD, nested: [{ api_key: PASSWORD }] } }),
      key: () => `-----BEGIN PRIVATE KEY-----\n${base64(PASSWORD.repeat(9))}\n-----END PRIVATE KEY-----`,
    });
    const { client } = await defend({ ops: server });
    for (const era of ERAS) {
      for (const name of ["config", "account", "key"]) {
        const text = await (await client("ops", era)).passes(name);
        assert.ok(!text.includes(PASSWORD) && !text.includes(base64(PASSWORD)), text);
      }
    }
  });

  it("has a twin, results full of what looks like one, which arrive as they are", async () => {
    const text = [
      "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
      "id 550e8400-e29b-41d4-a716-446655440000, etag W/\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
      'integrity="sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
      "export API_KEY=your-api-key-here; token: ${TOKEN}; password = process.env.PASSWORD",
      "![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)",
      "The password must have 12 characters. max_tokens: 4096, nextPageToken: CAUQAA",
    ];
    const structuredContent = { tokens: 512, max_tokens: 4096, id: "550e8400-e29b-41d4-a716-446655440000", lines: text };
    const server = serverWith({
      read: () => ({ content: text.map(block), structuredContent }),
      shot: () => ({ content: [{ type: "image", data: base64(`${SECRET}png`), mimeType: "image/png" }] }),
      fail: () => {
        throw new RpcError(-32000, "No such user: 550e8400-e29b-41d4-a716-446655440000", { requestId: "req_4b825dc642cb6eb9" });
      },
    });
    const { client } = await defend({ ops: server });
    for (const era of ERAS) {
      const assistant = await client("ops", era);
      const result = await assistant.client.callTool({ name: "read", arguments: {} });
      assert.deepEqual([result.content, result.structuredContent], [text.map(block), structuredContent]);
      assert.ok((await assistant.passes("shot")).includes(base64(`${SECRET}png`)));
      assert.match(await assistant.passes("fail"), /550e8400-e29b-41d4-a716-446655440000.*req_4b825dc642cb6eb9/);
    }
  });
});

describe("a secret outside of tools", () => {
  it("is masked in resources, prompts, completions, progress and logs", async () => {
    const slow: ToolHandler = async (_args, context) => {
      await context.reportProgress(1, 2, `connecting with ${SECRET}`);
      context.log("error", { failed: `as ${SECRET}`, password: PASSWORD });
      return "done";
    };
    const server = serverWith({ slow }, { capabilities: { logging: {} } });
    server.resource({ uri: "mem:///env", name: "env", description: `with ${SECRET}` }, () => ({ contents: [{ uri: "mem:///env", text: `TOKEN=${SECRET}` }] }));
    server.prompt({ name: "deploy", arguments: [{ name: "target" }] }, () => ({ messages: [{ role: "user", content: block(`Deploy with ${SECRET}`) }] }), { complete: { target: () => [SECRET, "staging"] } });
    const { client } = await defend({ ops: server });
    for (const era of ERAS) {
      const told: unknown[] = [];
      const { client: one } = await client("ops", era, (each) => void each.onLog((message) => told.push(message)));
      if (era === "handshake") await one.setLogLevel("debug");
      await one.callTool({ name: "slow", arguments: {} }, { onProgress: (progress) => told.push(progress), ...(era === "stateless" ? { logLevel: "debug" as const } : {}) });
      assert.equal(told.length, 2);
      told.push(await one.readResource({ uri: "mem:///env" }), await one.listResources(), await one.getPrompt({ name: "deploy" }));
      told.push(await one.complete({ ref: { type: "ref/prompt", name: "deploy" }, argument: { name: "target", value: "" } }));
      for (const each of told) holdsNoSecret(JSON.stringify(each));
      assert.ok(!JSON.stringify(told).includes(PASSWORD));
    }
  });
});

describe("a secret in a call", () => {
  it("has the call blocked, so that no tool gets a mask for a value, in whatever form it is sent", async () => {
    const server = serverWith({ post: () => "posted" });
    server.prompt({ name: "ask", arguments: [{ name: "about" }] }, () => ({ messages: [] }));
    const { client } = await defend({ web: server });
    const forms: JsonObject[] = [{ body: SECRET }, { body: base64(`key ${SECRET}`) }, { url: `https://x.example/?d=${percent(SECRET)}` }, { headers: { authorization: `Bearer ${SECRET}` } }, { list: [{ [SECRET]: 1 }] }];
    for (const era of ERAS) {
      const assistant = await client("web", era);
      for (const form of forms) {
        const why = await assistant.blocked("post", form);
        assert.match(why, /a secret \([a-z-]+(?:, [a-z-]+)*\) must not pass/);
        assert.ok(!why.includes(SECRET));
      }
      await assert.rejects(assistant.client.getPrompt({ name: "ask", arguments: { about: SECRET } }), /Interceptor validation failed/);
    }
    assert.deepEqual(server.calls, []);
  });

  it("has a twin that talks about secrets, and passes as it is", async () => {
    const server = serverWith({ post: () => "posted" });
    const { client } = await defend({ web: server });
    const args = { title: "Rotate the token", body: "Set GITHUB_TOKEN=${GITHUB_TOKEN} in CI; password: ********. See https://docs.example.com/tokens?page=2", commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", max_tokens: 100 };
    for (const era of ERAS) await (await client("web", era)).passes("post", args);
    assert.deepEqual(server.calls, [args, args]);
  });
});

describe("a mask that is sent back", () => {
  it("has the call blocked, before a tool writes it over what it stands for", async () => {
    const server = serverWith({ read: () => `user=ann\ntoken=${SECRET}\n`, write: () => "written" });
    const { client } = await defend({ files: server });
    for (const era of ERAS) {
      const assistant = await client("files", era);
      const { content } = await assistant.client.callTool({ name: "read", arguments: {} });
      const [read] = content as { text: string }[];
      assert.match(read?.text ?? "", /REDACTED/);
      assert.match(await assistant.blocked("write", { content: `${read?.text}colour=red\n` }), /a mask stands for a value/);
      await assistant.blocked("write", { edits: [{ newText: read?.text ?? "" }] });
    }
    assert.deepEqual(server.calls.filter((args) => "content" in args || "edits" in args), []);
  });

  it("has a twin, words in brackets that are no mask, which passes", async () => {
    const server = serverWith({ write: () => "written" });
    const { client } = await defend({ files: server });
    const args = { content: "- [REDACTED] by the press office\n- [x] done\n- [TODO:later]" };
    for (const era of ERAS) await (await client("files", era)).passes("write", args);
    assert.deepEqual(server.calls, [args, args]);
  });
});

describe("a secret in a schema's own place", () => {
  it("keeps structured content that its schema takes, masked", async () => {
    const server = serverWith({});
    const outputSchema = { type: "object", properties: { user: { type: "string" }, note: { type: "string" } }, required: ["user", "note"] } as const;
    server.tool({ name: "account", inputSchema: ANY, outputSchema }, () => ({ structuredContent: { user: "ann", note: `call with ${SECRET}` } }));
    const { client } = await defend({ ops: server });
    for (const era of ERAS) {
      const assistant = await client("ops", era);
      await assistant.client.listTools();
      const { structuredContent } = await assistant.client.callTool({ name: "account", arguments: {} });
      assert.deepEqual(structuredContent, { user: "ann", note: "call with [REDACTED:provider-token]" });
    }
  });
});
