import { fstatSync } from "node:fs";

/** Whether a file is this program's stdout by another name: /dev/stdout, or what the shell has sent stdout to. */
export function isStdout(file: { readonly dev: number; readonly ino: number }): boolean {
  try {
    const stdout = fstatSync(1);
    return file.dev === stdout.dev && file.ino === stdout.ino;
  } catch {
    // There is no stdout.
    return false;
  }
}
