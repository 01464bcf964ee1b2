// Two hundred reloads while clients of both eras call, every fifth by a file that cannot be used.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { ReloadOutcome } from "../../src/gateway/config/reload.ts";
import { childOf, connectClients, policies, startRig } from "./kit.ts";

const RELOADS = 200;
const isRefused = (text: string | undefined) => text?.includes("Unknown tool: echo") === true;

it("a gateway that is reloaded two hundred times answers every call once, by the policy before or the one after, and a bad file changes nothing", async (test) => {
  const outcomes: ReloadOutcome[] = [];
  const upstreams = { up: childOf("handshake", { sharing: "shared" }) };
  const [one, other] = [policies("cleaner", "gate"), policies("cleaner", "gate")];
  const config = (denies: boolean, cleaner: JsonObject = one): JsonObject => ({ upstreams, interceptors: [{ ...cleaner, name: "policies" }, { use: "tool-filter", config: { deny: [denies ? "echo" : "nothing"] } }] });
  const rig = await startRig(test, config(false), { reloaded: (outcome) => void outcomes.push(outcome) });
  const clients = await connectClients(rig.one.gateway.url);
  const write = (content: JsonObject | string) => rig.folder.write("gateway.json", typeof content === "string" ? content : { ...rig.config, ...content });
  const bad: readonly (JsonObject | string)[] = [
    '{ "upstreams": ',
    { ...config(true), upstreams: {} },
    { ...config(true), interceptors: [{ module: "./nowhere.mjs" }] },
    { ...config(true), interceptors: [{ command: "/nowhere/at-all" }] },
    { ...config(true), http: { port: 1 } },
    { ...config(true), upstreams: { up: { ...upstreams.up, sharing: "sometimes" } } },
  ];

  let denies = false;
  let over = false;
  const callers = async () => {
    while (!over) {
      clients.call("echo");
      await clients.settled();
    }
  };
  const calling = callers();
  for (let round = 0; round < RELOADS; round++) {
    const isBad = round % 5 === 4;
    if (isBad) write(bad[((round - 4) / 5) % bad.length] ?? "");
    else {
      denies = !denies;
      // Now and then another process takes over from the one that mends answers.
      write(config(denies, round % 40 < 20 ? one : other));
    }
    await rig.one.reload();
    assert.equal(outcomes.at(-1)?.error === undefined, !isBad, outcomes.at(-1)?.error ?? `reload ${round} was taken`);
    // Whoever calls after it is judged by what is in force.
    if (round % 5 > 2) {
      const ids = clients.call("echo", {}, 4);
      await clients.settled();
      for (const id of ids) assert.equal(isRefused(clients.answersTo(id)[0]), denies, `${id} after reload ${round}: ${clients.answersTo(id)[0]}`);
    }
  }
  over = true;
  await calling;
  assert.equal(outcomes.length, RELOADS);
  const { own, failed } = clients.judged();
  assert.ok(own.size > 0 && failed.size > 0);
  for (const [id, { message }] of failed) assert.equal(message, "Unknown tool: echo", id);
  assert.equal(rig.one.gateway.stats().upstreams["up"]?.lost, 0);
  await clients.close();
  await rig.end();
});
