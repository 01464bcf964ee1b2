import assert from "node:assert/strict";
import { test } from "node:test";
import { detectHost } from "../../src/core/base/host.ts";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { canonicalPair } from "../../src/conformance/compare.ts";
import { fixtureServer } from "../../src/conformance/fixture-server.ts";
import { observe } from "../../src/conformance/observe.ts";
import type { OpenSource } from "../../src/conformance/own-chain.ts";
import { directTarget, ownTarget } from "../../src/conformance/own-target.ts";
import type { Target } from "../../src/conformance/target.ts";
import { bytePipes } from "../support/byte-pipe.ts";
import { files, fixtures, vectors, vectorSchema } from "./vectors.ts";

test("each file of vectors fits the schema of vectors", () => {
  const schema = compileSchema(vectorSchema);
  for (const [file, content] of files) {
    const problems = schema.checkAll(content, 3);
    assert.deepEqual(problems, [], `${file}: ${JSON.stringify(problems)}`);
  }
});

test("the ids of vectors are unique, and begin with their kind", () => {
  assert.equal(new Set(vectors.map(({ id }) => id)).size, vectors.length);
  for (const { id, kind } of vectors) assert.ok(id.startsWith(`${kind}/`), id);
});

test("there are at least 150 vectors, and some of each kind", () => {
  assert.ok(vectors.length >= 150, String(vectors.length));
  for (const kind of ["descriptor", "list", "invoke", "chain", "dialect", "guard"]) assert.ok(vectors.some((vector) => vector.kind === kind), kind);
});

const memory = (): [Transport, Transport] => memoryPair();
const lines = (): [Transport, Transport] => {
  const [near, far] = bytePipes({ chunkBytes: 1000 });
  return [lineTransport(near, { invalid: "drop" }), lineTransport(far, { invalid: "answer" })];
};

/** Chains whose sources are behind a connection, in each vector a new one. */
const openOver = (pair: () => [Transport, Transport]): OpenSource => async (interceptors, { label, host }) => {
  const server = new McpServer({ name: label, version: "1" }, { host });
  hostInterceptors(server, interceptors, { host });
  const client = new McpClient({ name: "c", version: "1" }, { host });
  const [near, far] = pair();
  server.connect(far);
  await client.connect(near);
  return clientSource(client, { label });
};

async function targetOver(pair: () => [Transport, Transport]): Promise<{ readonly target: Target; close(): Promise<void> }> {
  const host = detectHost();
  const [near, far] = pair();
  const connection = fixtureServer(fixtures, host).connect(far);
  const client = new McpClient({ name: "c", version: "1" });
  await client.connect(near);
  const ask = (params: Record<string, unknown>, method: string) => client.request(method, params);
  return {
    target: { ...ownTarget(openOver(pair)), list: ask, invoke: ask },
    async close() {
      await client.close();
      await connection.closed;
    },
  };
}

async function run(target: Target, wanted: (vector: (typeof vectors)[number]) => boolean): Promise<void> {
  const wrong: string[] = [];
  for (const vector of vectors.filter(wanted)) {
    const { expected, actual } = canonicalPair(vector.expect, await observe(structuredClone(vector), target));
    if (expected !== actual) wrong.push(`${vector.id}: ${vector.title}\n  expected ${expected}\n  actual   ${actual}`);
  }
  assert.deepEqual(wrong, [], wrong.join("\n"));
}

test("all vectors hold in process", async () => {
  await run(directTarget(fixtures), (vector) => !("only" in vector));
});

for (const [name, pair] of [["memory", memory], ["lines of text", lines]] as const) {
  test(`all vectors that a connection can show give the same canonical text over ${name}`, async () => {
    const { target, close } = await targetOver(pair);
    await run(target, ({ kind }) => kind === "list" || kind === "invoke" || kind === "chain");
    await close();
  });
}
