// Servers and clients of both official lines, guarded without a changed line, over the transports of their own: what the guard is for works, and all
// that goes past it is as it was.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { call, connected, type AnyClient, type Connected, type Guarded, type Line, type Wire } from "./wires.ts";

const LINES: readonly Line[] = ["1.x", "2.x, handshake", "2.x, stateless"];
const WIRES: readonly Wire[] = ["memory", "stdio", "http"];

async function within(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What the client's transport pushes from now on. */
function arrivals(client: AnyClient): readonly string[] {
  const came: string[] = [];
  // Both lines have the slot, with types of their own for what comes in.
  const transport = client.transport as unknown as { onmessage: (message: { method?: unknown }, extra: unknown) => void };
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    came.push(message.method === undefined ? "answer" : "progress");
    onmessage(message, extra);
  };
  return came;
}

const isGuarded = (guarded: Guarded) => (guarded === "neither" ? undefined : true);

async function scenario({ client, seen, posts, serverCloses, closeServer }: Connected, line: Line, wire: Wire, guarded: Guarded): Promise<void> {
  const audited = isGuarded(guarded);
  try {
    assert.ok((await client.listTools()).tools.some(({ name }) => name === "echo"));
    assert.deepEqual(await call(client, "echo", { text: "as it is" }), { text: "as it is", audited });
    assert.deepEqual(await call(client, "echo", { text: "change me" }), { text: guarded === "neither" ? "change me" : "CHANGE ME", audited });
    if (guarded !== "neither") {
      await assert.rejects(call(client, "echo", { text: "block" }), (error: { code?: unknown; message: string; data?: unknown }) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /Interceptor validation failed/);
        assert.match(JSON.stringify(error.data), /not this/);
        return true;
      });
    }

    const came = arrivals(client);
    assert.equal((await call(client, "progress", {}, { onprogress: () => {} })).text, "done");
    assert.deepEqual(came, ["progress", "progress", "progress", "answer"], "what belongs to a request comes before its answer");

    const whoami = JSON.parse(String((await call(client, "whoami")).text)) as Record<string, unknown>;
    const session = wire === "http" && line !== "2.x, stateless";
    assert.deepEqual(whoami, { session, ...(wire === "http" ? { client: "app", header: "yes" } : {}) });
    assert.equal(client.transport?.sessionId !== undefined, session);
    if (guarded === "server" && wire === "http") {
      assert.deepEqual(seen.find(({ name }) => name === "whoami")?.principal, { type: "service", id: "app", claims: { scopes: ["read"] } });
    }

    const count = async () => Number((await call(client, "cancelled")).text);
    const cancelled = await count();
    const abort = new AbortController();
    const slow = call(client, "slow", {}, { signal: abort.signal, onprogress: () => abort.abort("enough") });
    await assert.rejects(slow);
    await within("the cancellation", async () => (await count()) === cancelled + 1);
    if (wire === "http") {
      // In the stateless era the closed stream is what says so.
      assert.equal(posts.some(({ body }) => body.includes("notifications/cancelled")), line !== "2.x, stateless");
    }

    let clientCloses = 0;
    client.onclose = () => void clientCloses++;
    const before = serverCloses();
    await client.close();
    // The in-memory transport of the 1.x line says so twice; a guard says it once.
    assert.ok(clientCloses === 1 || (guarded !== "client" && clientCloses > 0), String(clientCloses));
    await assert.rejects(call(client, "echo", { text: "late" }), /[Nn]ot connected/);
    if (wire === "memory" && line !== "2.x, stateless") {
      await within("the end at the server", () => serverCloses() === before + 1);
    }
  } finally {
    await closeServer();
  }
}

for (const line of LINES) {
  describe(`an official client and server of ${line}`, () => {
    for (const wire of WIRES) {
      for (const guarded of ["neither", "client", "server"] as const) {
        it(`work over ${wire} with ${guarded} guarded`, { timeout: 60_000 }, async () => {
          await scenario(await connected(line, wire, guarded), line, wire, guarded);
        });
      }
    }
  });
}
