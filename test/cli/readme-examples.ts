// The examples of src/cli/README.md, run with `server.mjs` beside them.
import { chmodSync, copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runPage } from "../support/pages.ts";
import { bundledCli, fixture } from "./run-cli.ts";

export const README = fileURLToPath(new URL("../../src/cli/README.md", import.meta.url));

export async function runExamples(text: string): Promise<readonly string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-interceptors-")));
  try {
    copyFileSync(fixture("server.mjs"), join(folder, "server.mjs"));
    const program = join(folder, "mcp-interceptors");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bundledCli()}' "$@"\n`);
    chmodSync(program, 0o755);
    const path = [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter);
    return await runPage(text, folder, { ...process.env, PATH: path });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
