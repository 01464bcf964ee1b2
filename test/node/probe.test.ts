import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connectServer } from "../../src/node/chain.ts";

const server = fileURLToPath(new URL("fixtures/old-server.mjs", import.meta.url));

test("a child that exits on the probe is started again, and one that floods its standard error over it is heard out (case 9)", async () => {
  for (const mode of ["exits", "complains"]) {
    const client = await connectServer({ command: process.execPath, args: [server, mode] });
    assert.deepEqual([client.era, (await client.listTools()).map(({ name }) => name)], ["handshake", ["t"]], mode);
    await client.close();
  }
});
