import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClock } from "../../../src/core/http/clock.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import { createSseLane, type LaneOptions } from "../../../src/core/http/sse-lane.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { seededRandom } from "../../support/random.ts";

function lane(options: Partial<LaneOptions> = {}) {
  const host = fakeHost();
  return { host, lane: createSseLane({ clock: createClock(host), maxChars: 1_000, keepAliveMs: 15_000, stallMs: 30_000, ...options }) };
}

const state = (promise: Promise<void>) => {
  let now = "waits";
  promise.then(() => (now = "sent"), () => (now = "refused"));
  return async () => {
    await settle();
    return now;
  };
};

describe("a lane of events", () => {
  it("takes what fits its bound to the character, and lets the next one wait", async () => {
    const { lane: full } = lane({ waits: true, maxChars: 36 });
    // `data: ` and two line feeds around ten characters, twice.
    const first = state(full.send("0123456789"));
    const second = state(full.send("0123456789"));
    const third = state(full.send("x"));
    assert.deepEqual([await first(), await second(), await third()], ["sent", "sent", "waits"]);
    const source = full.connect("")!;
    assert.equal((await source.next())?.length, 36);
    assert.equal(await third(), "sent");
    assert.equal(await source.next(), "data: x\n\n");
    source.cancel();
  });

  it("takes one that is larger than its bound where nothing else waits", async () => {
    const { lane: small } = lane({ waits: true, maxChars: 5 });
    const large = state(small.send("larger than that"));
    const next = state(small.send("y"));
    assert.deepEqual([await large(), await next()], ["sent", "waits"]);
    small.close();
    assert.equal(await next(), "refused");
  });

  it("ends the pull of a connection that another one takes over from", async () => {
    const { lane: shared } = lane({ waits: true });
    const old = shared.connect("")!;
    const pulled = old.next();
    const fresh = shared.connect("")!;
    assert.equal(await pulled, undefined);
    assert.equal(await old.next(), undefined);
    old.cancel();
    assert.equal(shared.isConnected(), true, "what leaves late takes nobody along");
    await shared.send("x");
    assert.equal(await fresh.next(), "data: x\n\n");
    shared.complete();
    assert.equal(await fresh.next(), undefined);
  });

  const seed = 20_260_728;
  const random = seededRandom(seed);
  it(`loses nothing and repeats nothing, whatever connections break where (seed ${seed})`, async () => {
    for (let round = 0; round < 60; round++) {
      const store = memoryEventStore();
      const { lane: tried, host } = lane({
        maxChars: 40 + random.below(200),
        store: { stream: 1, put: (event) => store.put("s", 1, event), after: (place) => store.after("s", 1, place) },
      });
      const got: string[] = [];
      let last = 0;
      let sent = 0;
      let source = tried.connect("", last);
      for (let step = 0; step < 60; step++) {
        const dice = random.next();
        if (dice < 0.5) await tried.send(String(++sent));
        else if (dice < 0.75 && source !== undefined && tried.isConnected() && got.length < sent) await read();
        else if (dice < 0.85) source?.cancel();
        else if (dice < 0.9) await host.advance(31_000);
        else source = tried.connect("", last);
      }
      tried.complete();
      source = tried.connect("", last);
      while (got.length < sent) await read();
      assert.deepEqual(got, Array.from({ length: sent }, (_, index) => String(index + 1)), `seed ${seed}, round ${round}`);
      tried.close();

      async function read(): Promise<void> {
        const text = await source!.next();
        for (const [, place, data] of (text ?? "").matchAll(/id: 1-(\d+)\ndata: (\d+)\n\n/g)) {
          last = Number(place);
          got.push(data!);
        }
      }
    }
  });
});
