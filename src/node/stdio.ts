import { Console } from "node:console";
import type { Readable, Writable } from "node:stream";
import { checkOptions, pickOptions, type OptionTable } from "../core/base/options.ts";
import { LINE_OPTIONS, lineTransport, type LineTransportOptions } from "../core/transport/line-transport.ts";
import type { Transport } from "../core/transport/transport.ts";
import { nodeHost } from "./host.ts";
import { byteSink, byteSource } from "./streams.ts";

/** How this process speaks on its standard streams. */
export interface StdioOptions extends Omit<LineTransportOptions, "invalid"> {
  /** Streams of bytes; the process's own by default. They belong to the transport, which ends and destroys them. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** How long `close` waits for what was sent to leave. Default 1000 ms. */
  readonly closeGraceMs?: number;
}

const OPTIONS: OptionTable<StdioOptions> = { ...LINE_OPTIONS, stdin: "an object", stdout: "an object", closeGraceMs: "a number" };

/**
 * The server's side of MCP's stdio transport: the client is at the other end of stdin and stdout. The end of stdin ends `receive`; the client may
 * still read answers until `close`. A broken stdout means that it is gone: `receive` ends too, quietly. Nothing but messages is written
 * here; see `protectStdout` for the rest of the program.
 */
export function stdioTransport(options: StdioOptions = {}): Transport {
  checkOptions(options, "the options of stdio", OPTIONS);
  const { stdin = process.stdin, stdout = process.stdout, closeGraceMs = 1000, host = nodeHost() } = options;
  const source = byteSource(stdin);
  const write = byteSink(stdout, () => source.release());
  return lineTransport(
    {
      read: () => source.read(),
      write,
      async close(flushed) {
        source.release();
        // An open stdin keeps the process alive.
        stdin.destroy();
        await new Promise<void>((resolve) => {
          const cancel = host.setTimer(resolve, closeGraceMs);
          void flushed.then(() => {
            cancel();
            resolve();
          });
        });
        // The process's own stdout is shared and closes with the process.
        if (stdout !== process.stdout) stdout.end();
      },
    },
    { ...pickOptions(options, LINE_OPTIONS), host, invalid: "answer" },
  );
}

// What prints to stdout, and what keeps state for it: an indentation, a label's start.
const PRINTING = [
  ...(["log", "info", "debug", "dir", "dirxml", "table", "count"] as const),
  ...(["group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog"] as const),
];

/**
 * Turns everything that would print to stdout towards stderr: the methods of `console`, and `process.stdout.write` for whoever calls it
 * directly. `stdioTransport` still writes to the real one. Call it first in a stdio server, before a library prints a banner. Returns
 * the undoing.
 */
export function protectStdout(): () => void {
  const toStderr = new Console(process.stderr, process.stderr);
  const undo: (() => void)[] = [];
  for (const method of PRINTING) {
    const original = Object.getOwnPropertyDescriptor(console, method);
    Object.defineProperty(console, method, { value: toStderr[method].bind(toStderr), writable: true, enumerable: true, configurable: true });
    if (original !== undefined) undo.push(() => void Object.defineProperty(console, method, original));
  }
  // An own property in front of the inherited method.
  Object.defineProperty(process.stdout, "write", { value: process.stderr.write.bind(process.stderr), writable: true, configurable: true });
  undo.push(() => void Reflect.deleteProperty(process.stdout, "write"));
  return () => {
    for (const step of undo.splice(0)) step();
  };
}
