// Calls of handshake clients at stateless upstreams, round by round.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createSignal, type Signal } from "../../src/core/base/signal.ts";
import type { RequestMessage } from "../../src/core/wire/message.ts";
import { callThrough, type Final } from "../../src/gateway/asked-rounds.ts";
import type { Answer, Call, Outcome, Question } from "../../src/gateway/call.ts";
import { fakeHost, settle } from "../support/fake-host.ts";

const message: RequestMessage = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
const caller = { era: "handshake", version: "2025-11-25", info: undefined, capabilities: {}, principal: undefined } as const;
const FIRST: Call = { frame: { message }, message, sentParams: {}, caller, logLevel: undefined };
const DONE: Outcome = { kind: "result", message: { jsonrpc: "2.0", id: 1, result: {} }, source: undefined };
const CONSENT: Answer = { message: { jsonrpc: "2.0", id: 0, result: { action: "accept" } }, source: undefined };

/** A result that asks: for nothing but another try, or a question. */
function wants(what: "retry" | "question", state = "s"): Outcome {
  const question: Question = { message: { method: "elicitation/create" }, source: undefined };
  return { kind: "input", requests: new Map(what === "retry" ? [] : [["k", question]]), state, message: { jsonrpc: "2.0", id: 1, result: {} }, source: undefined };
}

interface Script {
  /** What each round comes to, and after how long; `undefined` is never. The last one is for all that follow. */
  readonly rounds: readonly (Outcome | undefined)[];
  readonly roundMs?: number;
  readonly answers?: boolean;
  readonly callTimeoutMs?: number;
  readonly maxCallMs?: number;
  readonly maxAsks?: number;
}

function calling({ rounds, roundMs = 0, answers = true, callTimeoutMs = 600_000, maxCallMs = 3_600_000, maxAsks = 100 }: Script) {
  const host = fakeHost();
  const source = createSignal();
  const sent: JsonObject[] = [];
  let asked = 0;
  let final: Final | undefined;
  const given = <T>(value: T | undefined, signal: Signal, cut: () => T, ms = 0): Promise<T> =>
    new Promise((resolve) => {
      const off = signal.onAbort(() => resolve(cut()));
      if (value === undefined) return;
      const settled = () => (off(), resolve(value));
      if (ms === 0) settled();
      else host.setTimer(settled, ms);
    });
  callThrough(FIRST, source.signal, {
    host,
    maxAsks,
    callTimeoutMs,
    maxCallMs,
    call(call, signal) {
      sent.push(call.message.params ?? {});
      return given<Outcome>(rounds[Math.min(sent.length, rounds.length) - 1], signal, () => ({ kind: "cancelled" }), roundMs);
    },
    async ask(_question, signal) {
      asked++;
      const answer = await given<Answer | "gone">(answers ? CONSENT : undefined, signal, () => "gone");
      if (answer === "gone") throw new LocalError("aborted", "given up");
      return answer;
    },
  }).then((found) => (final = found), assert.fail);
  return {
    host,
    sent,
    source,
    asked: () => asked,
    async ended(withinMs: number) {
      for (let left = withinMs; left > 0 && final === undefined; left -= 50) await host.advance(50);
      await settle();
      return final;
    },
  };
}
const reasonOf = (final: Final | undefined) => (final?.kind === "error" ? final.message.error.data : final?.kind);

describe("a call that a stateless upstream asks something for", () => {
  it("ends where it asks for nothing but another try, again and again, whatever state it gives", async () => {
    const { host, sent, ended } = calling({ rounds: [wants("retry")] });
    const final = await ended(40_000);
    assert.deepEqual(reasonOf(final), { reason: "timeout", delivery: "unknown" });
    assert.equal(sent.length, 11);
    assert.deepEqual(sent.at(-1), { name: "t", requestState: "s" });
    assert.equal(host.liveTimers, 0);
  });

  it("ends where that takes as long as a call may be silent", async () => {
    for (const roundMs of [1_000, 3_000, 10_000]) {
      const { host, sent, ended } = calling({ rounds: [wants("retry")], roundMs, callTimeoutMs: 3_000 });
      assert.deepEqual(reasonOf(await ended(15_000)), { reason: "timeout", delivery: "unknown" });
      assert.ok(sent.length <= 3, `${sent.length} rounds of ${roundMs} ms`);
      assert.equal(host.liveTimers, 0);
    }
  });

  it("goes on where a try is asked for a few times, or a question comes between", async () => {
    const few = calling({ rounds: [...Array.from({ length: 10 }, () => wants("retry")), DONE] });
    assert.equal((await few.ended(40_000))?.kind, "result");
    const between = calling({ rounds: [...Array.from({ length: 30 }, (_, round) => wants(round % 5 === 4 ? "question" : "retry")), DONE] });
    assert.equal((await between.ended(60_000))?.kind, "result");
    assert.equal(between.asked(), 6);
  });

  it("ends after so many rounds of whatever kind", async () => {
    for (const rounds of [[wants("question")], [wants("retry"), wants("question"), wants("retry"), wants("question")]]) {
      const { host, sent, ended } = calling({ rounds, maxAsks: 3 });
      assert.deepEqual(reasonOf(await ended(5_000)), { reason: "unsupported" });
      assert.deepEqual([sent.length, host.liveTimers], [4, 0]);
    }
  });

  for (const [where, script] of Object.entries<Script>({
    "a round": { rounds: [wants("question"), undefined] },
    "a question": { rounds: [wants("question")], answers: false },
    "a wait": { rounds: [...Array.from({ length: 6 }, () => wants("retry"))] },
  })) {
    it(`ends in the middle of ${where} when its whole time is over, or its caller gives up`, async () => {
      const late = calling({ ...script, maxCallMs: 2_000 });
      assert.equal(await late.ended(1_900), undefined);
      assert.deepEqual(reasonOf(await late.ended(200)), { reason: "timeout", delivery: "unknown" });
      assert.equal(late.host.liveTimers, 0);
      const gone = calling(script);
      assert.equal(await gone.ended(1_900), undefined);
      gone.source.abort("the client has gone");
      assert.equal((await gone.ended(50))?.kind, "cancelled");
      assert.equal(gone.host.liveTimers, 0);
    });
  }

  it("needs no clock where the first answer is final, or the whole time is unbounded", async () => {
    const plain = calling({ rounds: [DONE] });
    await settle();
    assert.equal(plain.host.liveTimers, 0);
    const unbounded = calling({ rounds: [wants("question"), DONE], maxCallMs: Infinity });
    assert.equal((await unbounded.ended(50))?.kind, "result");
  });
});
