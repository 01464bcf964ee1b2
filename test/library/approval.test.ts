import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { approval, type ApprovalConfig, type ApprovalRequest, approvalScope } from "../../src/library/approval.ts";
import { fakeHost } from "../support/fake-host.ts";
import { AGAIN, invokeLater } from "./invoke.ts";
import { serviceDouble } from "./service-double.ts";

const context = { sessionId: "s-1" };

function rig(config: ApprovalConfig = {}, answer: (request: ApprovalRequest) => unknown = () => true) {
  const asked: ApprovalRequest[] = [];
  const host = fakeHost();
  const held = approval(config, { host, approve: (request) => (asked.push(request), answer(request) as boolean) });
  const call = async (args: object, { name = "pay", again = false, who = context } = {}) => {
    const result = await invokeLater(held, { event: "tools/call", phase: "request", payload: { name, arguments: { ...args } }, context: who, ...(again ? { _meta: AGAIN } : {}) });
    return (result as { valid?: boolean }).valid;
  };
  return { asked, host, held, call };
}

describe("approval", () => {
  it("shows whoever decides the tool, its arguments and their digest, and does as he says", async () => {
    const yes = rig();
    assert.equal(await yes.call({ amount: 5, to: "ada" }), true);
    const [request] = yes.asked;
    assert.deepEqual({ ...request, digest: "" }, { tool: "pay", arguments: { amount: 5, to: "ada" }, digest: "", sessionId: "s-1" });
    assert.match(request?.digest ?? "", /^sha256:[0-9a-f]{64}$/);
    assert.equal(await rig({}, () => false).call({}), false);
  });

  it("holds the call until there is an answer, and fails once it has waited long enough", async () => {
    const { host, held } = rig({ waitMs: 1000 }, () => new Promise(() => {}));
    assert.equal(held.timeoutMs, 1000);
    const waiting = assert.rejects(async () => invokeLater(held, { event: "tools/call", phase: "request", payload: { name: "pay" }, context, timeoutMs: 1000 }, host), /Interceptor execution timeout/);
    await host.advance(1000);
    await waiting;
  });

  it("asks for each call anew, the same one too", async () => {
    const { asked, call } = rig();
    await call({ a: 1 });
    await call({ a: 1 });
    assert.equal(asked.length, 2);
    assert.equal(asked[0]?.digest, asked[1]?.digest);
  });

  it("is bound to the arguments: what mutators changed afterwards is asked for again, the rest is not", async () => {
    const { asked, call } = rig();
    await call({ a: 1, b: 2 });
    assert.equal(await call({ b: 2, a: 1 }, { again: true }), true);
    assert.equal(asked.length, 1);
    await call({ a: 1, b: 3 }, { again: true });
    assert.equal(asked.length, 2);
    assert.deepEqual(asked[1]?.arguments, { a: 1, b: 3 });
  });

  it("reuses a yes for as long as it is told, for the same session and the same arguments alone", async () => {
    const { asked, host, call } = rig({ reuseMs: 10_000 });
    await call({ a: 1 });
    await host.advance(9_999);
    await call({ a: 1 });
    assert.equal(asked.length, 1);
    await call({ a: 2 });
    await call({ a: 1 }, { name: "refund" });
    await call({ a: 1 }, { who: { sessionId: "s-2" } });
    assert.equal(asked.length, 4);
    await host.advance(1);
    await call({ a: 1 });
    assert.equal(asked.length, 5);
  });

  it("never reuses a no", async () => {
    const { asked, call } = rig({ reuseMs: 10_000 }, () => false);
    await call({});
    await call({});
    assert.equal(asked.length, 2);
  });

  it("asks for the tools that it is told of alone; a name that is no text is refused", async () => {
    const { asked, call, held } = rig({ tools: ["pay", "delete_*"] });
    assert.equal(await call({}, { name: "read" }), true);
    assert.equal(asked.length, 0);
    await call({}, { name: "delete_all" });
    assert.equal(asked.length, 1);
    const odd = await invokeLater(held, { event: "tools/call", phase: "request", payload: { name: ["pay"] }, context });
    assert.equal((odd as { valid?: boolean }).valid, false);
  });

  it("fails, and so blocks, on an answer that is none, and on who asks that throws", async () => {
    for (const answer of ["yes", 1, null, undefined]) await assert.rejects(rig({}, () => answer).call({}), /Interceptor execution failed/);
    await assert.rejects(rig({}, () => { throw new Error("gone"); }).call({}), /Interceptor execution failed/);
  });

  it("asks a service, which has to repeat the digest", async () => {
    const url = "https://approve.example/";
    const run = async (answer: (digest: string) => unknown) => {
      const { host } = serviceDouble(({ body }) => answer((JSON.parse(body) as ApprovalRequest).digest));
      return ((await invokeLater(approval({ url }, { host }), { event: "tools/call", phase: "request", payload: { name: "pay" }, context })) as { valid?: boolean }).valid;
    };
    assert.equal(await run((digest) => ({ approved: true, digest })), true);
    assert.equal(await run(() => ({ approved: false })), false);
    await assert.rejects(run(() => ({ approved: true })), /Interceptor execution failed/);
    await assert.rejects(run(() => ({ approved: true, digest: "sha256:0" })), /Interceptor execution failed/);
    await assert.rejects(run((digest) => ({ approved: "true", digest })), /Interceptor execution failed/);
  });

  it("says whose memory it has, and is refused with nobody to ask", () => {
    assert.equal(approvalScope({ scope: "principal" }), "principal");
    assert.throws(() => approval({}), { code: "invalid_argument", message: /has nobody to ask/ });
    for (const [config, place] of [[{ waitMs: 0 }, "waitMs"], [{ reuseMs: -1 }, "reuseMs"], [{ url: "http://x.example" }, "url"], [{ tools: "pay" }, "tools"]] as const) {
      assert.throws(() => approval(config as ApprovalConfig, { approve: () => true }), { code: "invalid_argument", message: new RegExp(`^config of approval: ${place} `) });
    }
  });
});
