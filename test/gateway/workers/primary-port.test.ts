import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { listenForWorkers, TAKE_MS } from "../../../src/gateway/workers/primary-port.ts";
import type { WorkerProcess } from "../../../src/gateway/workers/worker-process.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { fakeWorker } from "./kit.ts";

interface Given {
  readonly slot: number;
  readonly socket: Socket;
  take(taken: boolean): Promise<void>;
}

async function rig() {
  const host = fakeHost();
  const port = await listenForWorkers({ host, port: 0 });
  const given: Given[] = [];
  let wake = () => {};
  const worker = (slot: number): WorkerProcess => ({
    ...fakeWorker(slot),
    give: (socket) =>
      new Promise((resolve) => {
        given.push({
          slot,
          socket,
          take(taken) {
            resolve(taken);
            return settle();
          },
        });
        wake();
      }),
  });
  /** The one that was given as this many had been. */
  const at = async (index: number): Promise<Given> => {
    while (given.length <= index) await new Promise<void>((resolve) => (wake = resolve));
    return given[index] ?? assert.fail();
  };
  const client = async () => {
    const socket = connect(port.port, "127.0.0.1");
    const ended = once(socket.resume(), "close");
    await once(socket, "connect");
    return { socket, ended };
  };
  return { host, port, given, worker, at, client };
}

describe("the port of all workers", () => {
  it("gives connections in turn, and none to who has not taken the last one", async () => {
    const { port, given, worker, at, client } = await rig();
    port.join(worker(1));
    port.join(worker(2));
    const clients = [await client(), await client(), await client()];
    await at(1);
    await settle();
    assert.deepEqual(given.map(({ slot }) => slot), [1, 2]);
    await (await at(1)).take(true);
    assert.equal((await at(2)).slot, 2);
    await (await at(2)).take(true);
    for (let index = 3; index < 5; index++) {
      clients.push(await client());
      const one = await at(index);
      assert.equal(one.slot, 2);
      await one.take(true);
      assert.equal(one.socket.destroyed, true, "it is the worker's");
    }
    await (await at(0)).take(true);
    port.close();
    for (const { ended } of clients) await ended;
  });

  it("gives what a worker did not live to take to another one, to that which comes in its place if there is none", async () => {
    const { host, port, worker, at, client } = await rig();
    port.join(worker(1));
    port.join(worker(2));
    const { ended } = await client();
    await (await at(0)).take(false);
    const second = await at(1);
    assert.equal(second.slot, 2);
    await second.take(false);
    assert.equal(second.socket.destroyed, false);
    await host.advance(9_999);
    port.join(worker(1));
    const third = await at(2);
    assert.equal(third.socket, second.socket);
    await third.take(true);
    await ended;
    port.close();
  });

  it("cuts off what a worker leaves lying, and gives it nothing until it has taken that", async () => {
    const { host, port, given, worker, at, client } = await rig();
    port.join(worker(1));
    const stuck = await client();
    const first = await at(0);
    await host.advance(TAKE_MS - 1);
    assert.equal(port.stuck, 0);
    await host.advance(1);
    await stuck.ended;
    assert.deepEqual([port.stuck, given.length], [1, 1]);
    const next = await client();
    await first.take(true);
    assert.equal(port.stuck, 0);
    await (await at(1)).take(true);
    await next.ended;
    port.close();
  });

  it("is closed at the end once no worker takes connections, which go to those that still do until then", async () => {
    const { port, given, worker, at, client } = await rig();
    const shuts: (() => void)[] = [];
    for (const slot of [1, 2]) port.join({ ...worker(slot), shut: new Promise((resolve) => shuts.push(resolve)) });
    const early = await client();
    await at(0);
    port.retire();
    shuts[0]?.();
    // It has taken this one before, and gets no other.
    await (await at(0)).take(true);
    await early.ended;
    for (const index of [1, 2]) {
      const { ended } = await client();
      await (await at(index)).take(true);
      await ended;
    }
    assert.deepEqual(given.map(({ slot }) => slot), [1, 2, 2]);
    shuts[1]?.();
    await settle();
    const refused = connect(port.port, "127.0.0.1");
    const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });

  it("lets nobody wait for a worker for ever, nor for one that will not come", async () => {
    const { host, port, client } = await rig();
    const patient = await client();
    let over = false;
    void patient.ended.then(() => (over = true));
    // When the listener gets it shows in nothing but its end.
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      await host.advance(10_000);
    }
    const late = await client();
    port.close();
    port.close();
    await late.ended.catch(() => {});
    const refused = connect(port.port, "127.0.0.1");
    const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });
});
