// Upstreams that are real children, behind a real configuration: whatever they write, and whenever they die.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { childOf, connectClients, policies, startRig } from "./kit.ts";

const deedOf = (id: string) => id.split("-").slice(2).join("-");

const PASSES = ["echo", "hold", "twice", "chatter"];
/** Each names its call, and is no answer to it. */
const MALFORMED = [
  ...["both", "neither", "wrong-result", "wrong-version", "two-keys", "batch", "deep", "not-utf8", "bare", "bare-version", "null-result", "list-result"],
  ...["no-code", "text-error", "no-version", "batch-bare", "broken-then-true"],
];
/** An answer, and one that the guard does not let through. */
const FAILS = ["wrong-content", "error"];
const SILENT = ["wrong-id", "no-id", "record", "garbage", "silent"];
const DIES = ["die", "half", "half-reported", "answer-die"];

describe("an upstream that is a child", { concurrency: true }, () => {
  for (const era of ["handshake", "stateless"]) {
    for (const sharing of era === "handshake" ? ["session", "shared"] : ["shared"]) {
      describe(`of the ${era} era, ${sharing}`, { concurrency: true }, () => {
        it("that writes what is no answer harms none but the call that it should have answered", async (test) => {
          const rig = await startRig(test, { upstreams: { up: childOf(era, { sharing, callTimeoutMs: 3_000 }) }, interceptors: [policies("cleaner")] });
          const clients = await connectClients(rig.one.gateway.url);
          for (const deed of SILENT) clients.call(deed);
          for (const deed of [...PASSES, ...FAILS, ...MALFORMED]) {
            clients.call(deed);
            clients.call("echo");
          }
          await clients.settled();
          const { own, failed } = clients.judged();
          for (const id of own) assert.ok(PASSES.includes(deedOf(id)), `${id} was answered`);
          for (const [id, { code, data }] of failed) {
            const deed = deedOf(id);
            const reason = MALFORMED.includes(deed) ? "malformed" : SILENT.includes(deed) ? "timeout" : undefined;
            if (reason === undefined) assert.ok(FAILS.includes(deed), `${id} has failed: ${JSON.stringify(data)}`);
            else assert.deepEqual([deed, code, data], [deed, -32603, { reason, delivery: "unknown" }]);
          }
          assert.equal(rig.one.gateway.stats().upstreams["up"]?.lost, 0);
          await clients.close();
          await rig.end();
        });

        it("that dies while it has calls, in the middle of a line, or right after an answer fails those at once, and is started again", async (test) => {
          const rig = await startRig(test, { upstreams: { up: childOf(era, { sharing }) }, interceptors: [policies("cleaner")] });
          const clients = await connectClients(rig.one.gateway.url);
          for (const deed of DIES) {
            clients.call("silent");
            clients.call("echo");
            clients.call(deed);
            clients.call("echo");
            await clients.settled();
          }
          let left = 50;
          const isOwn = (id: string) => clients.answersTo(id)[0]?.includes('"result"') === true;
          for (let again = false; !again; assert.ok(left-- > 0, "it does not come back")) {
            const ids = clients.call("echo");
            await clients.settled();
            again = ids.every(isOwn);
          }
          const { own, failed } = clients.judged();
          for (const id of own) assert.ok(["echo", "answer-die"].includes(deedOf(id)), id);
          for (const { code, data } of failed.values()) {
            assert.equal(code, -32603);
            // Half a line that named its call is an answer that breaks the protocol.
            assert.match(String((data as JsonObject | undefined)?.["reason"]), /^(?:unavailable|malformed)$/);
          }
          assert.ok((rig.one.gateway.stats().upstreams["up"]?.lost ?? 0) >= DIES.length);
          await clients.close();
          await rig.end();
        });

        it("that dies in the middle of its greeting is started again, or each caller is told", async (test) => {
          const folder = temporaryFolder();
          test.after(() => folder.remove());
          const rig = await startRig(test, { upstreams: { up: childOf(era, { sharing }, folder.write("deaths", "xxx")) }, interceptors: [policies("cleaner")] });
          const clients = await connectClients(rig.one.gateway.url, { patience: 50 });
          clients.call("echo");
          await clients.settled();
          const { own, failed } = clients.judged();
          assert.equal(own.size + failed.size, 6);
          for (const { data } of failed.values()) assert.deepEqual(data, { reason: "unavailable", delivery: "none" });
          assert.ok((rig.one.gateway.stats().upstreams["up"]?.failedStarts ?? 0) > 0);
          await clients.close();
          await rig.end();
        });
      });
    }
  }

  it("that writes 100 MB in one line fails the call that this belongs to, and serves the others after it", async (test) => {
    const rig = await startRig(test, { upstreams: { up: childOf("handshake", { sharing: "shared" }) }, interceptors: [policies("cleaner")] });
    const clients = await connectClients(rig.one.gateway.url, { ofEach: 1 });
    clients.call("echo");
    clients.call("huge", {}, 1);
    clients.call("echo");
    await clients.settled();
    const { own, failed } = clients.judged();
    assert.deepEqual([own.size, [...failed.keys()].map(deedOf)], [4, ["huge"]]);
    await clients.close();
    await rig.end();
  });
});
