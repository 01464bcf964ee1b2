import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { webhook, type WebhookConfig } from "../../src/library/webhook.ts";
import { invokeLater } from "./invoke.ts";
import { serviceDouble } from "./service-double.ts";

const url = "https://policy.example/judge";
const CALL = { event: "tools/call", phase: "request" as const, payload: { name: "t", arguments: { a: 1 } } };

async function ask(config: Partial<WebhookConfig>, answer: Parameters<typeof serviceDouble>[0], params: object = {}) {
  const { host, seen } = serviceDouble(answer);
  const result = await invokeLater(webhook({ url, ...config }, { host }), { ...CALL, ...params });
  return { result: result as unknown as Record<string, unknown>, seen };
}

describe("webhook", () => {
  it("shows a service the message and who sends it, signed, and takes its verdict", async () => {
    const secret = "sixteen letters or more";
    const context = { sessionId: "s", principal: { type: "user" as const, id: "ada" } };
    const { result, seen } = await ask({ secret, headers: { authorization: "Bearer x" } }, () => ({ valid: false, severity: "error", messages: [{ message: "no", path: "/name" }] }), { context });
    assert.equal(result["valid"], false);
    assert.deepEqual(result["messages"], [{ path: "/name", message: "no", severity: "error" }]);
    const [post] = seen;
    assert.ok(post !== undefined);
    assert.equal(post.url, url);
    assert.equal(post.redirect, "error");
    assert.deepEqual(JSON.parse(post.body), { type: "validator", ...CALL, context });
    const timestamp = post.headers["x-mcp-interceptors-timestamp"] ?? "";
    assert.equal(timestamp, String(Date.UTC(2026, 6, 28) / 1000));
    assert.equal(post.headers["x-mcp-interceptors-signature"], `v1=${createHmac("sha256", secret).update(`${timestamp}.${post.body}`).digest("hex")}`);
    assert.equal(post.headers["authorization"], "Bearer x");
    assert.equal(post.headers["content-type"], "application/json");
  });

  it("takes another payload of a service, or none", async () => {
    const changed = await ask({ type: "mutator" }, () => ({ modified: true, payload: { name: "other" } }));
    assert.deepEqual([changed.result["modified"], changed.result["payload"]], [true, { name: "other" }]);
    const same = await ask({ type: "mutator" }, () => ({ modified: false }));
    assert.equal(same.result["modified"], false);
  });

  it("fails, and so blocks, on whatever is no answer", async () => {
    const bad: Record<string, () => unknown> = {
      "another status": () => Response.json({ valid: true }, { status: 500 }),
      "no permission": () => Response.json({ valid: true }, { status: 401 }),
      "no content": () => new Response(null, { status: 204 }),
      "no JSON": () => new Response("<html>"),
      "a list": () => [true],
      "a member twice": () => new Response('{"valid":false,"valid":true}'),
      "no verdict": () => ({ ok: true }),
      "a text for a verdict": () => ({ valid: "true" }),
      "no UTF-8": () => new Response(Uint8Array.of(0x7b, 0xff, 0x7d)),
      "too much": () => new Response(`{"valid":true,"x":"${"y".repeat(4_200_000)}"}`),
      "a dead line": () => {
        throw new TypeError("fetch failed");
      },
    };
    for (const [what, answer] of Object.entries(bad)) await assert.rejects(ask({}, answer), /Interceptor execution failed/, what);
    for (const answer of [{ modified: true }, { modified: "no" }, {}, { valid: true }]) await assert.rejects(ask({ type: "mutator" }, () => answer), /Interceptor execution failed/, JSON.stringify(answer));
  });

  it("gives the service up when the run is over", async () => {
    const { host, seen } = serviceDouble((post) => new Promise((_resolve, reject) => post.signal.addEventListener("abort", () => reject(post.signal.reason as Error))));
    const asked = invokeLater(webhook({ url }, { host }), { ...CALL, timeoutMs: 50 }, host);
    const refused = assert.rejects(async () => asked, /Interceptor execution timeout/);
    await host.advance(60);
    await refused;
    assert.equal(seen[0]?.signal.aborted, true);
  });

  it("takes no other config from a call: it must not choose where payloads go", async () => {
    await assert.rejects(ask({}, () => ({ valid: true }), { config: { url: "https://evil.example" } }), /Interceptor execution failed/);
  });

  it("hooks the methods and phases that it is told, errors too", () => {
    const one = webhook({ url, events: ["*"], phases: ["response", "request", "response"] });
    assert.deepEqual(one.descriptor.hooks, [{ events: ["*"], phase: "response" }, { events: ["*"], phase: "request" }]);
    assert.equal(one.handlesErrors, true);
    assert.deepEqual(webhook({ url }).descriptor.hooks, [{ events: ["tools/call"], phase: "request" }]);
  });

  it("refuses configs that do not fit, and addresses that would show payloads to others", () => {
    const wrong: [object, string][] = [
      [{ url: "http://policy.example" }, "url"], [{ url: "http://127.0.0.1.evil.example/" }, "url"], [{ url: "http://localhost@evil.example/" }, "url"], [{ url: "https://a:b@policy.example" }, "url"], [{ url: "ftp://x" }, "url"], [{}, "url"],
      [{ url, secret: "short" }, "secret"], [{ url, headers: { "a b": "c" } }, "headers.a b"], ...["content-length", "Host", "Transfer-Encoding", "X-MCP-Interceptors-Signature"].map((name): [object, string] => [{ url, headers: { [name]: "1" } }, `headers.${name}`]), [{ url, headers: { a: "c\r\nd: e" } }, "headers.a"], [{ url, type: "sink" }, "type"], [{ url, phases: [] }, "phases"], [{ url, phases: ["both"] }, "phases\\[0\\]"],
    ];
    for (const [config, place] of wrong) assert.throws(() => webhook(config as WebhookConfig), { code: "invalid_argument", message: new RegExp(`^config of webhook: ${place} `) }, JSON.stringify(config));
    for (const fine of ["http://localhost:8080/x", "http://127.0.0.1/", "http://[::1]:9/y"]) webhook({ url: fine });
  });
});
