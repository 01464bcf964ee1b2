import assert from "node:assert/strict";
import { test } from "node:test";
import { chainError } from "../../../src/core/chain/outcome.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { CALL, mutates, rig, validates } from "./kit.ts";

const boom = () => { throw new Error("secret detail"); };
const RESPONSE = { ...CALL, phase: "response", payload: { content: [] } } as const;

test("a chain that succeeds has no error", async () => {
  const { chain } = rig();
  chain.add(validates({ name: "x", failOpen: true }, boom));
  assert.equal(chainError(await chain.execute(CALL)), undefined);
});

test("a rejection tells each error message of each blocking validator, and failures by their reason", async () => {
  const { chain } = rig();
  chain.add([
    validates({ name: "two" }, () => ({
      valid: false,
      messages: [{ path: "/name", message: "not this", severity: "error" }, { message: "hm", severity: "warn" }, { message: "nor that", severity: "error" }],
    })),
    validates({ name: "plain" }, () => false),
    validates({ name: "soft" }, () => deny("only a warning", { severity: "warn" })),
    validates({ name: "audit", mode: "audit" }, () => deny("audited")),
    validates({ name: "open", failOpen: true }, boom),
    validates({ name: "broken" }, boom),
  ]);
  const result = await chain.execute(CALL);
  assert.deepEqual(chainError(result)?.toJson(), {
    code: -32602,
    message: "Interceptor validation failed",
    data: {
      validationErrors: [
        { interceptor: "two", severity: "error", message: "not this", path: "/name" },
        { interceptor: "two", severity: "error", message: "nor that" },
        { interceptor: "plain", severity: "error", message: "rejected" },
        { interceptor: "broken", severity: "error", message: "crashed" },
      ],
    },
  });
  assert.match(JSON.stringify(chainError(result, { exposeErrors: true })?.data), /secret detail/);
  assert.equal(result.abortedAt?.reason, "not this");
});

test("messages about a response do not cross, unless they may", async () => {
  const { chain } = rig();
  chain.add(validates({ name: "v" }, () => deny("found 4111-1111", { path: "/content/0" })));
  const result = await chain.execute(RESPONSE);
  assert.deepEqual(chainError(result)?.data, { validationErrors: [{ interceptor: "v", severity: "error", message: "rejected" }] });
  assert.match(JSON.stringify(chainError(result, { exposeMessages: true })?.data), /4111/);
  assert.doesNotMatch(JSON.stringify(chainError(await chain.execute(CALL), { exposeMessages: false })?.data), /4111/);
});

test("a failed mutation names the interceptor and a reason code", async () => {
  const { chain } = rig();
  chain.add(mutates({ name: "m" }, boom));
  const result = await chain.execute(CALL);
  assert.deepEqual(chainError(result)?.toJson(), { code: -32603, message: "Interceptor mutation failed", data: { failedInterceptor: "m", reason: "crashed" } });
  assert.deepEqual(chainError(result, { exposeErrors: true })?.data, { failedInterceptor: "m", reason: "secret detail" });
});

test("a timeout names the interceptor, the limit and the phase", async () => {
  const { chain, host } = rig();
  chain.add(validates({ name: "slow", timeoutMs: 5000 }, () => new Promise(() => {})));
  const run = chain.execute(RESPONSE);
  await host.advance(5000);
  assert.deepEqual(chainError(await run)?.toJson(), {
    code: -32000,
    message: "Interceptor execution timeout",
    data: { interceptor: "slow", timeoutMs: 5000, phase: "response" },
  });
});

test("of two servers with one name, the error speaks of the one that stopped the chain", async () => {
  const { chain } = rig();
  chain.add(mutates({ name: "m", failOpen: true }, boom));
  await chain.addSource({
    label: "other",
    remote: false,
    list: async () => [{ name: "m", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] }],
    invoke: () => { throw new Error("other detail"); },
  });
  const result = await chain.execute(CALL);
  assert.equal(result.abortedAt?.address, "other/m");
  assert.deepEqual(chainError(result, { exposeErrors: true })?.data, { failedInterceptor: "m", reason: "other detail" });
});
