import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { utf8Decode } from "../../../src/core/base/bytes.ts";
import { createQueue } from "../../../src/core/base/queue.ts";
import { createSignal, type Signal } from "../../../src/core/base/signal.ts";
import { directSend } from "../../../src/core/http/direct-send.ts";
import type { HttpCall, HttpRequest, HttpResponse } from "../../../src/core/http/exchange.ts";
import { settle } from "../../support/fake-host.ts";
import { NEVER } from "../../support/never.ts";

const call = (signal: Signal = NEVER, more: Partial<HttpCall> = {}): HttpCall => ({ method: "POST", url: "https://a.example:8080/x/y?z=1", headers: [["x-a", "1"]], body: "é", signal, ...more });

/** A response whose pieces the test gives; what became of it. */
function stream() {
  const pieces = createQueue<string>();
  const state = { cancelled: 0, cut: () => {} };
  const response: HttpResponse = {
    status: 200,
    headers: [["Set-Cookie", "a"], ["set-cookie", "b"]],
    body: { opened: (cut) => (state.cut = cut), next: () => pieces.pull(), cancel: () => void state.cancelled++ },
  };
  return { pieces, state, response };
}

describe("directSend", () => {
  it("gives the handler the request as a server would see it", async () => {
    const seen: HttpRequest[] = [];
    const send = directSend(async (request) => {
      seen.push(request);
      return { status: 202, headers: [] };
    });
    const answer = await send(call());
    assert.deepEqual([answer.status, await answer.body.next()], [202, undefined]);
    const { method, path, query, headers, body, signal } = seen[0]!;
    assert.deepEqual([method, path, query, headers.get("host"), headers.get("x-a")], ["POST", "/x/y", "z=1", "a.example:8080", "1"]);
    assert.equal(utf8Decode(await body(2)), "é");
    await assert.rejects(body(1), { code: "limit_exceeded" });
    assert.equal(signal.aborted, false);
    await send(call(NEVER, { url: "http://b" }));
    assert.deepEqual([seen[1]?.path, seen[1]?.query], ["/", ""]);
  });

  it("gives a body whole, or as it comes", async () => {
    const whole = await directSend(async () => ({ status: 200, headers: [["Content-Type", "text/plain"]], body: "é" }))(call());
    assert.equal(whole.headers.get("content-type"), "text/plain");
    assert.equal(utf8Decode((await whole.body.next())!), "é");
    assert.equal(await whole.body.next(), undefined);
    const { pieces, state, response } = stream();
    const answer = await directSend(async () => response)(call());
    assert.equal(answer.headers.get("set-cookie"), "a, b");
    pieces.push("a");
    pieces.push("");
    pieces.push("b");
    assert.equal(utf8Decode((await answer.body.next())!), "a");
    assert.equal(utf8Decode((await answer.body.next())!), "b");
    pieces.close();
    assert.equal(await answer.body.next(), undefined);
    answer.body.cancel();
    assert.equal(state.cancelled, 0, "a body that has ended is not cancelled");
  });

  it("tells the handler when the client has left: before the answer, in the middle of it, or by cancelling", async () => {
    const early = createSignal();
    let signal: Signal | undefined;
    let answerLate!: (response: HttpResponse) => void;
    const pending = directSend((request) => {
      ({ signal } = request);
      return new Promise((resolve) => (answerLate = resolve));
    })(call(early.signal));
    early.abort("why");
    await assert.rejects(pending, { code: "aborted" });
    assert.equal(signal?.aborted, true);
    const late = stream();
    answerLate(late.response);
    await settle();
    assert.equal(late.state.cancelled, 1);

    for (const leave of [(source: ReturnType<typeof createSignal>) => source.abort("why"), undefined]) {
      const source = createSignal();
      const { state, response } = stream();
      const answer = await directSend(async (request) => {
        ({ signal } = request);
        return response;
      })(call(source.signal));
      const next = answer.body.next();
      if (leave === undefined) answer.body.cancel();
      else leave(source);
      await assert.rejects(next, { code: "aborted" });
      assert.deepEqual([state.cancelled, signal?.aborted], [1, true]);
    }
    const gone = createSignal();
    gone.abort("why");
    await assert.rejects(directSend(async () => ({ status: 200, headers: [] }))(call(gone.signal)), { code: "aborted" });
  });

  it("ends the body as cut where the server cuts it", async () => {
    const { state, response } = stream();
    const answer = await directSend(async () => response)(call());
    const next = answer.body.next();
    state.cut();
    await assert.rejects(next, { code: "closed" });
    await assert.rejects(answer.body.next(), { code: "closed" });
  });
});
