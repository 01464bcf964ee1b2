// The section `traces`, from a file to the spans that a collector gets: src/gateway/config/start.ts, observability.ts, and src/gateway/otlp.ts behind them.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startGateway } from "../../../src/gateway/config/start.ts";
import { connectServer } from "../../../src/node/chain.ts";
import { versionsOf } from "../kit.ts";
import { INDEX, startCollector, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
folder.write(
  "server.mjs",
  `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "own", version: "1" });
server.tool({ name: "read", inputSchema: { type: "object" } }, () => "a secret of ann@example.com");
server.tool({ name: "wipe", inputSchema: { type: "object" } }, () => "wiped");`,
);
folder.write(
  "refuse.mjs",
  `import { deny, validator } from ${JSON.stringify(INDEX)};
export const refuse = validator({ name: "refuse", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "wipe" ? deny("not you") : true));`,
);

const traceOf = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` });

describe("the traces of a configuration", () => {
  it("arrive at the collector with the caller's span as their parent, in both eras, and with what the file says", async (t) => {
    const collector = await startCollector();
    t.after(() => collector.close());
    const file = folder.write("gateway.json", {
      upstreams: { own: { module: "server.mjs" } },
      interceptors: [{ use: "redact", phase: "response" }, { module: "refuse.mjs", name: "house" }],
      http: { port: 0 },
      traces: { url: collector.url, headers: { "x-api-key": "${COLLECTOR_KEY}" }, serviceName: "edge", resource: { "deployment.environment.name": "test" } },
    });
    const { gateway, close } = await startGateway({ file, env: { COLLECTOR_KEY: "key-of-the-collector" }, watch: false });
    const url = `${gateway.url}/own/mcp`;
    const traces = { handshake: traceOf("a"), stateless: traceOf("b"), blocked: traceOf("c") };
    for (const era of ["handshake", "stateless"] as const) {
      const client = await connectServer({ url }, undefined, { versions: versionsOf(era) });
      const call = (name: string, trace: { readonly traceparent: string }) => client.request("tools/call", { name, arguments: {}, _meta: { traceparent: trace.traceparent } });
      assert.match(JSON.stringify(await call("read", traces[era])), /\[REDACTED:email\]/);
      if (era === "stateless") await assert.rejects(call("wipe", traces.blocked), /Interceptor validation failed/);
      // Who names no span begins a trace.
      await client.request("tools/call", { name: "read", arguments: {} });
      await client.close();
    }
    await close();

    // What waited has gone at the end.
    for (const { headers, sent } of collector.exports) {
      assert.equal(headers["x-api-key"], "key-of-the-collector");
      const [{ resource } = { resource: { attributes: [] } }] = sent.resourceSpans;
      const said = new Map(resource.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
      assert.deepEqual([said.get("service.name"), said.get("deployment.environment.name")], ["edge", "test"]);
    }
    const spans = collector.spans();
    const below = (parent: string) => spans.filter(({ parentSpanId }) => parentSpanId === parent);
    for (const { traceId, spanId } of [traces.handshake, traces.stateless]) {
      // Without the list that the gateway has asked for on the way.
      const judged = below(spanId).filter(({ name }) => !name.includes("tools/list"));
      assert.deepEqual(judged.map((span) => [span.name, span.traceId, span.status.code]), [
        ["judge tools/call request", traceId, 1],
        ["judge tools/call response", traceId, 1],
      ]);
      assert.deepEqual(judged.map((span) => below(span.spanId).map((child) => [child.name, child.traceId])), [[["interceptor house/refuse", traceId]], [["interceptor redact/redact", traceId]]]);
    }
    const refused = below(traces.blocked.spanId);
    assert.deepEqual(refused.map(({ name, status }) => [name, status]), [["judge tools/call request", { code: 2, message: "validation_failed" }]]);
    // The two of nobody: each a trace of its own, request and response together.
    const given = new Set(Object.values(traces).map(({ traceId }) => traceId));
    const own = spans.filter(({ name, traceId }) => name === "judge tools/call request" && !given.has(traceId));
    assert.deepEqual([own.length, new Set(own.map(({ traceId }) => traceId)).size, own.map(({ parentSpanId }) => parentSpanId)], [2, 2, [undefined, undefined]]);
    for (const { traceId } of own) assert.equal(spans.filter((span) => span.name.startsWith("judge") && span.traceId === traceId).length, 2);
    assert.doesNotMatch(JSON.stringify(spans), /ann@example|secret/);
  });
});
