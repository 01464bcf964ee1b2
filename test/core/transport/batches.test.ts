import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveLimits } from "../../../src/core/base/limits.ts";
import { createBatches } from "../../../src/core/transport/batches.ts";
import { lineTransport } from "../../../src/core/transport/line-transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { HANDSHAKE_VERSIONS } from "../../../src/core/wire/versions.ts";
import { bytePipes } from "../../support/byte-pipe.ts";

const initialize: Message = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
const agreed = (protocolVersion: string, id = 1): Message => ({ jsonrpc: "2.0", id, result: { protocolVersion } });

test("batches are taken apart in 2025-03-26 alone, on either side of the connection, and not before it is agreed on", () => {
  for (const [asked, answered] of [["in", "out"], ["out", "in"]] as const) {
    for (const version of HANDSHAKE_VERSIONS) {
      const batches = createBatches(resolveLimits());
      batches.learn(initialize, asked);
      assert.equal(batches.split("[1]"), undefined);
      batches.learn(agreed("2025-03-26", 2), answered);
      batches.learn(agreed("2025-03-26"), asked);
      assert.equal(batches.split("[1]"), undefined, "neither another answer nor one from the same side");
      batches.learn(agreed(version), answered);
      assert.deepEqual(batches.split("[1]"), version === "2025-03-26" ? ["1"] : undefined);
    }
  }
});

test("each part of a batch keeps its exact source; what is no list, empty, broken, or holds too many is none", () => {
  const batches = createBatches(resolveLimits({ maxQueuedFrames: 3, maxDepth: 4 }));
  batches.learn(initialize, "in");
  batches.learn(agreed("2025-03-26"), "out");
  assert.deepEqual(batches.split(' [ {"a": 12345678901234567890} ,[ "]," ],"\\"" ] '), ['{"a": 12345678901234567890}', '[ "]," ]', '"\\""']);
  assert.deepEqual(batches.split("[[[[[1]]]]]"), ["[[[[1]]]]"]);
  for (const text of ["", "[]", "[ ]", "{}", "[1", "[1,]", "[1]]", "[1,2,3,4]", '[{"a":1,"a":2}]', "[[[[[[1]]]]]]"]) assert.equal(batches.split(text), undefined, text);
});

test("a client takes the batch of a server apart as well", async () => {
  const [ours, theirs] = bytePipes();
  const transport = lineTransport(ours, { invalid: "drop" });
  await transport.send({ message: initialize });
  const line = `${JSON.stringify(agreed("2025-03-26"))}\n[${JSON.stringify(agreed("x", 2))},{"jsonrpc":"2.0","method":"m"}]\n`;
  await theirs.write(new TextEncoder().encode(line));
  const arrived = [await transport.receive(), await transport.receive(), await transport.receive()];
  assert.deepEqual(arrived.map((arrival) => arrival?.frame.message), [agreed("2025-03-26"), agreed("x", 2), { jsonrpc: "2.0", method: "m" }]);
  await transport.close();
});
