import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { complaints, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const pools = createPools();
const upstreams = { a: { command: "x" } };

async function built(config: object, dry: boolean): Promise<void> {
  const loaded = await loadConfig(folder.write("gateway.json", { upstreams, ...config }), { env: {} });
  const plan = await buildPlan(loaded, { pools, log: () => {}, chainLog: () => {}, dry, exhaustive: dry });
  await plan.close();
}

/** Pointers of all that is wrong, each with its place, as `check` and as the start of a gateway find it. */
async function wrong(config: object): Promise<readonly string[]> {
  const [checked, started] = [await complaints(built(config, true), folder.write("gateway.json", {}), folder.path), await complaints(built(config, false), folder.write("gateway.json", {}), folder.path)];
  assert.deepEqual(started, checked);
  for (const line of checked) assert.match(line, /^F:\d+:\d+: \/\S+ \S/);
  return checked.map((line) => /^\S+ (\S+)/.exec(line)?.[1] ?? "");
}

// What each part refuses as it starts; the schema lets it through.
const REFUSED: readonly (readonly [string, object, ...string[]])[] = [
  ["hosts that are no names", { http: { allowedHosts: ["good.example", "http://x", "a b"] } }, "/http/allowedHosts/1", "/http/allowedHosts/2"],
  ["hosts of the operator's port", { metrics: { allowedHosts: ["http://x"] } }, "/metrics/allowedHosts/0"],
  ["origins that are none", { http: { allowedOrigins: ["https://good.example", "x.example", "*"] } }, "/http/allowedOrigins/1", "/http/allowedOrigins/2"],
  ["a replica that no state can name", { parking: { replica: "a.b c" } }, "/parking/replica"],
  ["pointers that are none", { policy: { immutable: ["/good", "x"] } }, "/policy/immutable/1"],
  ["pointers of an event", { policy: { immutable: { "tools/call": ["/good", "y"] } } }, "/policy/immutable/tools~1call/1"],
  ["an event that is none", { policy: { immutable: { "tools*": ["/good"] } } }, "/policy/immutable/tools*"],
  ["revisions that nobody speaks, with and without http", { versions: ["2025-06-18", "2020-01-01"] }, "/versions/1"],
  ["revisions that nobody speaks, over http", { versions: ["2020-01-01"], http: {} }, "/versions/0"],
  ["no revision at all", { versions: [] }, "/versions"],
  ["a log in a folder that is not there", { audit: { file: "nowhere/audit.jsonl" } }, "/audit/file"],
  ["a log in what is no folder", { audit: { file: "gateway.json/audit.jsonl" } }, "/audit/file"],
  ["a log that is a folder", { audit: { file: "." } }, "/audit/file"],
  ["headers of an upstream", { upstreams: { a: { url: "http://127.0.0.1:9/mcp", headers: { Good: "x", "X Y": "z", V: "a\nb", "Mcp-Session-Id": "x" } } } }, "/upstreams/a/headers/X Y", "/upstreams/a/headers/V", "/upstreams/a/headers/Mcp-Session-Id"],
  ["headers of an exporter", { traces: { url: "http://127.0.0.1:9/", headers: { "X Y": "z" } } }, "/traces/headers/X Y"],
];

describe("values that a part of the gateway would refuse at its start", () => {
  for (const [what, config, ...pointers] of REFUSED) {
    it(`are faults of the file: ${what}`, async () => {
      assert.deepEqual((await wrong(config)).length, pointers.length);
      const lines = await complaints(built(config, true), folder.write("gateway.json", {}), folder.path);
      for (const [index, pointer] of pointers.entries()) assert.ok(lines[index]?.includes(`: ${pointer} `), `${pointer} in ${lines[index]}`);
    });
  }

  it("are faults of the file: headers of an interceptor server, which is not reached for", async () => {
    const lines = await complaints(built({ interceptors: [{ url: "http://127.0.0.1:9/mcp", headers: { "X Y": "z" } }] }, false), folder.write("gateway.json", {}), folder.path);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^F:\d+:\d+: \/interceptors\/0\/headers\/X Y cannot be used/);
  });

  it("are told with what the schema finds, all at once", async () => {
    const config = { http: { port: -1, allowedHosts: ["http://x"] }, policy: { blockAs: "nothing", immutable: ["x"] }, upstreams: { a: { url: "http://127.0.0.1:9/mcp", idleMs: -1, headers: { "X Y": "z" } } }, versions: ["2020-01-01"], audit: { file: ".", sync: -1 }, parking: { replica: "a b", parkMs: -1 } };
    const found = await wrong(config);
    assert.equal(found.length, 11);
  });

  it("pass where they are what the parts take", async () => {
    const http = { host: "::1", allowedHosts: ["mcp.example.com", "[::1]:3000"], allowedOrigins: ["https://app.example.com"] };
    await built({ http, metrics: { allowedHosts: "any" }, policy: { immutable: { "*": ["", "/a~1b"] } }, versions: ["2026-07-28"], parking: { replica: "r-1" }, audit: { file: "new.jsonl" } }, true);
  });
});
