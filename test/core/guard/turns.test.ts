import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns, DROP, type Outcome, type Waypoint } from "../../../src/core/guard/turns.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import type { Frame } from "../../../src/core/wire/frame.ts";
import { isRequest, type Message } from "../../../src/core/wire/message.ts";
import { settle } from "../../support/fake-host.ts";
import { call, guardedPair, notice, textResult } from "../../support/guarded-pair.ts";

const at = (related?: string): Waypoint => ({ related, from: undefined, origin: undefined, synthetic: false });
const go = (name: string): Outcome => ({ go: { message: notice(name) } });

function rig(maxHeld: number, forward: (name: string) => Promise<void> | void = () => {}) {
  const log: string[] = [];
  const nameOf = ({ message }: Frame) => ("method" in message ? message.method : "answer");
  const turns = createTurns(
    {
      direction: "receiving",
      initiator: "peer",
      forward: (frame) => (log.push(nameOf(frame)), forward(nameOf(frame))),
      reply: (frame, related) => void log.push(`${nameOf(frame)} to ${String(related)}`),
    },
    maxHeld,
    () => {},
  );
  const held: ((outcome: Outcome) => void)[] = [];
  const later = () => new Promise<Outcome>((resolve) => held.push(resolve));
  const take = (message: Message, outcome: Outcome | Promise<Outcome>, lane?: string) => turns.take("id" in message ? "request" : "notification", message, at(lane), outcome);
  return { turns, log, held, later, take };
}

test("what is known goes at once, unless its lane holds something; other lanes do not wait", async () => {
  const { log, held, later, take } = rig(10);
  assert.equal(take(notice("a"), go("a")), undefined);
  const b = take(notice("b"), later());
  const c = take(notice("c"), go("c"));
  take(notice("d"), go("d"), "other");
  assert.deepEqual(log, ["a", "d"]);
  held[0]!(go("b"));
  await Promise.all([b, c]);
  assert.deepEqual(log, ["a", "d", "b", "c"]);
  assert.equal(take(notice("e"), go("e")), undefined, "the lane is empty again");
});

test("a refusal is answered in its turn, a drop and a rejected outcome leave nothing behind", async () => {
  const { log, held, later, take } = rig(10);
  const done = [take(call(1), later()), take(call(2), { reply: { message: textResult(2, "no") } }), take(call(3), Promise.reject(new Error("x"))), take(call(4), DROP)];
  held[0]!(DROP);
  await Promise.all(done);
  assert.deepEqual(log, ["answer to 2"]);
});

test("a sink that fails fails its own frame alone, whether it rejects or throws", async () => {
  const { log, held, later, take } = rig(10, (name) => {
    if (name === "a") throw new Error("thrown");
    return name === "b" ? Promise.reject(new Error("rejected")) : undefined;
  });
  const done = Promise.allSettled(["a", "b", "c"].map((name) => take(notice(name), later())));
  for (const [index, name] of ["a", "b", "c"].entries()) held[index]!(go(name));
  assert.deepEqual((await done).map(({ status }) => status), ["rejected", "rejected", "fulfilled"]);
  assert.deepEqual(log, ["a", "b", "c"]);
});

test("lanes together hold so many frames and no more; what need not be held is never one too many", async () => {
  const { turns, held, later, take } = rig(2);
  assert.equal(turns.full(at(), true), false);
  const done = [take(call(1), later()), take(call(2), later(), "other")];
  assert.deepEqual([turns.full(at(), true), turns.full(at(), false), turns.full(at("third"), true), turns.full(at("third"), false)], [true, true, true, false]);
  for (const release of held) release(DROP);
  await Promise.all(done);
  assert.equal(turns.full(at(), true), false);
});

test("where the line is full, what is not judged and what is refused overtakes it", async () => {
  const { log, held, later, take } = rig(1);
  const judged = take(notice("judged"), later());
  await Promise.all([take(notice("plain"), go("plain")), take(call(1), Promise.resolve({ reply: { message: textResult(1, "no") } }))]);
  assert.deepEqual(log, ["plain", "answer to 1"]);
  held[0]!(go("judged"));
  await judged;
  assert.deepEqual(log, ["plain", "answer to 1", "judged"]);
});

test("a guard that holds as many messages as it may refuses the next, and goes on pulling", async () => {
  const waiting: ((valid: boolean) => void)[] = [];
  const slow = validator({ name: "slow", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => new Promise<boolean>((resolve) => waiting.push(resolve)));
  const pair = guardedPair([slow], { limits: { maxIncomingRequests: 2 } });
  await pair.fromPeer(call(1), call(2), call(3), notice("notifications/x"), textResult("none", "x"));
  // Refused at once, as waiting for a turn would be holding it; what is not judged goes on.
  assert.deepEqual(pair.atApp[0], notice("notifications/x"));
  assert.deepEqual(pair.atPeer.map((message) => "error" in message && [message.id, message.error?.code, message.error?.data]), [[3, -32603, { reason: "overloaded" }]]);
  assert.equal(pair.guard.inFlight, 2);
  waiting.forEach((allow) => allow(true));
  await settle();
  assert.deepEqual(pair.atApp.filter(isRequest), [call(1), call(2)]);
  await pair.fromPeer(call(4));
  assert.equal(pair.guard.inFlight, 3, "there is room again");
});
