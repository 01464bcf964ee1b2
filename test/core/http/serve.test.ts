import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createQueue } from "../../../src/core/base/queue.ts";
import { serve } from "../../../src/core/http/serve.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Listener, Transport } from "../../../src/core/transport/transport.ts";
import { settle } from "../../support/fake-host.ts";

function listener(): Listener & { come(): Transport } {
  const queue = createQueue<Transport>();
  return {
    accept: () => queue.pull(),
    close: async () => queue.close(),
    come() {
      const [near, far] = memoryPair();
      queue.push(far);
      return near;
    },
  };
}

describe("serve", () => {
  it("hands over each connection, and settles when the listener has closed", async () => {
    const from = listener();
    const seen: Transport[] = [];
    const serving = serve({ connect: (transport) => seen.push(transport) }, from);
    from.come();
    from.come();
    await settle();
    assert.equal(seen.length, 2);
    await from.close();
    await serving;
  });

  it("closes a connection that the server does not take, at once or later, and goes on", async () => {
    const from = listener();
    let turn = 0;
    const serving = serve(
      {
        connect() {
          if (turn++ === 0) throw new RangeError("no");
          return Promise.reject(new RangeError("not yet"));
        },
      },
      from,
    );
    for (const near of [from.come(), from.come()]) assert.equal(await near.receive(), undefined);
    await from.close();
    await serving;
  });
});
