// Case 33: what an upstream is told beside a message follows from the message that goes out, and who gets it from the path alone.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { decodeHeaderValue } from "../../src/core/wire/header-value.ts";
import { INDEX } from "../gateway/config/kit.ts";
import { ask, gateways, HANDSHAKE, httpUpstream, session, STATELESS, type HttpUpstream, type Seen } from "./kit.ts";

const { folder, start } = gateways();
// To the client names have a prefix, which only this table knows; arguments, prompts and resources are moved as well.
folder.write(
  "rename.mjs",
  `import { mutator } from ${JSON.stringify(INDEX)};
const inside = new Map([["gh__search", "search"], ["gh__café", "café"], ["a__b__c", "c"], ["b__c", "=?base64?abc?="], ["get-catalog-entity", "entity"], ["spaced", " edge "]]);
export const call = mutator({ name: "call", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => {
  const { region, secret, ...rest } = payload.arguments ?? {};
  const moved = region === "us" ? "eu" : region === "none" ? undefined : region;
  return { ...payload, name: inside.get(payload.name) ?? payload.name, arguments: { ...rest, ...(moved === undefined ? {} : { region: moved }), ...(rest.zone === "add" ? { zone: "zürich" } : {}) } };
});
export const read = mutator({ name: "read", hooks: [{ events: ["resources/read"], phase: "request" }] }, ({ payload }) => ({ ...payload, uri: payload.uri.replace("public:", "mem:") }));
export const get = mutator({ name: "get", hooks: [{ events: ["prompts/get"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: payload.name + "-v2" }));`,
);

folder.write(
  "shows.mjs",
  `import { mutator } from ${JSON.stringify(INDEX)};
export const shows = mutator({ name: "shows", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => ({ ...payload, tools: payload.tools.map((tool) => (tool.name === "search" ? { ...tool, name: "gh__search" } : tool)) }));`,
);

const PROPERTIES = { region: { type: "string", "x-mcp-header": "Region" }, zone: { type: "string", "x-mcp-header": "Zone" }, text: { type: "string" } };
const tools = ["search", "café", "c", "=?base64?abc?=", "entity", " edge ", "plain"].map((name) => ({ name, inputSchema: { type: "object", properties: name === "plain" ? {} : PROPERTIES } }));
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };

/** A server that is as strict about its headers as the revision wants, and says who it is. */
async function strict(name: string, version = STATELESS): Promise<HttpUpstream> {
  const upstream: HttpUpstream = await httpUpstream(version, CAPABILITIES, (message) => {
    const wrong = version === STATELESS ? disagreement(upstream.seen.at(-1)!) : undefined;
    if (wrong !== undefined) return { error: { code: -32020, message: wrong } };
    const complete = version === STATELESS ? { resultType: "complete" } : {};
    if (message.method === "tools/list") return { ...complete, ttlMs: 0, cacheScope: "private", tools };
    if (message.method === "resources/read") return { ...complete, ttlMs: 0, cacheScope: "private", contents: [{ uri: "mem:///a", text: name }] };
    if (message.method === "prompts/get") return { ...complete, messages: [] };
    return { ...complete, content: [{ type: "text", text: name }] };
  });
  return upstream;
}

/** Without the lists that a gateway asks for to hold calls to what tools say. */
const callsTo = ({ seen }: HttpUpstream) => seen.filter(({ message }) => message.method === "tools/call");

function disagreement({ headers, message: { method, params = {} } }: Seen): string | undefined {
  if (headers["mcp-method"] !== method) return "Mcp-Method";
  const target = params["name"] ?? params["uri"];
  if (typeof target === "string" && decodeHeaderValue(String(headers["mcp-name"])) !== target) return "Mcp-Name";
  if (headers["mcp-protocol-version"] !== STATELESS) return "MCP-Protocol-Version";
  if (method !== "tools/call" || params["name"] === "plain") return Object.keys(headers).find((name) => name.startsWith("mcp-param-"));
  const args = (params["arguments"] ?? {}) as JsonObject;
  return ["region", "zone"].find((name) => {
    const header = headers[`mcp-param-${name}`];
    return (header === undefined ? undefined : decodeHeaderValue(String(header))) !== (args[name] ?? undefined);
  });
}

