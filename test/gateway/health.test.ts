import assert from "node:assert/strict";
import { test } from "node:test";
import { listenOps, opsHandler, type OpsOptions } from "../../src/gateway/health.ts";
import { send } from "../support/http-exchange.ts";

const get = (options: OpsOptions, path: string, headers: Record<string, string | undefined> = {}, method = "GET") => send(opsHandler(options), { method, path, headers });

test("a process is healthy while it answers, and ready when nothing keeps it from taking calls", async () => {
  const why: string[] = [];
  const options = { ready: () => why, metrics: () => Promise.resolve("m 1\n") };
  assert.equal(await get(options, "/healthz").status(), 200);
  assert.equal(await get(options, "/readyz").status(), 200);
  why.push("draining\nX-Evil: 1", "files: no connection");
  const { status, body } = await get(options, "/readyz").response;
  assert.deepEqual([status, body], [503, "draining X-Evil: 1\nfiles: no connection\n"]);
  assert.deepEqual((await get({ ready: () => Promise.resolve(why) }, "/readyz").response).status, 503, "others may have to be asked");
  assert.equal(await get(options, "/healthz").status(), 200);
  assert.deepEqual((await get(options, "/metrics").response).body, "m 1\n");
  assert.match((await get(options, "/metrics").header("content-type")) ?? "", /version=0.0.4/);
});

test("other paths, methods, pages and hosts get nothing", async () => {
  for (const path of ["/", "/metrics/", "/healthz/x"]) assert.equal(await get({}, path).status(), 404, path);
  assert.equal(await get({}, "/metrics").status(), 404);
  assert.equal(await get({}, "/healthz", {}, "POST").status(), 405);
  assert.deepEqual((await get({}, "/healthz", {}, "HEAD").response).body, undefined);
  assert.equal(await get({}, "/healthz", { origin: "http://evil.example" }).status(), 403);
  const allowedHosts = ["localhost"];
  assert.equal(await get({ allowedHosts }, "/healthz", { host: "evil.example" }).status(), 403);
  assert.equal(await get({ allowedHosts }, "/healthz", { host: "localhost:9" }).status(), 200);
});

test("what the owner's functions throw is answered 500 and shown to nobody", async () => {
  const secret = () => {
    throw new TypeError("s3cret");
  };
  for (const options of [{ ready: secret, metrics: secret }, { ready: secret, metrics: () => Promise.reject(new TypeError("s3cret")) }]) {
    for (const path of ["/readyz", "/metrics"]) {
      const { status, body } = await get(options, path).response;
      assert.deepEqual([status, String(body).includes("s3cret")], [500, false]);
    }
  }
});

test("it listens on a port of its own", async () => {
  const server = await listenOps({ metrics: () => "m 1\n" });
  try {
    const answer = await fetch(`${server.origin}/metrics`);
    assert.deepEqual([answer.status, await answer.text()], [200, "m 1\n"]);
  } finally {
    await server.close();
  }
});
