/** Takes text apart into lines. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The last line may have no end. */
  end(): void;
}

const MAX_CHARS = 16_384;

/** `onLine` gets each line that is not empty, without its end; what is beyond 16,384 characters of one is dropped. */
export function splitLines(onLine: (line: string) => void): LineSplitter {
  const decoder = new TextDecoder();
  let kept = "";
  const flush = () => {
    const line = kept.trimEnd();
    kept = "";
    if (line !== "") onLine(line);
  };
  const take = (text: string) => {
    const [first = "", ...rest] = text.split("\n");
    const add = (part: string) => (kept += part.slice(0, MAX_CHARS - kept.length));
    add(first);
    for (const part of rest) {
      flush();
      add(part);
    }
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      flush();
    },
  };
}
