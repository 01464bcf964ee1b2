// Verbs that take a configuration, or tests of one, which is a module that never has loaded.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { startCli } from "./run-cli.ts";

const folder = temporaryFolder();
after(() => folder.remove());
// A timer keeps a process alive, as a connection would.
const unsettled = folder.write("unsettled.mjs", `console.error("loading");\nawait new Promise(() => setInterval(() => {}, 1000));`);
const settled = folder.write("gateway.json", { upstreams: { up: { command: "never-started" } }, http: { port: 0 } });

const runs: readonly (readonly [signal: "SIGINT" | "SIGTERM", ...words: string[]])[] = [
  ["SIGINT", "check", unsettled],
  ["SIGTERM", "check", unsettled],
  ["SIGINT", "doctor", unsettled],
  ["SIGINT", "explain", unsettled, "--tool", "t"],
  ["SIGINT", "bench", unsettled],
  ["SIGINT", "test", unsettled, settled],
  ["SIGINT", "test", settled, unsettled],
  ["SIGINT", "test", unsettled, settled, "--watch"],
  ["SIGINT", "gateway", "-c", unsettled],
  ["SIGTERM", "gateway", "-c", unsettled, "--workers", "1"],
];

describe("while a configuration is being loaded", { concurrency: 2, skip: process.platform === "win32" }, () => {
  for (const [signal, ...words] of runs) {
    it(`${words.map((word) => (word === unsettled ? "MODULE" : word === settled ? "FILE" : word)).join(" ")} ends by ${signal}`, async () => {
      const running = await startCli(words);
      // The module says that it is being loaded.
      await new Promise((resolve) => running.child.stderr.once("data", resolve));
      running.child.kill(signal);
      const ended = await running.ended;
      assert.deepEqual([ended.code, ended.signal, ended.stderr], [null, signal, "loading\n"]);
    });
  }
});
