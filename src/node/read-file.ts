import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { LocalError } from "../core/base/errors.ts";

// A pipe that nobody writes to is not waited for.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const CHUNK_BYTES = 64 * 1024;

/** What is wrong with a path that leads to no regular file, such as `is a folder`. */
export function irregularity(stat: Stats): string | undefined {
  if (stat.isFile()) return undefined;
  if (stat.isDirectory()) return "is a folder";
  if (stat.isFIFO()) return "is a pipe";
  return stat.isSocket() ? "is a socket" : "is a device";
}

/**
 * The bytes of a regular file that somebody else has named: a pipe would hold everything up, a device never end, and what is too large fill the memory. Throws
 * `invalid_argument` or `limit_exceeded`, with a message that goes on from the file's name (`is a pipe, and no regular file`), or what Node throws.
 */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  // Before it is opened, which may be an act already: of a device, for one.
  assertReadable(statSync(path), maxBytes);
  const file = openSync(path, FLAGS);
  try {
    assertReadable(fstatSync(file), maxBytes);
    // Up to its end, whatever its size is said to be: some files say that they are empty.
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      length += read;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

function assertReadable(stat: Stats, maxBytes: number): void {
  const kind = irregularity(stat);
  if (kind !== undefined) throw new LocalError("invalid_argument", `${kind}, and no regular file`);
  if (stat.size > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): LocalError {
  return new LocalError("limit_exceeded", `is larger than ${maxBytes} bytes`);
}
