import type { WriteStream } from "node:tty";

/** What a verb is at, on one line that is written over. */
export interface Progress {
  tell(text: string): void;
  /** Takes the line away. */
  end(): void;
}

const EVERY_MS = 100;

/** Progress on a terminal, at most ten times a second; elsewhere nothing. */
export function progressOn(stream: Pick<WriteStream, "isTTY" | "write">, now: () => number = () => performance.now()): Progress {
  if (stream.isTTY !== true) return { tell: () => {}, end: () => {} };
  let last = -Infinity;
  let told = false;
  return {
    tell(text) {
      if (now() - last < EVERY_MS) return;
      last = now();
      told = true;
      stream.write(`\r\u001b[K${text}`);
    },
    end() {
      if (told) stream.write("\r\u001b[K");
    },
  };
}
