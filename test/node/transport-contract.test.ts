import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { spawnTransport } from "../../src/node/child.ts";
import { stdioTransport } from "../../src/node/stdio.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { byteSink, byteSource } from "../../src/node/streams.ts";
import { transportContract } from "../support/transport-contract.ts";

const relay = fileURLToPath(new URL("fixtures/relay-server.mjs", import.meta.url));
let opened = 0;
const limits = { maxQueuedBytes: 20_000 };

transportContract({
  name: "a child process, with the stdio transport behind it",
  backPressure: true,
  async open() {
    const listener = createServer();
    // A local socket: the buffers of TCP grow to whatever is sent.
    const name = `transport-contract-${process.pid}-${++opened}`;
    const address = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
    await new Promise<void>((resolve) => listener.listen(address, resolve));
    const sockets = new Promise<{ stdin: Socket; stdout: Socket }>((resolve) => {
      const byName = new Map<string, Socket>();
      listener.on("connection", (socket) => {
        socket.once("readable", () => {
          byName.set(String(socket.read(1)), socket);
          const [stdin, stdout] = [byName.get("<"), byName.get(">")];
          if (stdin !== undefined && stdout !== undefined) resolve({ stdin, stdout });
        });
      });
    });
    const child = { command: process.execPath, args: [relay, address], stderr: "ignore", killGraceMs: 300 } as const;
    const near = await spawnTransport({ ...child, limits });
    const { stdin, stdout } = await sockets;
    const far = stdioTransport({ stdin, stdout, limits });
    return {
      near,
      far,
      async release() {
        stdin.destroy();
        stdout.destroy();
        await new Promise((resolve) => listener.close(resolve));
      },
    };
  },
});

transportContract({
  name: "the stdio transport over streams",
  backPressure: true,
  async open() {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const source = byteSource(back);
    const far = lineTransport(
      {
        read: () => source.read(),
        write: byteSink(there, () => source.release()),
        async close() {
          source.release();
          there.end();
          back.destroy();
        },
      },
      { invalid: "drop", limits },
    );
    return { near: stdioTransport({ stdin: there, stdout: back, limits, closeGraceMs: 50 }), far };
  },
});

test("the contract's processes leave no child behind", () => {
  assert.equal(process.getActiveResourcesInfo().includes("ProcessWrap"), false);
});
