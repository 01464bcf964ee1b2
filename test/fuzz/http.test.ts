// The same lines as bodies of POSTs, to a server over HTTP whose guard denies everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../src/core/chain/chain.ts";
import { guardTransport } from "../../src/core/guard/guard.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { isRequest, type Message } from "../../src/core/wire/message.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { openSession, send } from "../support/http-exchange.ts";
import { MAX_BYTES } from "./breakage.ts";
import { denyAll } from "./chains.ts";
import { drawCase } from "./fuzz.ts";
import { HANDSHAKE_METHODS, isObject } from "./grammar.ts";
import { readLine } from "./reader.ts";

const SEED = 4_711;
const CASES = 40;

test("whatever is posted, nothing reaches a server past a guard that denies everything but handshakes, and each request is answered", async () => {
  const counts = new Map<string, number>();
  for (let seed = SEED; seed < SEED + CASES; seed++) await runCase(seed, counts);
  for (const [kind, least] of [["denied", 60], ["202", 50], ["400", 50], ["handled", 10]] as const) {
    assert.ok((counts.get(kind) ?? 0) >= least, `${kind}: ${counts.get(kind)}`);
  }
});

async function runCase(seed: number, counts: Map<string, number>): Promise<void> {
  const host = fakeHost();
  const limits = { maxMessageBytes: MAX_BYTES };
  const http = createHttpServer({ host, limits });
  const chain = createChain({ host, limits });
  chain.add(denyAll());
  const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const passed: string[] = [];
  void (async () => {
    for (let inner = await http.accept(); inner !== undefined; inner = await http.accept()) {
      const guard = guardTransport(inner, { role: "server", host, limits, chain: { current: () => chain }, policy: { interceptNotifications: true } });
      void (async () => {
        for (let arrival = await guard.receive(); arrival !== undefined; arrival = await guard.receive()) {
          const { message } = arrival.frame;
          if (!("method" in message)) passed.push(JSON.stringify(message));
          else if (isRequest(message)) {
            if (HANDSHAKE_METHODS.has(message.method)) count("handled");
            else passed.push(JSON.stringify(message));
            await guard.send({ message: answerTo(message.id, message.method) }, { related: message.id }).catch(() => {});
          } else if (!["notifications/initialized", "notifications/cancelled"].includes(message.method)) passed.push(JSON.stringify(message));
        }
      })().catch(() => {});
    }
  })();

  const session = await openSession(http.handle);
  for (const { from, line } of drawCase(seed).steps) {
    if (from !== "client") continue;
    const { said } = readLine(line);
    const call = seed % 3 > 0 ? session.post(line) : send(http.handle, { headers: headersOf(said?.message), body: line });
    await settle();
    const where = `seed ${seed}: ${line}`;
    assert.deepEqual(passed, [], where);
    assert.ok(call.answered !== undefined, `not answered: ${where}`);
    const { status, body } = call.answered;
    count(String(status));
    assert.ok([200, 202, 400, 404, 413].includes(status), `${status} for ${where}`);
    const text = typeof body === "string" ? body : await call.text();
    if (said?.kind !== "request" || HANDSHAKE_METHODS.has(said.method!)) continue;
    assert.match(text, /"error"/, where);
    assert.doesNotMatch(text, /canary-|DENY-/, where);
    if (status === 200) count("denied");
  }
  void http.close();
  await host.advance(60_000);
  assert.equal(host.liveTimers, 0);
}

// What a client of the stateless revision repeats of its message.
function headersOf(message: Record<string, unknown> | undefined): Record<string, string> {
  const params = isObject(message?.["params"]) ? message["params"] : {};
  const name = params["name"] ?? params["uri"];
  return {
    "mcp-protocol-version": "2026-07-28",
    ...(typeof message?.["method"] === "string" ? { "mcp-method": message["method"] } : {}),
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
}

function answerTo(id: string | number, method: string): Message {
  if (method !== "initialize") return { jsonrpc: "2.0", id, result: {} };
  return { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1.0.0" } } };
}
