import assert from "node:assert/strict";
import { test } from "node:test";
import { relay } from "../../../src/core/guard/relay.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

const request = (id: number, method: string) => ({ jsonrpc: "2.0", id, method, params: {} });

test("a client that ends its side still gets the answers that are due", async () => {
  const [down, up, host] = [scriptedTransport(), scriptedTransport(), fakeHost()];
  const { ended } = relay(down, up, { host });
  down.deliver(request(1, "tools/call"));
  await settle();
  down.end();
  await settle();
  assert.equal(up.closes, 0);
  up.deliver({ jsonrpc: "2.0", id: 1, result: {} });
  assert.deepEqual(await ended, { by: "client" });
  assert.deepEqual(down.sent.map(({ message }) => message), [{ jsonrpc: "2.0", id: 1, result: {} }]);
  assert.equal(host.liveTimers, 0);
});

test("an open subscription, whose answer is never due, does not hold up the end", async () => {
  const [down, up, host] = [scriptedTransport(), scriptedTransport(), fakeHost()];
  const { ended } = relay(down, up, { host });
  down.deliver(request(1, "subscriptions/listen"));
  down.deliver(request(2, "tools/call"));
  await settle();
  down.end();
  await settle();
  assert.equal(up.closes, 0, "the call is still due");
  up.deliver({ jsonrpc: "2.0", id: 2, result: {} });
  assert.deepEqual(await ended, { by: "client" });
  assert.equal(up.closes, 1);
  assert.equal(host.liveTimers, 0);
});
