import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missing, renderReport, type Run } from "./report.ts";
import { parseRequirements } from "./requirements.ts";
import { readResults } from "./results.ts";

const LISTING = `Required for 2026-07-28 (4 scenarios, frozen; run at the 2026-07-28 wire):

Server scenarios (test against a server):
  - server-stateless
  - ping

Client scenarios (test against a client):
  - tools_call
  - auth/metadata-default

Run and reported, but never scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
  pending (1):
    - json-schema-2020-12 [server]
`;

test("what is required is read from the suite's own list, by role", () => {
  assert.deepEqual(parseRequirements(LISTING, "server"), {
    required: ["server-stateless", "ping"],
    unscored: new Map([["tasks-lifecycle", "extension"], ["json-schema-2020-12", "pending"]]),
  });
  assert.deepEqual(parseRequirements(LISTING, "client").required, ["tools_call", "auth/metadata-default"]);
  assert.throws(() => parseRequirements("usage: …", "client"), /nothing that is required/);
});

test("results are read scenario by scenario, with what has failed and what is doubtful", () => {
  const folder = mkdtempSync(join(tmpdir(), "suite-results-"));
  try {
    const leave = (name: string, checks: readonly object[]) => {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, "checks.json"), JSON.stringify(checks));
    };
    leave("server-server-stateless-2026-11-30T16-25-10-123Z", [{ id: "a", status: "SUCCESS" }, { id: "b", status: "FAILURE", errorMessage: "no" }, { id: "c", status: "INFO" }]);
    leave("server-ping-2026-11-30T16-25-11-000Z", [{ id: "d", status: "WARNING" }, { id: "e", status: "SKIPPED" }]);
    assert.deepEqual(readResults(folder, "server"), new Map([
      ["server-stateless", { passed: 1, failures: ["b: no"], warnings: [] }],
      ["ping", { passed: 0, failures: [], warnings: ["d"] }],
    ]));
    leave("auth/metadata-default-2026-11-30T16-25-11-000Z", []);
    assert.ok(readResults(folder, "client").has("auth/metadata-default"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what failed, checked nothing, or was not run is missing; what is about authorization is told apart", () => {
  const requirements = { required: ["a", "b", "c", "auth/d"], unscored: new Map([["e", "extension"], ["f", "pending"]]) };
  const results = new Map([
    ["a", { passed: 3, failures: [], warnings: ["doubtful"] }],
    ["b", { passed: 1, failures: ["no"], warnings: [] }],
    ["c", { passed: 0, failures: [], warnings: [] }],
    ["e", { passed: 0, failures: ["x", "y"], warnings: [] }],
  ]);
  const run: Run = { leg: "client", revision: "2026-07-28", requirements, results, again: ["a"] };
  assert.deepEqual(missing(run), ["b", "c"]);
  const report = renderReport("1.2.3", [run]);
  assert.ok(report.includes("| client | 2026-07-28 | 1 of 3 | 1 | 1 | 0 of 1 | 0 of 2 |"), report);
  assert.ok(report.includes("| client | 2026-07-28 | `e` | extension | 0 | 2 |"), report);
  assert.ok(report.includes("| client | 2026-07-28 | `f` | pending | not run |  |"), report);
});
