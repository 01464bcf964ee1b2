import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../../src/gateway/config/problems.ts";

export interface Folder {
  readonly path: string;
  /** Writes a file below the folder, and gives its path. */
  write(name: string, content: string | object): string;
  remove(): void;
}

/** A folder for one test. */
export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return file;
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** The lines of the `ConfigError` that something ends in, with `F` for the file and `D/` for its folder. */
export async function complaints(action: Promise<unknown>, file: string, folder: string): Promise<readonly string[]> {
  try {
    await action;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.message.split("\n").map((line) => line.replaceAll(file, "F").replaceAll(`${folder}/`, "D/"));
  }
  assert.fail("nothing was wrong");
}

export const INDEX = new URL("../../../src/index.ts", import.meta.url).href;

/** The command of test/cli's interceptor server: the validator `names`, which denies the tool `rm`. */
export const policyServer = (mode?: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../../cli/fixtures/interceptor-server.mjs", import.meta.url)), ...(mode === undefined ? [] : [mode])],
});
