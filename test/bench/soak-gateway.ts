// The gateway of the soak, in a process of its own so that nothing else is in its memory: over HTTP in front of two upstreams, and on stdio in front of one.
// Says `{ url }` over IPC, and what it holds, after a collection, whenever it is asked.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createChain } from "../../src/core/client/local-chain.ts";
import { mutator, validator } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import type { UpstreamPlan } from "../../src/gateway/plan.ts";

const collect = globalThis.gc;
assert.ok(collect, "needs --expose-gc");
const chain = createChain();
chain.add([
  validator({ name: "nonces", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => typeof payload.arguments?.["nonce"] === "string" || deny("no nonce")),
  mutator({ name: "cleaner", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({
    ...payload,
    content: payload.content.map((block) => (block.type === "text" ? { ...block, text: block.text.replace("unguarded", "seen") } : block)),
  })),
]);
const args = process.execArgv.filter((word) => word !== "--expose-gc");
const upstream = (era: "handshake" | "stateless"): UpstreamPlan => ({
  name: era,
  target: { command: process.execPath, args: [...args, fileURLToPath(new URL("soak-server.ts", import.meta.url)), era] },
  // One child, however many clients.
  sharing: "shared",
});
const gateway = await createGateway({ upstreams: [upstream("handshake"), upstream("stateless")], chain: () => chain, http: {}, stdio: "handshake" });

export interface Held {
  readonly heap: number;
  readonly rss: number;
  readonly faces: number;
  readonly calls: number;
  readonly lost: number;
}

process.on("message", async () => {
  // What a collection has set free may hold more that another one finds.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, rss } = process.memoryUsage();
  const { faces, calls, upstreams } = gateway.stats();
  const lost = Object.values(upstreams).reduce((sum, one) => sum + one.lost, 0);
  process.send?.({ heap: heapUsed, rss, faces, calls, lost } satisfies Held);
});
process.on("disconnect", () => void gateway.close().then(() => process.exit(0)));
process.send?.({ url: gateway.url });
