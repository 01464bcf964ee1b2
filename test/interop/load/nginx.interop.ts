// nginx in front of two replicas of one server in 2026-07-28, of which one is killed and restarted while calls go on: a call runs once at most unless its
// caller sends it again, and its caller knows when that is safe.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callThroughNginx, CALLS, isIdempotent } from "./nginx-calls.ts";
import { findNginx } from "./nginx.ts";

const command = findNginx();
const reason = "nginx is not installed";
if (command === undefined) console.log(`compared: nginx with two replicas: skipped, as ${reason}`);

describe("nginx in front of two replicas, one of which is killed and restarted", () => {
  it("runs no call twice that is not idempotent, and leaves none without an end", { skip: command === undefined ? reason : false, timeout: 180_000 }, async () => {
    if (command === undefined) return;
    const { kills, answered, unknown, sentAgain, runs, served } = await callThroughNginx(command);
    const twice = [...runs].filter(([call, times]) => times > 1 && !isIdempotent(call));
    assert.deepEqual(twice, []);
    assert.equal(answered.size + unknown.size, CALLS);
    assert.deepEqual([...answered].filter((call) => !runs.has(call)), [], "answered, and never ran");
    assert.ok(kills >= 3 && served.every((count) => count > CALLS / 20), `too little has happened: ${kills} kills, ${served.join(" and ")} runs`);
    const ran = [...unknown.keys()].filter((call) => runs.has(call)).length;
    console.log(
      `compared: nginx with two replicas, ${kills} kills: ${CALLS} calls, ${answered.size} answered, ${unknown.size} ended with delivery unknown, of which ${ran} had run; ` +
        `sent again: ${sentAgain.idempotent} idempotent ones, ${sentAgain.undelivered} that were not delivered; runs on each replica: ${served.join(", ")}`,
    );
  });
});
