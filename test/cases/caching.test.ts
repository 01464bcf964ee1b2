// Case 36: what may differ from caller to caller is for nobody else's cache, and what a policy leaves of a list is not kept past it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { fetchSend } from "../../src/web/fetch-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { INDEX } from "../gateway/config/kit.ts";
import { ask, gateways, HANDSHAKE, httpUpstream, STATELESS, type Seen } from "./kit.ts";

const { folder, start } = gateways();
const hook = (name: string, kind: string, phase: string, body: string, more = "") =>
  `export const ${name} = ${kind}({ name: "${name}", hooks: [{ events: ["*"], phase: "${phase}" }]${more} }, ({ payload }) => ${body});\n`;
folder.write("items/validates.mjs", `import { validator } from ${JSON.stringify(INDEX)};\n${hook("looks", "validator", "response", "true")}`);
folder.write("items/asks.mjs", `import { validator } from ${JSON.stringify(INDEX)};\n${hook("asks", "validator", "request", "true")}`);
folder.write("items/rewrites.mjs", `import { mutator } from ${JSON.stringify(INDEX)};\n${hook("rewrites", "mutator", "request", "payload")}`);
folder.write("items/mutates.mjs", `import { mutator } from ${JSON.stringify(INDEX)};\n${hook("mutates", "mutator", "response", "payload")}`);
folder.write("items/shares.mjs", `import { mutator } from ${JSON.stringify(INDEX)};\n${hook("shares", "mutator", "response", '({ ...payload, cacheScope: "public" })')}`);
folder.write("items/fails.mjs", `import { mutator } from ${JSON.stringify(INDEX)};\n${hook("fails", "mutator", "response", "{ throw new TypeError() }", ", failOpen: true")}`);

const TOOLS = ["read", "wipe"].map((name) => ({ name, inputSchema: { type: "object" } }));
const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, resources: {} };
const RESULTS: { [method: string]: JsonObject } = {
  "tools/list": { tools: TOOLS },
  "prompts/list": { prompts: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [{ uri: "mem:///a", text: "A" }] },
};
const answering = (cache: JsonObject) => ({ method }: Seen["message"]) => ({ ...RESULTS[method], resultType: "complete", ...cache });
const PUBLIC = { ttlMs: 60_000, cacheScope: "public" };

const isAdmin = { claim: "role", equals: "admin" };
const auth = {
  tokens: [
    { token: "token-of-an-admin", principal: { type: "user", id: "ann", claims: { role: "admin" } } },
    { token: "token-of-somebody", principal: { type: "user", id: "bob" } },
  ],
  anonymous: true,
};
const SCENES: { readonly [name: string]: { readonly says: "public" | "private"; readonly item?: object; readonly allow?: object } } = {
  bare: { says: "public" },
  elsewhere: { says: "public", item: { module: "items/mutates.mjs", events: ["tools/call"] } },
  audit: { says: "public", item: { module: "items/mutates.mjs", mode: "audit" } },
  mutated: { says: "private", item: { module: "items/mutates.mjs" } },
  open: { says: "private", item: { module: "items/fails.mjs" } },
  shared: { says: "private", item: { module: "items/shares.mjs" } },
  validated: { says: "private", item: { module: "items/validates.mjs" } },
  asked: { says: "private", item: { module: "items/asks.mjs" } },
  rewritten: { says: "private", item: { module: "items/rewrites.mjs" } },
  spared: { says: "private", item: { module: "items/mutates.mjs", when: { all: [isAdmin, { not: isAdmin }] } } },
  closed: { says: "private", allow: { not: { claim: "role", equals: "nobody" } } },
};

/** A gateway whose every upstream is the one server, each with an item of its own. */
async function scenes(url: string, names: readonly string[], more: object = {}) {
  const upstreams = Object.fromEntries(names.map((name) => [name, { url, ...(SCENES[name]?.allow === undefined ? {} : { allow: SCENES[name].allow }) }]));
  const interceptors = names.flatMap((name) => (SCENES[name]?.item === undefined ? [] : [{ ...SCENES[name].item, name, upstreams: [name] }]));
  const { gateway } = await start({ upstreams, interceptors, http: { port: 0 }, ...more });
  return (name: string, method: string, headers: Record<string, string> = {}) => ask(`${gateway.url}/${name}/mcp`, method, method === "resources/read" ? { uri: "mem:///a" } : {}, { headers });
}

