import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectHost, fromGlobals, platformSignal, type PlatformSignal } from "../../../src/core/base/host.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { settle } from "../../support/fake-host.ts";

describe("fromGlobals", () => {
  it("throws host_missing only when a slot that the runtime lacks is used", () => {
    const host = fromGlobals({});
    assert.throws(() => host.setTimer(() => {}, 1), { name: "LocalError", code: "host_missing", message: /timers .*"setTimer"/ });
    assert.throws(() => host.random(new Uint8Array(1)), { name: "LocalError", code: "host_missing", message: /random source .*"random"/ });
    assert.deepEqual([host.utf8, host.abortController, host.subtle, host.fetch], [undefined, undefined, undefined, undefined]);
    for (const slot of ["utf8", "abortController", "subtle", "fetch"]) assert.ok(!(slot in host), slot);
  });

  it("tells the time without a monotonic clock, never backwards", () => {
    const host = fromGlobals({});
    const real = Date.now;
    const start = real();
    try {
      Date.now = () => start + 1000;
      const later = host.now();
      Date.now = () => start + 10;
      assert.equal(host.now(), later);
      assert.equal(host.wallTime(), start + 10);
    } finally {
      Date.now = real;
    }
  });

  it("takes the monotonic clock where there is one", () => {
    assert.equal(fromGlobals({ performance: { now: () => 12.5 } }).now(), 12.5);
  });

  it("lacks timers unless both halves are there", () => {
    assert.throws(() => fromGlobals({ setTimeout: () => 1 }).setTimer(() => {}, 1), { code: "host_missing" });
  });

  it("keeps waits within what the platform can count, and cancels the timer that it set", () => {
    const waits: number[] = [];
    const cleared: unknown[] = [];
    const host = fromGlobals({ setTimeout: (_callback, ms) => waits.push(ms), clearTimeout: (timer) => cleared.push(timer) });
    host.setTimer(() => {}, -5);
    host.setTimer(() => {}, Infinity);
    host.setTimer(() => {}, 2 ** 31)();
    assert.deepEqual(waits, [0, 2_147_483_647, 2_147_483_647]);
    assert.deepEqual(cleared, [3]);
  });

  it("lets only background timers leave the process free to end", () => {
    let freed = 0;
    const host = fromGlobals({ setTimeout: () => ({ unref: () => freed++ }), clearTimeout: () => {} });
    host.setTimer(() => {}, 1);
    assert.equal(freed, 0);
    host.setTimer(() => {}, 1, true);
    assert.equal(freed, 1);
  });

  it("calls the platform's functions as functions, never as methods of the host", async () => {
    const seen: unknown[] = [];
    const host = fromGlobals({
      fetch: function (this: unknown, ...args: readonly never[]) {
        seen.push(this, ...args);
        return Promise.resolve("answer");
      },
    });
    assert.equal(await host.fetch!("url" as never), "answer");
    assert.deepEqual(seen, [undefined, "url"]);
  });

  it("decodes malformed UTF-8 with replacement, and keeps a byte order mark", () => {
    const { utf8 } = detectHost();
    assert.equal(utf8!.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff)), "\ufeffa\ufffd");
    assert.deepEqual(utf8!.encode("é"), Uint8Array.of(0xc3, 0xa9));
  });
});

describe("detectHost", () => {
  it("fills every slot from this runtime, once", () => {
    const host = detectHost();
    assert.equal(detectHost(), host);
    assert.ok(host.utf8 !== undefined && host.abortController !== undefined && host.subtle !== undefined && host.fetch !== undefined);
    assert.equal(host.random(new Uint8Array(16)).length, 16);
    host.setTimer(() => assert.fail(), 60_000, true)();
  });
});

describe("platformSignal", () => {
  const hosts: [string, ReturnType<typeof fromGlobals>][] = [["the platform's class", detectHost()], ["our stand-in", fromGlobals({})]];
  for (const [name, host] of hosts) {
    it(`follows our signal, with ${name}`, () => {
      const { signal, abort } = createSignal();
      const platform: PlatformSignal = platformSignal(signal, host);
      const told: string[] = [];
      const kept = () => told.push("kept");
      const removed = () => told.push("removed");
      platform.addEventListener("abort", kept);
      platform.addEventListener("abort", kept);
      platform.addEventListener("abort", removed);
      platform.removeEventListener("abort", removed);
      assert.equal(platform.aborted, false);
      abort("why");
      platform.addEventListener("abort", removed);
      assert.deepEqual([platform.aborted, platform.reason, told], [true, "why", ["kept"]]);
    });

    it(`is aborted from the start where ours was, with ${name}`, () => {
      const { signal, abort } = createSignal();
      abort("early");
      const platform = platformSignal(signal, host);
      assert.deepEqual([platform.aborted, platform.reason], [true, "early"]);
    });
  }

  it("does not let a handler's listener that throws stop the others", async () => {
    const uncaught: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => uncaught.push(reason));
    try {
      const { signal, abort } = createSignal();
      const platform = platformSignal(signal, fromGlobals({}));
      const told: string[] = [];
      const thrown = new RangeError("mine");
      platform.addEventListener("abort", () => {
        throw thrown;
      });
      signal.onAbort(() => told.push("ours"));
      abort("x");
      await settle();
      assert.deepEqual(told, ["ours"]);
      assert.deepEqual(uncaught, [thrown]);
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of others) process.on("unhandledRejection", listener);
    }
  });
});
