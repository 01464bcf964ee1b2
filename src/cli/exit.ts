import { Writable } from "node:stream";

/** How this process should end: with a code, or by the signal that ended the server; `code` is then 128 and its number, as shells have it. */
export interface Exit {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

// Whoever reads neither stream any more must not keep us.
const FLUSH_MS = 1000;

/**
 * Ends this process once what it has printed is out. It does not wait for the event loop to run dry: a module that was loaded may have left
 * a timer or a socket behind.
 */
export async function endProcess({ code, signal }: Exit): Promise<never> {
  const printed = Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  await Promise.race([printed, new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  // By default a signal ends this process here and now; one that does not leaves the code.
  if (signal !== undefined) process.kill(process.pid, signal);
  process.exit(code);
}

/** A closed pipe is no reason to crash: what cannot be printed is not printed. */
export function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

function flushed(stream: Writable): Promise<void> {
  // The method of the class: `protectStdout` may have put another in front.
  return new Promise((resolve) => Writable.prototype.write.call(stream, "", "utf8", () => resolve()));
}
