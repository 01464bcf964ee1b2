// Case 16: tools, members and upstreams whose names every object has are names like any other.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { INDEX } from "../gateway/config/kit.ts";
import { ask, gateways, HANDSHAKE, httpUpstream, session, STATELESS } from "./kit.ts";

const { folder, start } = gateways();
const NAMES = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf", "__defineGetter__"];
const tools = [...NAMES, "read"].map((name) => ({ name, inputSchema: { type: "object" } }));

folder.write(
  "moves.mjs",
  `import { mutator } from ${JSON.stringify(INDEX)};
export const moves = mutator({ name: "constructor", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload, config }) => ({ ...payload, arguments: { ...payload.arguments, moved: config.toString === "on" } }));`,
);

for (const version of [HANDSHAKE, STATELESS]) {
  describe(`tools with the names of what every object has (upstream of ${version})`, () => {
    const upstream = () =>
      httpUpstream(version, { tools: {} }, ({ method, params = {} }) => {
        const complete = version === STATELESS ? { resultType: "complete", ...(method === "tools/list" ? { ttlMs: 0, cacheScope: "private" } : {}) } : {};
        return method === "tools/list" ? { ...complete, tools } : { ...complete, content: [{ type: "text", text: JSON.stringify(params["arguments"]) }] };
      });

    it("are tools like any other, listed or not, called or not", async () => {
      for (const [config, passing] of [
        [{ allow: ["read"] }, ["read"]],
        [{ allow: ["constructor", "__proto__"] }, ["constructor", "__proto__"]],
        [{ deny: ["toString", "__proto__"] }, ["constructor", "hasOwnProperty", "valueOf", "__defineGetter__", "read"]],
      ] as const) {
        const { url, seen } = await upstream();
        const { gateway } = await start({ upstreams: { own: { url } }, interceptors: [{ use: "tool-filter", config }], http: { port: 0 } });
        const opened = await session(`${gateway.url}/own/mcp`);
        for (const get of [opened.ask, (method: string, params?: JsonObject) => ask(`${gateway.url}/own/mcp`, method, params)]) {
          const listed = (await get("tools/list")).message.result?.["tools"] as typeof tools;
          assert.deepEqual(listed.map(({ name }) => name), passing);
          for (const { name } of tools) {
            const { message } = await get("tools/call", { name, arguments: {} });
            if (passing.some((other) => other === name)) assert.ok(message.result, name);
            else assert.equal(message.error?.message, `Unknown tool: ${name}`);
          }
        }
        const called = seen.filter(({ message }) => message.method === "tools/call").map(({ message }) => message.params?.["name"]);
        assert.deepEqual(called, [...tools, ...tools].map(({ name }) => name).filter((name) => passing.some((other) => other === name)));
      }
    });

    it("have arguments, and their interceptors settings, of such names", async () => {
      const { url } = await upstream();
      const overrides = Object.fromEntries([["constructor", { config: { toString: "on" }, when: { argument: "/__proto__/x", equals: 1 } }]]);
      const { gateway } = await start({ upstreams: { own: { url } }, interceptors: [{ module: "moves.mjs", overrides }], http: { port: 0 } });
      const call = async (args: string) => {
        const { message } = await ask(`${gateway.url}/own/mcp`, "tools/call", { name: "read", arguments: JSON.parse(args) as JsonObject });
        return (message.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
      };
      assert.equal(await call('{"__proto__":{"x":1},"constructor":{"prototype":2}}'), '{"__proto__":{"x":1},"constructor":{"prototype":2},"moved":true}');
      assert.equal(await call('{"x":1}'), '{"x":1}');
      assert.equal(({} as { x?: unknown }).x, undefined);
    });
  });
}

const NOTHING_HERE = "There is nothing here; servers are at /NAME/mcp";

it("upstreams and interceptors of such names are found by their own names alone", async () => {
  const { url } = await httpUpstream(STATELESS, { tools: {} }, () => ({ resultType: "complete", content: [] }));
  const text = `{ "upstreams": { "constructor": { "url": ${JSON.stringify(url)} }, "own": { "url": ${JSON.stringify(url)} } }, "interceptors": [{ "use": "tool-filter", "upstreams": ["constructor"], "config": { "deny": ["read"] } }], "http": { "port": 0 } }`;
  const { gateway } = await start({}, { file: folder.write("named.json", text) });
  const call = async (upstream: string) => (await ask(`${gateway.url}/${upstream}/mcp`, "tools/call", { name: "read", arguments: {} })).message.error?.message;
  assert.deepEqual([await call("constructor"), await call("own"), await call("toString"), await call("__proto__")], ["Unknown tool: read", undefined, NOTHING_HERE, NOTHING_HERE]);
  for (const name of ["toString", "constructor"]) {
    const file = folder.write("wrong.json", { upstreams: { own: { url } }, interceptors: [{ use: name }], http: { port: 0 } });
    await assert.rejects(start({}, { file }), /is no ready-made interceptor/);
  }
});