const RENAMED: readonly (readonly [given: string, args: JsonObject, name: string, sent: JsonObject])[] = [
  ["gh__search", { region: "us" }, "search", { region: "eu" }],
  ["gh__café", { region: "none", text: "x" }, "café", { text: "x" }],
  ["a__b__c", { region: "asia" }, "c", { region: "asia" }],
  ["b__c", { zone: "add" }, "=?base64?abc?=", { zone: "zürich" }],
  ["get-catalog-entity", { region: "us", secret: "s" }, "entity", { region: "eu" }],
  ["spaced", {}, " edge ", {}],
  ["plain", { region: "us" }, "plain", { region: "eu" }],
];

const encoded = (text: string): string => (/^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`);

async function renaming(url: string, more: object = {}) {
  const { gateway } = await start({ upstreams: { own: { url, ...more } }, interceptors: [{ module: "rename.mjs" }], http: { port: 0 } });
  return `${gateway.url}/own/mcp`;
}

describe("a gateway whose interceptors rename", () => {
  for (const era of ["stateless", "handshake"] as const) {
    it(`tells a stateless upstream what really goes out, whether the tools were listed or not (${era} client)`, async () => {
      for (const listed of [true, false]) {
        const upstream = await strict("one");
        const url = await renaming(upstream.url);
        const opened = era === "handshake" ? await session(url, { "mcp-name": "stray", "mcp-param-region": "stray", "x-own": "stray", cookie: "stray", authorization: "Bearer stray" }) : undefined;
        const call = (name: string, args: JsonObject) =>
          opened === undefined ? ask(url, "tools/call", { name, arguments: args }, { headers: { "mcp-name": encoded(name), "x-own": "stray", cookie: "stray" } }) : opened.ask("tools/call", { name, arguments: args });
        if (listed) await (opened === undefined ? ask(url, "tools/list") : opened.ask("tools/list"));
        for (const [given, args, name, sent] of RENAMED) {
          const { message, text } = await call(given, args);
          assert.equal(message.error, undefined, `${given}: ${text}`);
          const last = upstream.seen.at(-1)!;
          assert.deepEqual([last.message.params?.["name"], last.message.params?.["arguments"], disagreement(last)], [name, sent, undefined]);
        }
        for (const { headers } of upstream.seen) assert.ok(!JSON.stringify(headers).includes("stray"), JSON.stringify(headers));
      }
    });

    it(`tells it which resource and which prompt (${era} client)`, async () => {
      const upstream = await strict("one");
      const url = await renaming(upstream.url);
      const opened = era === "handshake" ? await session(url) : undefined;
      const get = (method: string, params: JsonObject) => (opened === undefined ? ask(url, method, params) : opened.ask(method, params));
      assert.equal((await get("resources/read", { uri: "public:///a" })).message.error, undefined);
      assert.equal((await get("prompts/get", { name: "plan" })).message.error, undefined);
      assert.deepEqual(upstream.seen.map(({ headers }) => headers["mcp-name"]), ["mem:///a", "plan-v2"]);
    });
  }

  it("sends no such headers to a handshake upstream", async () => {
    const upstream = await strict("one", HANDSHAKE);
    const url = await renaming(upstream.url);
    const { message } = await ask(url, "tools/call", { name: "gh__search", arguments: { region: "us" } });
    assert.equal(message.error, undefined);
    const [{ headers, message: sent }] = callsTo(upstream) as [Seen];
    assert.deepEqual([sent.params?.["name"], headers["mcp-name"], headers["mcp-method"], headers["mcp-param-region"], headers["mcp-protocol-version"]], ["search", undefined, undefined, undefined, HANDSHAKE]);
  });

  it("refuses a request whose own headers say something else than it does, and tells the upstream nothing", async () => {
    const upstream = await strict("one");
    const url = await renaming(upstream.url);
    const wrong: readonly Record<string, string>[] = [
      { "mcp-name": "search" },
      { "mcp-name": "GH__SEARCH" },
      { "mcp-name": "=?base64?!!?=" },
      { "mcp-method": "tools/list" },
      { "mcp-protocol-version": HANDSHAKE },
    ];
    for (const headers of wrong) {
      const { status, message } = await ask(url, "tools/call", { name: "gh__search", arguments: {} }, { headers });
      assert.deepEqual([status, message.error?.code], [400, -32020], JSON.stringify(headers));
    }
    assert.deepEqual(upstream.seen, []);
  });
});

describe("a client that was told to repeat arguments in headers", () => {
  for (const interceptors of [[], [{ module: "shows.mjs" }, { module: "rename.mjs" }]]) {
    for (const version of [STATELESS, HANDSHAKE]) {
      it(`is held to that by the name that it knows, ${interceptors.length === 0 ? "renamed by nobody" : "renamed"}, in front of ${version}`, async () => {
        const upstream = await strict("one", version);
        const { gateway } = await start({ upstreams: { own: { url: upstream.url } }, interceptors, http: { port: 0 } });
        const url = `${gateway.url}/own/mcp`;
        const name = interceptors.length === 0 ? "search" : "gh__search";
        await ask(url, "tools/list");
        const call = async (args: JsonObject, headers: Record<string, string>) => {
          const { status, message } = await ask(url, "tools/call", { name, arguments: args }, { headers });
          return message.error === undefined ? status : [status, message.error.code];
        };
        const refused: readonly (readonly [JsonObject, Record<string, string>])[] = [
          [{ region: "us" }, { "mcp-param-region": "eu" }],
          [{ region: "us" }, {}],
          [{}, { "mcp-param-region": "us" }],
          [{ region: "us" }, { "mcp-param-region": "US" }],
          [{ region: "us" }, { "mcp-param-region": "=?base64?!?=" }],
          [{ region: "us", zone: "a" }, { "mcp-param-region": "us", "mcp-param-zone": "b" }],
        ];
        for (const [args, headers] of refused) assert.deepEqual(await call(args, headers), [400, -32020], JSON.stringify([args, headers]));
        assert.deepEqual(callsTo(upstream), []);
        assert.equal(await call({ region: "us" }, { "mcp-param-region": "us", "mcp-param-other": "ignored" }), 200);
        assert.equal(await call({ region: "us", text: "x" }, { "MCP-PARAM-REGION": "=?base64?dXM=?=" }), 200);
        assert.equal(await call({ region: null, text: "x" }, {}), 200);
        // A session has no such headers.
        assert.equal((await (await session(url)).ask("tools/call", { name, arguments: { region: "us" } })).message.error, undefined);
      });
    }
  }
});

describe("two upstreams with the same tools", () => {
  it("get each what was sent to their own path, under their own sessions and headers", async () => {
    const [one, two] = [await strict("one"), await strict("two", HANDSHAKE)];
    const { gateway } = await start({
      upstreams: { a: { url: one.url, headers: { "X-Key": "of one" } }, a__b: { url: two.url, headers: { "X-Key": "of two" } } },
      interceptors: [{ module: "rename.mjs", upstreams: ["a__b"] }],
      http: { port: 0 },
    });
    const textOf = async (upstream: string, name: string) => {
      const { message } = await ask(`${gateway.url}/${upstream}/mcp`, "tools/call", { name, arguments: {} });
      return (message.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
    };
    assert.deepEqual(await Promise.all([textOf("a", "search"), textOf("a__b", "search"), textOf("a", "a__b__c"), textOf("a__b", "a__b__c")]), ["one", "two", "one", "two"]);
    const names = (upstream: HttpUpstream) => callsTo(upstream).map(({ message }) => message.params?.["name"]).sort();
    assert.deepEqual([names(one), names(two)], [["a__b__c", "search"], ["c", "search"]]);
    assert.ok(one.seen.every(({ headers }) => headers["x-key"] === "of one") && two.seen.every(({ headers }) => headers["x-key"] === "of two"));
    for (const path of ["/a__b__c/mcp", "/a/b/mcp", "/A/mcp", "/a%5F%5Fb/mcp", "/constructor/mcp", "/__proto__/mcp"]) {
      assert.equal((await ask(`${gateway.url}${path}`, "tools/list")).status, 404, path);
    }
  });
});
