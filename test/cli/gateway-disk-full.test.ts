// `mcp-interceptors gateway` where the system lets no file grow past a limit: for the audit log that is a full disk.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { childOf, connectClients, policies } from "../faults/kit.ts";
import { servedAt, startCli } from "./run-cli.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const BLOCKS = 64; // of 512 bytes, or of 1,024, as the shell has it
const ROUNDS = 60;

describe("gateway with a full disk", { concurrency: true, skip: process.platform === "win32" }, () => {
  for (const onFailure of ["block", "continue"] as const) {
    it(`${onFailure === "block" ? "refuses what it cannot write down" : "goes on unrecorded where its owner says so"}, and keeps a log that holds`, async () => {
      const file = folder.write(`${onFailure}.json`, {
        upstreams: { up: childOf("handshake", { sharing: "shared" }) },
        interceptors: [policies("cleaner", "gate")],
        http: { port: 0 },
        audit: { file: `${onFailure}.jsonl`, onFailure, sync: "never" },
      });
      const running = await startCli(["gateway", "-c", file, "--no-watch"], { through: ["sh", "-c", `ulimit -f ${BLOCKS}; exec "$@"`, "sh"] });
      const clients = await connectClients(await servedAt(running), { ofEach: 2 });
      for (let round = 0; round < ROUNDS; round++) {
        clients.call("echo");
        if (round % 4 === 3) await clients.settled();
      }
      await clients.settled();
      const { own, failed } = clients.judged();
      await clients.close();
      running.child.kill("SIGTERM");
      assert.equal((await running.ended).code, 0);
      const log = join(folder.path, `${onFailure}.jsonl`);
      const report = await verifyAudit([log]);
      assert.equal(report.problem, undefined);
      const lines = readFileSync(log, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { id?: unknown; direction?: string; verdict?: string });
      const recorded = new Set(lines.filter(({ direction, verdict }) => direction === "sending" && verdict !== "blocked").map(({ id }) => id));
      const unrecorded = [...own].filter((id) => !recorded.has(id));
      if (onFailure === "block") {
        assert.ok(own.size > 0 && failed.size > 0, `${own.size} passed, ${failed.size} failed`);
        assert.deepEqual(unrecorded, []);
      } else {
        assert.equal(own.size, 4 * ROUNDS);
        assert.ok(unrecorded.length > 0, "the disk was never full");
      }
    });
  }
});
