// Servers and clients of both official lines, guarded without a changed line, over the transports of their own: what the guard is for works, and all
// that goes past it is as it was.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connected, type AnyClient, type Connected, type Guarded, type Line, type Wire } from "./wires.ts";

const LINES: readonly Line[] = ["1.x", "2.x, handshake", "2.x, stateless"];
const WIRES: readonly Wire[] = ["memory", "stdio", "http"];

interface Called {
  readonly text: unknown;
  readonly audited: unknown;
}

interface CallExtras {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
  readonly onresumptiontoken?: (token: string) => void;
  readonly resumptionToken?: string;
}

/** The two lines differ in where the options stand. */
export async function call(client: AnyClient, name: string, args: Record<string, unknown> = {}, extras: CallExtras = {}): Promise<Called> {
  const params = { name, arguments: args };
  const options = { timeout: 10_000, ...extras };
  const is1x = client.callTool.length > 2 || "getTaskResult" in client;
  const result: unknown = await (is1x
    ? (client.callTool as unknown as (params: unknown, schema: undefined, options: unknown) => Promise<unknown>).call(client, params, undefined, options)
    : (client.callTool as unknown as (params: unknown, options: unknown) => Promise<unknown>).call(client, params, options));
  const { content, _meta } = result as { content: readonly { text?: unknown }[]; _meta?: Record<string, unknown> };
  return { text: content[0]?.text, audited: _meta?.["com.example/audited"] };
}

async function within(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
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

    const reports: number[] = [];
    assert.equal((await call(client, "progress", {}, { onprogress: ({ progress }) => reports.push(progress) })).text, "done");
    assert.deepEqual(reports, [1, 2, 3], "what belongs to a request comes before its answer");

    const whoami = JSON.parse(String((await call(client, "whoami")).text)) as Record<string, unknown>;
    const session = wire === "http" && line !== "2.x, stateless";
    assert.deepEqual(whoami, { session, ...(wire === "http" ? { client: "app", header: "yes" } : {}) });
    assert.equal(client.transport?.sessionId !== undefined, session);
    if (guarded === "server" && wire === "http") {
      assert.deepEqual(seen.find(({ name }) => name === "whoami")?.principal, { type: "service", id: "app", claims: { scopes: ["read"] } });
    }

    const abort = new AbortController();
    const slow = call(client, "slow", {}, { signal: abort.signal, onprogress: () => abort.abort("enough") });
    await assert.rejects(slow);
    await within("the cancellation", async () => (await call(client, "cancelled")).text === "1");
    if (wire === "http") {
      // In the stateless era the closed stream is what says so.
      assert.equal(posts.some(({ body }) => body.includes("notifications/cancelled")), line !== "2.x, stateless");
    }

    let clientCloses = 0;
    client.onclose = () => void clientCloses++;
    const before = serverCloses();
    await client.close();
    assert.equal(clientCloses, 1);
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
          const connection = await connected(line, wire, guarded);
          // One counter for all servers of the process in the stateless era.
          await scenario(connection, line, wire, guarded);
        });
      }
    }
  });
}
