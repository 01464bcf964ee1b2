// Interceptors of one's own in front of server-everything: from a module, in JavaScript and in TypeScript, and from an interceptor server.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { client1x } from "./client-1x.ts";
import { client2xDefault } from "./client-2x.ts";
import { outcome } from "./compare.ts";
import { EVERYTHING_ROOTS, everythingIsReady } from "./everything-steps.ts";
import { EVERYTHING, fixture } from "./paths.ts";
import { assertNoneLeft, CAN_LOOK, newMark, processesWith } from "./process-tree.ts";
import { direct, wrapped } from "./session.ts";

const scratch = mkdtempSync(join(tmpdir(), "interop-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let logs = 0;

const SOURCES = [
  // What loads TypeScript may keep a process of its own for a while.
  { name: "a module in TypeScript", word: fixture("team-policy.ts"), processes: 2, loader: 1 },
  { name: "an interceptor server", word: `'${process.execPath}' '${fixture("interceptor-server.mjs")}'`, processes: 3, loader: 0 },
];

describe("interceptors of one's own in front of server-everything", { concurrency: 3 }, () => {
  for (const kind of [client1x, client2xDefault]) {
    for (const { name, word, processes, loader } of SOURCES) {
      for (const posture of ["client", "server"]) {
        it(`${name} judges and changes what the ${kind.label} sends and gets, posture ${posture}`, { timeout: 30_000 }, async () => {
          const mark = newMark();
          const log = join(scratch, `decisions-${++logs}.jsonl`);
          const options = ["--posture", posture, "--interceptors", word, "--interceptors", fixture("pass-through.mjs"), "--log", log];
          const session = await kind.open(wrapped(options, direct(mark, EVERYTHING, "stdio")), { roots: EVERYTHING_ROOTS });
          try {
            await everythingIsReady(session);
            if (CAN_LOOK) assert.ok([processes, processes + loader].includes(processesWith(mark).length));
            assert.deepEqual(await session.callTool("echo", { message: "quiet \u2028 é" }), { content: [{ type: "text", text: "ECHO: QUIET \u2028 É" }] });
            const { tools } = await session.listTools();
            assert.ok(tools.length > 10);

            const asked = session.received.length;
            await outcome(session.callTool("echo", { message: "a secret" }));
            assert.deepEqual(
              session.received.slice(asked).map(({ error }) => error),
              [
                {
                  code: -32602,
                  message: "Interceptor validation failed",
                  data: { validationErrors: [{ interceptor: "no-secrets", severity: "error", message: "no secrets, please", path: "/arguments" }] },
                },
              ],
            );
            // What the server asks of its client, and what it says meanwhile, goes its way too.
            assert.match(JSON.stringify(await session.callTool("trigger-sampling-request", { prompt: "hm" })), /SAMPLED É/);
            await session.callTool("trigger-long-running-operation", { duration: 0.1, steps: 2 }, { onprogress: () => {} });
            assert.equal(session.received.filter(({ method }) => method === "notifications/progress").length, 2);
          } finally {
            await session.close();
            await assertNoneLeft(mark, 2_000);
          }
          const decisions = readFileSync(log, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
          assert.ok(decisions.length > 10);
          assert.equal(decisions.filter((decision) => JSON.stringify(decision).includes("no secrets")).length, 0, "a message may quote the payload");
          assert.doesNotMatch(readFileSync(log, "utf8"), /a secret|quiet|QUIET/);
          assert.equal(statSync(log).mode & 0o777, 0o600);
        });
      }
    }
  }
});
