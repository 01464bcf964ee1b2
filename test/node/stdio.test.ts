import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stdioTransport } from "../../src/node/stdio.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { bundle } from "../support/bundle.ts";

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;
const fixture = bundle(fileURLToPath(new URL("fixtures/stdio-server.ts", import.meta.url)));

test("the end of stdin ends receive, after what came before it, and answers still go out", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = stdioTransport({ stdin, stdout });
  stdin.end(JSON.stringify(ping(1)) + "\n");
  assert.deepEqual((await transport.receive())?.frame.message, ping(1));
  assert.equal(await transport.receive(), undefined);
  await transport.send({ message: { jsonrpc: "2.0", id: 1, result: {} } });
  await transport.close();
  assert.equal(String(stdout.read()), '{"jsonrpc":"2.0","id":1,"result":{}}\n');
  assert.equal(stdin.destroyed, true);
});

test("a broken stdout ends the connection quietly", async () => {
  const stdin = new PassThrough();
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new TypeError("EPIPE"), { code: "EPIPE" })) });
  const transport = stdioTransport({ stdin, stdout });
  const pending = transport.receive();
  await transport.send({ message: ping(1) });
  assert.equal(await pending, undefined);
  await assert.rejects(transport.send({ message: ping(2) }), { code: "closed" });
  await Promise.all([transport.close(), transport.close()]);
});

test("close waits for what was sent to leave, but not for ever", async () => {
  const host = fakeHost();
  const stdout = new Writable({ write() {} });
  const transport = stdioTransport({ stdin: new PassThrough(), stdout, host, closeGraceMs: 1000 });
  await transport.send({ message: ping(1) });
  let closed = false;
  const closing = transport.close().then(() => (closed = true));
  await host.advance(999);
  assert.equal(closed, false);
  await host.advance(1);
  await closing;
  assert.equal(host.liveTimers, 0);
});

test("close leaves no timer when everything had left already", async () => {
  const host = fakeHost();
  const transport = stdioTransport({ stdin: new PassThrough(), stdout: new PassThrough(), host });
  await transport.send({ message: ping(1) });
  await settle();
  await transport.close();
  assert.equal(host.liveTimers, 0);
});

test("no listener but those for errors is left on the streams", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const before = [stdin, stdout].map((stream) => stream.eventNames().filter((name) => name !== "error" && name !== "close").length);
  const transport = stdioTransport({ stdin, stdout });
  const pending = transport.receive();
  await transport.close();
  assert.equal(await pending, undefined);
  assert.deepEqual([stdin, stdout].map((stream) => stream.eventNames().filter((name) => name !== "error" && name !== "close").length), before);
});

/** Runs the fixture, a server with a live timer that prints in every way it knows. */
function runServer(stdin: string | undefined, mode: string) {
  const child = spawn(process.execPath, [fixture, mode], { stdio: ["pipe", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (output.stderr += String(chunk)));
  if (stdin !== undefined) child.stdin.write(stdin);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, output, closed };
}

test("a server with protected stdout writes messages there and everything else to stderr, and ends with its stdin", async () => {
  const { child, output, closed } = runServer(JSON.stringify(ping(1)) + "\n", "print");
  child.stdin.end();
  assert.equal(await closed, 0);
  assert.equal(output.stdout, '{"jsonrpc":"2.0","id":1,"result":{}}\n');
  for (const printed of ["by log", "by info", "by table", "by write", "by console error"]) assert.ok(output.stderr.includes(printed), printed);
  assert.ok(!output.stderr.includes("after undo"));
});

test("a server with a live timer and an empty stdin ends", async () => {
  const child = spawn(process.execPath, [fixture, "print"], { stdio: ["ignore", "ignore", "ignore"] });
  assert.equal(await new Promise((resolve) => child.once("close", resolve)), 0);
});

test("a server whose client no longer reads ends without a word", async () => {
  const { child, output, closed } = runServer(undefined, "flood");
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  assert.equal(await closed, 0);
  assert.equal(output.stderr, "");
});
