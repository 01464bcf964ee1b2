import assert from "node:assert/strict";
import { test } from "node:test";
import { isHandshakeVersion, isStatelessVersion, isVersionDate, mayAskForInput, PROTOCOL_VERSIONS } from "../../../src/core/wire/versions.ts";

test("each revision belongs to one era, and the list runs from new to old", () => {
  for (const version of PROTOCOL_VERSIONS) assert.notEqual(isHandshakeVersion(version), isStatelessVersion(version), version);
  assert.deepEqual([...PROTOCOL_VERSIONS].sort().reverse(), PROTOCOL_VERSIONS);
  for (const other of ["", "2025-01-01", "DRAFT-2026-v1", 5, null, undefined]) {
    assert.equal(isHandshakeVersion(other) || isStatelessVersion(other), false);
  }
});

test("a version is a date, known or not", () => {
  for (const version of [...PROTOCOL_VERSIONS, "2031-01-01"]) assert.equal(isVersionDate(version), true, version);
  for (const odd of ["", "latest", "2025-6-18", "2025-13-01", "2025-00-10", "2025-12-31 ", "2025-12-32", 5, undefined]) {
    assert.equal(isVersionDate(odd), false, String(odd));
  }
});

test("results may ask for input since the revision that brought it", () => {
  for (const version of ["2026-07-28", "2031-01-01"]) assert.equal(mayAskForInput(version), true, version);
  for (const version of ["2025-11-25", "2026-07-27", "latest", undefined]) assert.equal(mayAskForInput(version), false, version);
});
