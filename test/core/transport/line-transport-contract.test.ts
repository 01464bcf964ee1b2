import { test } from "node:test";
import assert from "node:assert/strict";
import { lineTransport } from "../../../src/core/transport/line-transport.ts";
import { bytePipes } from "../../support/byte-pipe.ts";
import { transportContract } from "../../support/transport-contract.ts";

for (const chunkBytes of [1, 100_000]) {
  transportContract({
    name: `a line transport whose bytes come ${chunkBytes} at a time`,
    backPressure: true,
    async open() {
      const [nearBytes, farBytes] = bytePipes({ chunkBytes, capacity: 20_000 });
      const limits = { maxQueuedBytes: 50_000 };
      return {
        near: lineTransport(nearBytes, { invalid: "drop", limits }),
        far: lineTransport(farBytes, { invalid: "answer", limits }),
      };
    },
  });
}

test("a line transport gives each message the exact text of its line", async () => {
  const [nearBytes, farBytes] = bytePipes();
  const far = lineTransport(farBytes, { invalid: "drop" });
  await nearBytes.write(new TextEncoder().encode('{"jsonrpc":"2.0", "id":1.0e0,"method":"a" }\r\n'));
  assert.equal((await far.receive())?.frame.text, '{"jsonrpc":"2.0", "id":1.0e0,"method":"a" }');
  await far.close();
});
