import { createReadStream } from "node:fs";
import { LocalError } from "../core/base/errors.ts";

/** A line of a file, without its end. The last one is not `whole` where the file does not end in a line end, as a kill leaves it. */
export interface FileLine {
  readonly bytes: Uint8Array;
  readonly whole: boolean;
}

/** Reads a file line by line, or `chunks` in its place. Rejects with what the file system says, and with `limit_exceeded` for a line of more than `maxBytes`. */
export async function* linesOf(path: string, maxBytes: number, chunks?: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let rest: Buffer[] = [];
  let length = 0;
  // Of a stream without an encoding: buffers.
  for await (const chunk of chunks ?? (createReadStream(path) as AsyncIterable<Buffer>)) {
    let from = 0;
    for (let end; (end = chunk.indexOf(0x0a, from)) >= 0; from = end + 1) {
      rest.push(chunk.subarray(from, end));
      yield { bytes: Buffer.concat(rest), whole: true };
      rest = [];
      length = 0;
    }
    rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxBytes) throw new LocalError("limit_exceeded", `${path} has a line of more than ${maxBytes} bytes: it is no file of ours`);
  }
  if (length > 0) yield { bytes: Buffer.concat(rest), whole: false };
}
