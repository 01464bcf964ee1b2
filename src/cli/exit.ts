import { writeSync } from "node:fs";
import { Writable } from "node:stream";
import { printable } from "./describe.ts";

/** How this process should end: with a code, or by the signal that ended the server; `code` is then 128 and its number, as shells have it. */
export interface Exit {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

// Whoever reads neither stream any more must not keep us.
const FLUSH_MS = 1000;

// Whether the end that is coming is of our own making.
let decided = false;

/**
 * Makes an end that is not `endProcess`'s known for what it is: a module may call `process.exit`, and then nothing that waits is answered. One
 * line on stderr, and exit code 1 in place of 0.
 */
export function reportForeignExit(): void {
  process.on("exit", (code) => {
    if (decided) return;
    const left = `a module has called process.exit, or an error was not caught (exit code ${code})`;
    const how = code === 13 ? "a promise that it waits for can no longer settle" : left;
    try {
      // Nothing asynchronous happens any more.
      writeSync(2, `mcp-interceptors: this process ends before its time: ${how}\n`);
    } catch {
      // Nobody reads it.
    }
    if (code === 0 || code === 13) process.exitCode = 1;
  });
}

/**
 * Ends this process once what it has printed is out. It does not wait for the event loop to run dry: a module that was loaded may have left
 * a timer or a socket behind.
 */
export async function endProcess({ code, signal }: Exit): Promise<never> {
  decided = true;
  const printed = Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  await Promise.race([printed, new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  if (unprinted !== undefined) process.stderr.write(`mcp-interceptors: not all could be printed: ${printable(unprinted.message)}\n`);
  // By default a signal ends this process here and now; one that does not leaves the code.
  if (signal !== undefined) process.kill(process.pid, signal);
  process.exit(code === 0 && unprinted !== undefined ? 2 : code);
}

// Why stdout could not take all, where somebody wanted it: a disk is full.
let unprinted: Error | undefined;

/** A closed pipe is no reason to crash: what cannot be printed is not printed. Whoever has closed it wants no more; any other loss is told at the end. */
export function ignoreBrokenPipes(): void {
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error) => {
    if (!("code" in error) || error.code !== "EPIPE") unprinted ??= error;
  });
}

/** Prints one JSON value on stdout even where `protectStdout` keeps others from it: what a program reads that has asked for JSON. */
export function printToPrograms(value: unknown): void {
  Writable.prototype.write.call(process.stdout, `${JSON.stringify(value, null, 2)}\n`, "utf8", () => {});
}

function flushed(stream: Writable): Promise<void> {
  // The method of the class: `protectStdout` may have put another in front.
  return new Promise((resolve) => Writable.prototype.write.call(stream, "", "utf8", () => resolve()));
}
