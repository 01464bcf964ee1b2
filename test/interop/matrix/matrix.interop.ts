// Every client with every server, ours and the official ones, in every revision that both speak, over stdio, in memory and over HTTP.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { measureAll } from "./measure.ts";
import { committedTable, renderTable } from "./table.ts";

const rows = measureAll();

describe("the matrix of clients, servers and revisions", () => {
  for (const { pair, outcomes } of rows) {
    const { client, server, version } = pair;
    it(`client ${client.label} and server ${server.label} agree on everything in ${version}`, { timeout: 120_000 }, async () => {
      const failures = [...(await outcomes)].flatMap(([feature, outcome]) => (typeof outcome === "object" ? [`${feature}, ${outcome.failure}`] : []));
      assert.deepEqual(failures, []);
    });
  }

  it("is as the table in test/README.md has it; write-table.ts beside this file writes it anew", { timeout: 120_000 }, async () => {
    assert.equal(await renderTable(rows), committedTable());
  });
});
