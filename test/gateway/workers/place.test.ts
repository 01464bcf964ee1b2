import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ownerOfSession, ownerOfState, replicaOf, sessionPrefix, socketOf, type WorkerPlace } from "../../../src/gateway/workers/place.ts";

const place = (slot: number, more: Partial<WorkerPlace> = {}): WorkerPlace => ({ slot, count: 12, name: "abc", stateKey: btoa("k".repeat(32)), folder: "/run/x", ...more });

describe("a worker's place", () => {
  it("is told by the ids of its sessions: those of others have an owner, its own and nobody's have none", () => {
    const owner = (id: string) => ownerOfSession(place(2), id);
    assert.equal(sessionPrefix(place(12)), "12-");
    assert.deepEqual([owner("1-ab"), owner("12-ab"), owner("2-ab")], [1, 12, undefined]);
    for (const id of ["13-ab", "0-ab", "01-ab", "-1-ab", "1ab", " 1-ab", "1e1-ab", "100-ab", ""]) assert.equal(owner(id), undefined, id);
  });

  it("is told by the states of its parked calls, if they are of this gateway", () => {
    const owner = (state: string, configured?: string) => ownerOfState(place(2), state, configured);
    assert.deepEqual([owner("parked1.abc-1.sealed"), owner("parked1.abc-12.sealed"), owner("parked1.abc-2.sealed")], [1, 12, undefined]);
    assert.equal(owner("parked1.r-1-3.sealed", "r-1"), 3);
    for (const state of ["parked1.other-1.sealed", "parked1.abc-13.sealed", "parked1.abc-01.sealed", "parked1.abc.sealed", "abc-1", "parked1.abc-1."]) assert.equal(owner(state), undefined, state);
  });

  it("has a name for its states however long the gateway's is", () => {
    const long = "r".repeat(64);
    assert.equal(replicaOf(place(1), 64, long).length, 64);
    assert.equal(ownerOfState(place(1), `parked1.${replicaOf(place(1), 7, long)}.sealed`, long), 7);
  });

  it("has a socket that no other one has", { skip: process.platform === "win32" ? "pipes have other names" : false }, () => {
    assert.equal(socketOf(place(1), 3), "/run/x/3.sock");
  });
});
