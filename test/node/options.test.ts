import assert from "node:assert/strict";
import { test } from "node:test";
import { connectServer } from "../../src/node/chain.ts";
import { spawnTransport } from "../../src/node/child.ts";
import { listenHandler } from "../../src/node/http-handler.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { stdioTransport } from "../../src/node/stdio.ts";
import { workerInterceptor } from "../../src/node/worker-interceptor.ts";
import { connectServer as connectOnWeb } from "../../src/web/chain.ts";
import { fetchHandler } from "../../src/web/fetch-handler.ts";
import { portTransport } from "../../src/web/message-port.ts";

const port = { postMessage() {}, addEventListener() {}, removeEventListener() {} };
// What takes options, and one that is misspelt.
const TAKERS: readonly [take: (options: never) => unknown, wrong: object, meant: string][] = [
  [(options) => listenHttp(options), { authentcate: () => ({}) }, "authenticate"],
  [(options) => listenHttp(options), { othervise: () => {} }, "otherwise"],
  [(options) => listenHandler(async () => ({ status: 204, headers: [] }), options), { prot: 0 }, "port"],
  [(options) => createHttpSend(options), { keepAlive: 1 }, "keepAliveMs"],
  [(options) => spawnTransport(options), { command: process.execPath, arg: ["-e", "0"] }, "args"],
  [(options) => stdioTransport(options), { stdIn: process.stdin }, "stdin"],
  [(options) => workerInterceptor(options), { module: "./x.mjs", timeoutM: 1 }, "timeoutMs"],
  [(options) => connectServer({ command: process.execPath }, undefined, options), { version: [] }, "versions"],
  [(options) => connectOnWeb({ url: "http://127.0.0.1:9/mcp" }, undefined, options), { authorise: () => {} }, "authorize"],
  [(options) => fetchHandler(options), { allowdHosts: "any" }, "allowedHosts"],
  [(options) => portTransport(port, options), { onnoise: () => {} }, "onNoise"],
];

test("what listens, starts or sends refuses a misspelt option with the one that is meant, and does nothing", async () => {
  for (const [take, wrong, meant] of TAKERS) {
    await assert.rejects(async () => take(wrong as never), (thrown: { code?: string; message: string }) => {
      assert.equal(thrown.code, "invalid_argument", meant);
      assert.ok(thrown.message.endsWith(`: did you mean ${meant}?`), thrown.message);
      return true;
    });
  }
  await assert.rejects(listenHttp({ host: 5 } as never), { code: "invalid_argument", message: /host in .* must be a string/ });
});
