/** A way to our own standard error that gives up quietly when nobody reads it any more. */
export interface StderrForward {
  write(chunk: Uint8Array): void;
  release(): void;
}

let users = 0;
// One listener for all children: an EPIPE without one would end the process, and logging it would only make the next.
const swallow = () => {};

export function forwardToStderr(): StderrForward {
  if (users++ === 0) process.stderr.on("error", swallow);
  let released = false;
  return {
    write(chunk) {
      if (process.stderr.writable) process.stderr.write(chunk);
    },
    release() {
      if (released) return;
      released = true;
      if (--users === 0) process.stderr.off("error", swallow);
    },
  };
}
