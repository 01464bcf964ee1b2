import assert from "node:assert/strict";
import { test } from "node:test";
import { createPinnedTools, type PinRules } from "../../src/library/pinned-tools.ts";

const RULES: PinRules = { lockOf: undefined, changed: "hold", lookAlikes: "block", shadowing: "block" };

test("pins no more than 2,000 tools, and keeps the others back", () => {
  const pinned = createPinnedTools();
  const rules: PinRules = { ...RULES, lookAlikes: "pass" };
  for (let number = 0; number < 2_000; number++) assert.equal(pinned.see({ name: `t${number}` }, undefined, rules), undefined);
  assert.match(pinned.see({ name: "one too many" }, undefined, rules) ?? "", /2000/);
  assert.equal(pinned.see({ name: "t0" }, undefined, rules), undefined);
});

test("tells servers and tools apart whatever their names hold", () => {
  const pinned = createPinnedTools();
  pinned.see({ name: 'b","c' }, "a", RULES);
  assert.equal(pinned.see({ name: "c", x: 1 }, 'a","b', RULES), undefined);
  assert.equal(pinned.see({ name: "__proto__" }, "a", RULES), undefined);
});

test("keeps back names of another server that differ by case and separators alone, or by a letter beside", () => {
  for (const other of ["listFiles", "listfiles", "LIST_FILES", "list-files", "list.files", "ListFile"]) {
    const pinned = createPinnedTools();
    pinned.see({ name: "list_files" }, "a", RULES);
    assert.match(pinned.see({ name: other }, "b", RULES) ?? "shown", /looks like/, other);
  }
  const pinned = createPinnedTools();
  pinned.see({ name: "list_files" }, "a", RULES);
  for (const other of ["listFolders", "files_list", "lists", "—"]) assert.equal(pinned.see({ name: other }, "b", RULES), undefined, other);
  assert.equal(pinned.see({ name: "listFiles" }, "a", RULES), undefined);
  assert.equal(createPinnedTools().see({ name: "listFiles" }, "b", RULES), undefined);
});
