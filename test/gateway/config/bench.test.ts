import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { benchMessage, representativeMessages } from "../../../src/gateway/config/bench.ts";

const options = { runMs: 4, principal: { type: "user" as const, id: "bench" }, signal: createSignal().signal };
const [list, call, ...results] = representativeMessages("search");

describe("a bench", () => {
  it("measures the chain for a message, and each interceptor's part", async () => {
    const sessions = new Set<string | undefined>();
    const chain = createChain();
    chain.add([
      validator({ name: "looks", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ context }) => {
        sessions.add(context.sessionId);
        return context.principal?.id === "bench";
      }),
      mutator({ name: "elsewhere", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => payload),
    ]);
    assert.ok(call !== undefined);
    const row = await benchMessage(chain, call, options);
    assert.deepEqual([row.message, row.refused, row.failed, row.bytes], ["call", 0, 0, JSON.stringify(call.payload).length]);
    assert.ok(row.runs >= 1 && sessions.size >= row.runs);
    assert.ok(row.p50Us > 0 && row.p99Us >= row.p50Us && row.perSecond > 0);
    assert.deepEqual(row.interceptors.map(({ address, p50Us, share }) => [address, p50Us > 0, share > 0]), [["local/looks", true, true], ["local/elsewhere", false, false]]);
  });

  it("counts what is refused and what fails", async () => {
    const chain = createChain();
    chain.add([
      validator({ name: "no", hooks: [{ events: ["tools/list"], phase: "response" }] }, () => false),
      validator({ name: "broken", mode: "audit", hooks: [{ events: ["tools/list"], phase: "response" }] }, (): boolean => {
        throw new TypeError("broken");
      }),
    ]);
    assert.ok(list !== undefined);
    const row = await benchMessage(chain, list, options);
    assert.deepEqual([row.refused, row.failed], [row.runs, row.runs]);
  });

  it("has results of the sizes that their names say", () => {
    assert.deepEqual(
      results.map(({ name, payload }) => [name, ((payload["content"] as { text: string }[])[0]?.text.length ?? 0) / 1024]),
      [1, 4, 16, 64, 256].map((kib) => [`result ${kib} KiB`, kib]),
    );
  });

  it("ends with its signal", async () => {
    const stop = createSignal();
    stop.abort("enough");
    assert.ok(call !== undefined);
    await assert.rejects(benchMessage(createChain(), call, { ...options, runMs: 60_000, signal: stop.signal }), (thrown) => thrown === "enough");
  });
});
