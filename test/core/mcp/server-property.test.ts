import assert from "node:assert/strict";
import { test } from "node:test";
import { McpServer } from "../../../src/core/mcp/server.ts";
import type { ErrorMessage, ResultMessage } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

const SEED = 20260729;
const ODD = [null, true, 0, -1, 1.5, "", "x", "2025-11-25", "2026-07-28", "1999-01-01", "t", "__proto__", "constructor", [], {}, [1], { a: 1 }];
const KEYS = ["name", "arguments", "cursor", "protocolVersion", "capabilities", "clientInfo", "version", "a", ...Object.values(META)];

/** A JSON object that often has the members that some method looks at, and seldom those of the right type. */
function oddParams(random: Random, depth: number): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (let count = random.below(5); count > 0; count--) {
    params[random.pick(KEYS)] = depth > 0 && random.below(3) === 0 ? oddParams(random, depth - 1) : random.pick(ODD);
  }
  if (random.below(3) === 0) params._meta = random.below(4) === 0 ? random.pick(ODD) : oddParams(random, 1);
  if (random.below(4) === 0) {
    params._meta = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {}, progressToken: random.pick(ODD) };
  }
  return params;
}

test("whatever a client sends, each request gets one answer, a result or an error with an integer code (case 15)", async () => {
  for (let round = 0; round < 30; round++) {
    const seed = SEED + round;
    const random = seededRandom(seed);
    const server = new McpServer({ name: "s", version: "1" }, { host: fakeHost() });
    server.tool({ name: "t", inputSchema: { type: "object" } }, (args, { reportProgress }) => {
      void reportProgress(1);
      return JSON.stringify(args);
    });
    server
      .method("m", (params) => params)
      .method("odd", () => random.pick(ODD));
    const transport = scriptedTransport();
    server.connect(transport);
    const methods = ["initialize", "ping", "server/discover", "tools/list", "tools/call", "tools/call", "m", "odd", "constructor", ""];
    const total = 100;
    for (let id = 0; id < total; id++) {
      const params = random.below(8) === 0 ? undefined : oddParams(random, 2);
      transport.deliver({ jsonrpc: "2.0", id, method: random.pick(methods), ...(params === undefined ? {} : { params }) });
    }
    await settle();
    const answers = transport.sent.map(({ message }) => message).filter((message): message is ResultMessage | ErrorMessage => !("method" in message));
    assert.deepEqual(answers.map(({ id }) => id as number).sort((a, b) => a - b), Array.from({ length: total }, (_, id) => id), `seed ${seed}`);
    for (const answer of answers) {
      if ("result" in answer) assert.equal(typeof answer.result, "object", `seed ${seed}`);
      else assert.ok("error" in answer && Number.isSafeInteger(answer.error.code) && answer.error.message !== "", `seed ${seed}`);
    }
  }
});
