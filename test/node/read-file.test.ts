import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readRegularFile } from "../../src/node/read-file.ts";

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true }));

describe("a file that somebody else has named", () => {
  it("is read up to its bound, whatever its size is said to be", { skip: process.platform !== "linux" }, () => {
    const path = join(folder, "file");
    const bytes = Buffer.alloc(200_000, "x");
    writeFileSync(path, bytes);
    assert.deepEqual(readRegularFile(path, 200_000), bytes);
    assert.throws(() => readRegularFile(path, 199_999), { code: "limit_exceeded", message: "is larger than 199999 bytes" });
    // Its size is 0.
    assert.match(readRegularFile("/proc/self/status", 100_000).toString(), /^Name:/);
    assert.throws(() => readRegularFile("/proc/self/status", 10), { code: "limit_exceeded" });
    assert.throws(() => readRegularFile(join(folder, "none"), 1), { code: "ENOENT" });
  });

  it("is refused where it is none, without a wait", { skip: process.platform === "win32" }, () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const [path, message] of [[join(folder, "pipe"), "is a pipe, and no regular file"], [folder, "is a folder, and no regular file"], ["/dev/zero", "is a device, and no regular file"]] as const) {
      assert.throws(() => readRegularFile(path, 10), { code: "invalid_argument", message });
    }
  });
});
