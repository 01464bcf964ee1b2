import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { call, textResult } from "../../support/guarded-pair.ts";
import { guardedSeam, SEAMS } from "./seams.ts";

type Payload = Record<string, unknown>;

const DIGEST = /^digest:[0-9a-f]{32}$/;
const both = [{ events: ["tools/call"], phase: "request" }, { events: ["tools/call"], phase: "response" }] as const;

for (const seam of SEAMS) {
  describe(`${seam}, where an entry has grants`, () => {
    test("shows it what they name, and nothing else of requests and responses", async () => {
      const seen: Payload[] = [];
      const look = validator({ name: "look", hooks: both }, ({ payload }) => seen.push(payload as Payload) > 0);
      const pair = guardedSeam(seam, [look], { add: { overrides: { look: { grants: { read: ["/name"] } } } } });
      await pair.fromClient(call(1, "echo", { secret: "sesame" }));
      await pair.fromServer(textResult(1, "sesame"));
      assert.equal(seen[0]?.["name"], "echo");
      assert.match(String(seen[0]?.["arguments"]), DIGEST);
      assert.match(String(seen[1]?.["content"]), DIGEST);
      assert.deepEqual([pair.atServer, pair.atClient], [[call(1, "echo", { secret: "sesame" })], [textResult(1, "sesame")]]);
      await pair.close();
    });

    test("sends on what a mutator may write, with the rest as it was, and refuses what it may not", async () => {
      for (const [write, goesOn] of [[["/arguments/to"], true], [["/_meta"], false]] as const) {
        const edit = mutator({ name: "edit", hooks: [both[0]] }, ({ payload }) => ({ ...payload, arguments: { ...(payload.arguments as Payload), to: "eve" } }));
        const grants = { read: ["/arguments/to"], write };
        const pair = guardedSeam(seam, [edit], { add: { overrides: { edit: { grants } } } });
        await pair.fromClient(call(1, "mail", { to: "ann", body: "sesame" }));
        assert.deepEqual(pair.atServer, goesOn ? [call(1, "mail", { to: "eve", body: "sesame" })] : []);
        assert.deepEqual(pair.decisions.map(({ reason, by }) => [reason, by]), [goesOn ? [undefined, undefined] : ["mutation_failed", "edit"]]);
        await pair.close();
      }
    });
  });
}