const hints = ({ message: { result } }: Awaited<ReturnType<typeof ask>>) => [result?.["ttlMs"], result?.["cacheScope"]];

describe("a result that its server lets everybody cache", () => {
  it("stays so where nothing could vary it, and is its reader's alone where anything could: lists and resources alike", async () => {
    const { url } = await httpUpstream(STATELESS, CAPABILITIES, answering(PUBLIC));
    const names = Object.keys(SCENES).filter((name) => name !== "closed");
    const get = await scenes(url, names);
    for (const name of names) {
      for (const method of Object.keys(RESULTS)) assert.deepEqual(hints(await get(name, method)), [60_000, SCENES[name]?.says], `${name} ${method}`);
    }
  });

  it("is its reader's alone where tokens or rules say who gets it, with a token or without", async () => {
    const { url } = await httpUpstream(STATELESS, CAPABILITIES, answering(PUBLIC));
    const get = await scenes(url, ["bare", "closed"], { auth });
    for (const headers of [{ authorization: "Bearer token-of-an-admin" }, { authorization: "Bearer token-of-somebody" }, {}]) {
      for (const name of ["bare", "closed"]) assert.deepEqual(hints(await get(name, "tools/list", headers)), [60_000, "private"], name);
    }
    assert.deepEqual(hints(await (await scenes(url, ["closed"]))("closed", "tools/list")), [60_000, "private"]);
  });

  it("is filtered by claim for one caller, and is not everybody's for the other whom the condition spares", async () => {
    const { url } = await httpUpstream(STATELESS, CAPABILITIES, answering(PUBLIC));
    const { gateway } = await start({
      upstreams: { own: { url } },
      interceptors: [{ use: "tool-filter", config: { deny: ["wipe"] }, when: { not: isAdmin } }],
      http: { port: 0 },
      auth,
    });
    const names = async (token?: string) => {
      const got = await ask(`${gateway.url}/own/mcp`, "tools/list", {}, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
      return [(got.message.result?.["tools"] as typeof TOOLS).map(({ name }) => name).join(" "), got.message.result?.["cacheScope"]];
    };
    assert.deepEqual(await names("token-of-an-admin"), ["read wipe", "private"]);
    assert.deepEqual(await names("token-of-somebody"), ["read", "private"]);
    assert.deepEqual(await names(), ["read", "private"]);
  });

  it("that is private already, or says nothing, or comes from a handshake server, is nobody else's either", async () => {
    const own = await httpUpstream(STATELESS, CAPABILITIES, answering({ ttlMs: 5, cacheScope: "private" }));
    assert.deepEqual(hints(await (await scenes(own.url, ["bare"]))("bare", "tools/list")), [5, "private"]);
    const older = await httpUpstream(HANDSHAKE, CAPABILITIES, ({ method }) => ({ ...RESULTS[method] }));
    assert.deepEqual(hints(await (await scenes(older.url, ["bare"]))("bare", "tools/list")), [0, "private"]);
  });
});

describe("a list that a client has kept", () => {
  for (const era of ["handshake", "stateless"] as const) {
    it(`is asked for anew once a reload has changed what is left of it (${era})`, async () => {
      folder.write(`own-${era}.mjs`, `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "own", version: "1" }, { cache: { ttlMs: 600000, cacheScope: "public" } });
for (const name of ["read", "wipe"]) server.tool({ name, inputSchema: { type: "object" } }, () => name);`);
      const config = (deny: string[]) => ({ upstreams: { own: { module: `own-${era}.mjs` } }, interceptors: [{ use: "tool-filter", config: { deny } }], http: { port: 0 } });
      const file = folder.write(`reloaded-${era}.json`, config([]));
      const one = await start({}, { file });
      const client = new McpClient({ name: "c", version: "1" }, { era });
      let told!: () => void;
      client.onListChanged("tools", () => told());
      await client.connect(httpTransport({ url: `${one.gateway.url}/own/mcp`, send: fetchSend() }));
      const names = async () => (await client.listTools()).map(({ name }) => name);
      assert.deepEqual(await names(), ["read", "wipe"]);
      const changed = new Promise<void>((resolve) => (told = resolve));
      folder.write(`reloaded-${era}.json`, config(["wipe"]));
      await one.reload();
      await changed;
      assert.deepEqual(await names(), ["read"]);
      await client.close();
    });
  }
});
