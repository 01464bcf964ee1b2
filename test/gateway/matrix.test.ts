import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { settle } from "../support/fake-host.ts";
import { behind, clientOf, gatewayFor, until, type Way } from "./kit.ts";

// src/gateway/gateway.ts: every face to every upstream. `memory` has one channel for all, as stdio has.

const ERAS: readonly Era[] = ["handshake", "stateless"];
const WAYS: readonly Way[] = ["memory", "http"];

for (const faceWay of WAYS) {
  for (const faceEra of ERAS) {
    for (const upWay of WAYS) {
      for (const upEra of ERAS) {
        for (const sharing of ["session", "shared"] as const) {
          const rig = async () => {
            const up = behind(upWay, upEra);
            const gateway = await gatewayFor(up.target, {}, { sharing });
            const done = async () => {
              await gateway.close();
              assert.deepEqual([gateway.stats().faces, gateway.stats().calls, gateway.stats().parked], [0, 0, 0]);
              await up.close();
            };
            return { up, gateway, done };
          };
          describe(`a gateway from ${faceWay}, ${faceEra}, to ${upWay}, ${upEra}, ${sharing}`, () => {
            it("lists and calls", async () => {
              const { gateway, done } = await rig();
              const client = await clientOf(gateway, faceWay, faceEra);
              assert.equal(client.era, faceEra);
              assert.equal(client.serverInfo?.name, "upstream");
              assert.deepEqual((await client.listTools()).map(({ name }) => name), ["echo", "steps", "slow", "ask"]);
              const texts = await Promise.all(["a", "é😀\u2028"].map((text) => client.callTool({ name: "echo", arguments: { text } })));
              assert.deepEqual(texts.map(({ content }) => content[0]), [{ type: "text", text: "a" }, { type: "text", text: "é😀\u2028" }]);
              assert.equal((await client.readResource({ uri: "mem:///a" })).contents.length, 1);
              await assert.rejects(client.callTool({ name: "none" }), { code: -32602 });
              await client.close();
              await done();
            });

            it("carries progress to the call that it is of, two calls at once", async () => {
              const { gateway, done } = await rig();
              const client = await clientOf(gateway, faceWay, faceEra);
              const other = await clientOf(gateway, faceWay, faceEra);
              const seen: Record<string, string[]> = { one: [], two: [] };
              const run = (which: "one" | "two", by: typeof client) =>
                by.callTool({ name: "steps" }, { onProgress: ({ progress, message }) => seen[which]!.push(`${progress} ${message}`) });
              await Promise.all([run("one", client), run("two", other)]);
              const all = ["1 step 1", "2 step 2", "3 step 3"];
              assert.deepEqual(seen, { one: all, two: all });
              await client.close();
              await other.close();
              await done();
            });

            it("cancels what is cancelled, and nothing else", async () => {
              const { up, gateway, done } = await rig();
              const client = await clientOf(gateway, faceWay, faceEra);
              const other = await clientOf(gateway, faceWay, faceEra);
              const caller = new AbortController();
              const given = client.callTool({ name: "slow", arguments: { name: "given-up" } }, { signal: caller.signal });
              const kept = other.callTool({ name: "slow", arguments: { name: "kept" } });
              await until(() => up.running.size === 2);
              caller.abort("enough");
              await assert.rejects(given, { code: "aborted" });
              await until(() => up.cancelled.length > 0);
              assert.deepEqual(up.cancelled, ["given-up"]);
              up.finish("kept", "still here");
              assert.deepEqual((await kept).content[0], { type: "text", text: "still here" });
              await client.close();
              await other.close();
              await done();
            });

            it("asks whoever called", async () => {
              const { gateway, done } = await rig();
              const asked: string[] = [];
              const answering = (name: string) => (client: Awaited<ReturnType<typeof clientOf>>) =>
                void client.onElicitation((question) => {
                  asked.push(`${name}: ${question.message}`);
                  return { action: "accept", content: { ok: true } };
                });
              const client = await clientOf(gateway, faceWay, faceEra, answering("one"));
              const { content } = await client.callTool({ name: "ask", arguments: { about: "x" } });
              assert.match(JSON.stringify(content), /accept/);
              const other = await clientOf(gateway, faceWay, faceEra, answering("two"));
              await other.callTool({ name: "ask", arguments: { about: "y" } });
              assert.deepEqual(asked, ["one: about x?", "two: about y?"]);
              await client.close();
              await other.close();
              await done();
            });

            it("tells updates of resources to those who have subscribed", async () => {
              const { up, gateway, done } = await rig();
              const heard: string[] = [];
              const client = await clientOf(gateway, faceWay, faceEra, (it) => void it.onResourceUpdated((uri) => heard.push(`one ${uri}`)));
              const other = await clientOf(gateway, faceWay, faceEra, (it) => void it.onResourceUpdated((uri) => heard.push(`two ${uri}`)));
              await client.subscribeResource("mem:///a");
              await other.subscribeResource("mem:///b");
              up.server.resourceUpdated("mem:///a");
              await until(() => heard.length > 0);
              up.server.resourceUpdated("mem:///b");
              await until(() => heard.length > 1);
              await client.unsubscribeResource("mem:///a");
              await settle();
              up.server.resourceUpdated("mem:///a");
              await settle();
              assert.deepEqual(heard, ["one mem:///a", "two mem:///b"]);
              await client.close();
              await other.close();
              await done();
            });

            it("tells that lists have changed", async () => {
              const { up, gateway, done } = await rig();
              let heard = 0;
              const client = await clientOf(gateway, faceWay, faceEra, (it) => void it.onListChanged("tools", () => heard++));
              await settle();
              await settle();
              up.server.tool({ name: "new", inputSchema: { type: "object" } }, () => "x");
              await until(() => heard > 0);
              assert.equal(heard, 1);
              assert.equal((await client.listTools({ fresh: true })).length, 5);
              await client.close();
              await done();
            });
          });
        }
      }
    }
  }
}
