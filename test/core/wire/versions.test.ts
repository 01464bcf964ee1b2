import assert from "node:assert/strict";
import { test } from "node:test";
import {
  compareVersions, isHandshakeVersion, isStatelessVersion, isVersionDate, negotiateVersion, PROTOCOL_VERSIONS,
} from "../../../src/core/wire/versions.ts";

test("each revision belongs to one era, and the list runs from new to old", () => {
  for (const version of PROTOCOL_VERSIONS) assert.notEqual(isHandshakeVersion(version), isStatelessVersion(version), version);
  assert.deepEqual([...PROTOCOL_VERSIONS].sort().reverse(), PROTOCOL_VERSIONS);
  for (const other of ["", "2025-01-01", "DRAFT-2026-v1", 5, null, undefined]) {
    assert.equal(isHandshakeVersion(other) || isStatelessVersion(other), false);
  }
});

test("initialize gets the version that it asks for where we speak it, else our newest with a handshake", () => {
  assert.equal(negotiateVersion("2024-11-05"), "2024-11-05");
  assert.equal(negotiateVersion("2025-06-18"), "2025-06-18");
  assert.equal(negotiateVersion("2026-07-28"), "2025-11-25");
  assert.equal(negotiateVersion("1999-01-01"), "2025-11-25");
});

test("versions compare as dates, known or not, and texts that are none do not compare", () => {
  assert.equal(compareVersions("2024-11-05", "2025-03-26"), -1);
  assert.equal(compareVersions("2031-01-01", "2026-07-28"), 1);
  assert.equal(compareVersions("2025-06-18", "2025-06-18"), 0);
  for (const odd of ["", "latest", "2025-6-18", "2025-13-01", "2025-00-10", "2025-12-31 ", "2025-12-32"]) {
    assert.equal(isVersionDate(odd), false, odd);
    assert.equal(compareVersions(odd, "2025-06-18"), undefined, odd);
    assert.equal(compareVersions("2025-06-18", odd), undefined, odd);
  }
});
