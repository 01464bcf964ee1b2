import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import type { Arrival, Transport } from "../../src/core/transport/transport.ts";
import type { Message, RequestMessage } from "../../src/core/wire/message.ts";

/** How the suite gets two ends of one connection. `release` frees what is left behind it and checks that nothing is. */
export interface ContractSubject {
  readonly name: string;
  open(): Promise<{ near: Transport; far: Transport; release?(): Promise<void> }>;
  /** Whether a send from `near` can be made to wait, by a `far` that does not pull. */
  readonly backPressure: boolean;
  /** `false` where the end of `far` does not end `near`: an HTTP client goes on, as the server may come back. */
  readonly endsWithPeer?: false;
}

const request = (id: number, params: Record<string, unknown> = {}): RequestMessage => ({ jsonrpc: "2.0", id, method: "test/echo", params });

async function pull(transport: Transport): Promise<Message> {
  const arrival = await transport.receive();
  assert.ok(arrival, "the connection ended early");
  return arrival.frame.message;
}

// More than the buffers of two pipes and a socket in a row swallow.
const COUNT = 120;
const FILLER = "x".repeat(10_000);

const rejectsWith = (code: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof LocalError, `not a LocalError: ${String(thrown)}`);
  assert.equal(thrown.code, code);
  return true;
};

/** What `transport.ts` promises, held against one implementation. */
export function transportContract(subject: ContractSubject): void {
  describe(`the transport contract, over ${subject.name}`, () => {
    const check = (name: string, body: (near: Transport, far: Transport) => Promise<void>) =>
      it(name, async () => {
        const { near, far, release } = await subject.open();
        try {
          await body(near, far);
        } finally {
          await near.close();
          await far.close();
          await release?.();
        }
      });

    check("delivers in order, both ways", async (near, far) => {
      const ids = Array.from({ length: 50 }, (_, id) => id);
      const there = Promise.all(ids.map((id) => near.send({ message: request(id) })));
      for (const id of ids) assert.deepEqual(await pull(far), request(id));
      const back = Promise.all(ids.map((id) => far.send({ message: { jsonrpc: "2.0", id, result: { id } } })));
      for (const id of ids) assert.deepEqual(await pull(near), { jsonrpc: "2.0", id, result: { id } });
      await Promise.all([there, back]);
    });

    check("delivers a private copy, without undefined members", async (near, far) => {
      const params = { list: [1, { deep: "before" }], gone: undefined };
      await near.send({ message: request(1, params) });
      (params.list[1] as { deep: string }).deep = "after";
      const message = await pull(far);
      assert.deepEqual(message, request(1, { list: [1, { deep: "before" }] }));
      assert.equal(Object.hasOwn((message as RequestMessage).params!, "gone"), false);
    });

    check("never delivers within the call of send", async (near, far) => {
      let arrived = false;
      const pulled = far.receive().then((arrival) => {
        arrived = true;
        return arrival;
      });
      const sent = near.send({ message: request(1) });
      assert.equal(arrived, false);
      await sent;
      assert.deepEqual((await pulled)?.frame.message, request(1));
    });

    check("carries text beyond ASCII, line separators and a number that is no integer", async (near, far) => {
      const params = { text: "😀 \u2028 \u2029 \u0085 \r\n \ud800 \0", number: 1.5, zero: 0, empty: {}, nothing: null };
      await near.send({ message: request(1, params) });
      assert.deepEqual(await pull(far), request(1, params));
    });

    check("says who sent, under one name for the whole connection", async (near, far) => {
      await near.send({ message: request(1) });
      await near.send({ message: request(2) });
      const first = await far.receive();
      const second = await far.receive();
      assert.ok(first !== undefined && first.from.connection !== "");
      assert.equal(second?.from.connection, first.from.connection);
    });

    check("rejects what JSON cannot carry, and stays usable", async (near, far) => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      for (const bad of [Number.NaN, 1n, () => 1, new Date(0), [undefined], cycle]) {
        await assert.rejects(near.send({ message: request(1, { bad }) }), rejectsWith("not_json"));
      }
      const thrower = Object.defineProperty({}, "trap", { enumerable: true, get: () => assert.fail("the getter's own error") });
      await assert.rejects(near.send({ message: request(1, thrower) }), rejectsWith("not_json"));
      await near.send({ message: request(2) });
      assert.deepEqual(await pull(far), request(2));
    });

    check("carries a message of a million characters", async (near, far) => {
      const big = "xé".repeat(500_000);
      const sent = near.send({ message: request(1, { big }) });
      const message = await pull(far);
      await sent;
      assert.equal(((message as RequestMessage).params as { big: string }).big, big);
    });

    check("allows one puller at a time", async (near, far) => {
      const first = far.receive();
      await assert.rejects(far.receive(), rejectsWith("conflict"));
      await near.send({ message: request(1) });
      assert.deepEqual((await first)?.frame.message, request(1));
      await near.send({ message: request(2) });
      assert.deepEqual(await pull(far), request(2));
    });

    check("releases a pending receive on close, and gives undefined from then on", async (near, _far) => {
      const pending = near.receive();
      await near.close();
      assert.equal(await pending, undefined);
      assert.equal(await near.receive(), undefined);
    });

    check("closes any number of times, at once too", async (near, far) => {
      await Promise.all([near.close(), near.close(), far.close()]);
      await near.close(new LocalError("aborted", "again"));
      assert.equal(await near.receive(), undefined);
    });

    check("refuses to send after close", async (near, _far) => {
      await near.close();
      await assert.rejects(near.send({ message: request(1) }), rejectsWith("closed"));
    });

    if (subject.endsWithPeer !== false) {
      check("lets what was sent before the peer's end be pulled, then ends", async (near, far) => {
        for (let id = 0; id < 5; id++) await far.send({ message: request(id) });
        await far.close();
        for (let id = 0; id < 5; id++) assert.deepEqual(await pull(near), request(id));
        assert.equal(await near.receive(), undefined);
        assert.equal(await near.receive(), undefined);
      });
    }

    check("drops what was not pulled before its own close", async (near, far) => {
      await far.send({ message: request(1) });
      await near.close();
      assert.equal(await near.receive(), undefined);
    });

    if (subject.backPressure) {
      check("makes senders wait for a peer that does not pull, in order, and loses nothing", async (near, far) => {
        const params = { filler: FILLER };
        let accepted = 0;
        const sends: Promise<void>[] = [];
        for (let id = 0; id < COUNT; id++) sends.push(near.send({ message: request(id, params) }).then(() => void accepted++));
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(accepted < COUNT, `all ${accepted} sends were accepted although nobody pulled`);
        for (let id = 0; id < COUNT; id++) assert.deepEqual(await pull(far), request(id, params));
        await Promise.all(sends);
        assert.equal(accepted, COUNT);
      });

      check("rejects the senders that still wait when it is closed", async (near, _far) => {
        const sends: Promise<string>[] = [];
        for (let id = 0; id < COUNT; id++) {
          const sent = near.send({ message: request(id, { filler: FILLER }) });
          sends.push(sent.then(() => "sent", (thrown: LocalError) => thrown.code));
        }
        await new Promise((resolve) => setImmediate(resolve));
        await near.close();
        const outcomes = new Set(await Promise.all(sends));
        assert.deepEqual([...outcomes].sort(), ["closed", "sent"]);
      });
    }
  });
}

/** Everything that arrives until the connection ends. */
export async function drain(transport: Transport): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  for (let arrival = await transport.receive(); arrival !== undefined; arrival = await transport.receive()) arrivals.push(arrival);
  return arrivals;
}
