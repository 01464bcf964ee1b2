import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { PINNED, type EntryPointNames } from "../structure/exports.ts";
import { emitDeclarations, ENTRY_MODULES, type Declarations, type Declared } from "./declarations.ts";

const page = readFileSync(new URL("../../src/MIGRATION.md", import.meta.url), "utf8");
const pinned = JSON.parse(readFileSync(PINNED, "utf8")) as Record<string, EntryPointNames>;
// Values on the wire and words of a configuration, which are nobody's names.
const WORDS = new Set(["active", "audit", "error", "warn", "info", "sink", "type", "ambiguous", "conflict", "refused", "events", "phase", "both"]);

/** What tables say of this package: all of their columns but the first, and those that are headed “there”. */
function namesIn(text: string): string[] {
  const found: string[] = [];
  let ours: number[] = [];
  for (const line of text.split("\n")) {
    const cells = line.split("|").slice(1, -1).map((cell) => cell.trim());
    if (cells.length === 0) ours = [];
    else if (ours.length === 0) ours = cells.flatMap((heading, index) => (index > 0 && heading !== "there" ? [index] : []));
    else for (const index of ours) for (const [, name = ""] of (cells[index] ?? "").matchAll(/`([A-Za-z]\w*(?:\.\w+)?)`/g)) found.push(name);
  }
  return found;
}

describe("the notes for those who come from another SDK", () => {
  let declarations: Declarations;
  before(() => (declarations = emitDeclarations()));

  /** The declarations that a public name has in the entry points. */
  const publicly = (name: string): Declared[] =>
    [...ENTRY_MODULES].flatMap(([entry, file]) => {
      const { values = [], types = [] } = pinned[entry] ?? {};
      const declared = values.includes(name) || types.includes(name) ? declarations.exported(file, name) : undefined;
      return declared === undefined ? [] : [declared];
    });
  /** Whether a declaration, or one that it extends, has a member. */
  const has = (declared: Declared, member: string): boolean =>
    new RegExp(`^\\s+(?:readonly )?${member}\\??[(:]`, "m").test(declared.code) ||
    [...(/ extends ([^{]*)/.exec(declared.code)?.[1] ?? "").matchAll(/\w+/g)].some(([base]) => {
      const found = declarations.named(declared.file, base);
      return found !== undefined && has(found, member);
    });
  const unknown = (names: readonly string[]): string[] =>
    names.filter((full) => {
      const [name = "", member] = full.split(".");
      if (WORDS.has(full)) return false;
      return !publicly(name).some((declared) => member === undefined || has(declared, member));
    });

  it("name what this package exports, and members that it has", () => {
    const names = namesIn(page);
    assert.ok(names.length > 100, `${names.length} names`);
    assert.deepEqual(unknown(names), []);
  });

  it("would be found out by a name or a member that is gone", () => {
    const table = "| there | here | and |\n|---|---|---|\n| `theirs` | `validator`, `gone` | `Chain.execute`, `Chain.run` |\n";
    assert.deepEqual(namesIn(table), ["validator", "gone", "Chain.execute", "Chain.run"]);
    assert.deepEqual(unknown(namesIn(table)), ["gone", "Chain.run"]);
  });
});
