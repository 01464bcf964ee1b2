import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readmeFaults, withNumbers } from "./readme-numbers.ts";
import { allNumbers, QUOTING_FILES, README_FILE, readResults, withResults } from "./results.ts";

const NUMBERS = {
  ratio: { value: 8.449, unit: "×", what: "a ratio" },
  even: { value: 2.5, unit: "µs", what: "a time" },
} as const;

describe("readmeFaults", () => {
  test("accepts a number at whatever precision it is printed", () => {
    for (const printed of ["8.449", "8.45", "8.4", "8"]) {
      assert.deepEqual(readmeFaults(`It is <!-- bench:ratio -->${printed}<!-- /bench --> times as fast.`, NUMBERS), []);
    }
  });

  test("accepts either neighbour of what lies between", () => {
    assert.deepEqual(readmeFaults("<!-- bench:even -->2<!-- /bench --> <!-- bench:even -->3<!-- /bench -->", NUMBERS), []);
  });

  test("names each number that was not measured", () => {
    const text = "<!-- bench:ratio -->8.5<!-- /bench --> <!-- bench:ratio -->8.4<!-- /bench --> <!-- bench:ratio -->9<!-- /bench -->";
    assert.deepEqual(readmeFaults(text, NUMBERS), ["bench:ratio says 8.5, and 8.449 was measured", "bench:ratio says 9, and 8.449 was measured"]);
  });

  test("names an unknown key, those of prototypes included", () => {
    for (const key of ["speed", "toString", "__proto__", ""]) {
      assert.deepEqual(readmeFaults(`<!-- bench:${key} -->8<!-- /bench -->`, NUMBERS), [`bench:${key} is no key of results.json`]);
    }
  });

  test("names what is no plain number", () => {
    for (const printed of ["", "about 8", "8.4×", "8e0", "-8", " 8.4"]) {
      assert.equal(readmeFaults(`<!-- bench:ratio -->${printed}<!-- /bench -->`, NUMBERS).length, 1, printed);
    }
  });

  test("names markers that are not closed, and closings of nothing", () => {
    const good = "<!-- bench:ratio -->8.4<!-- /bench -->";
    for (const bad of ["<!-- bench:ratio -->8.4", "<!-- bench:ratio 8.4<!-- /bench -->", "8.4<!-- /bench -->"]) {
      assert.notDeepEqual(readmeFaults(`${bad}\n${good}`, NUMBERS), [], bad);
      assert.notDeepEqual(readmeFaults(`${good}\n${bad}`, NUMBERS), [], bad);
    }
  });
});

describe("the READMEs", () => {
  test("quote what the last run has measured", () => {
    for (const file of QUOTING_FILES) {
      const text = readFileSync(file, "utf8");
      assert.match(text, /<!-- bench:\w/, file);
      assert.deepEqual(readmeFaults(text, allNumbers(readResults())), [], file);
    }
  });

  test("show the table of the last run, and what its curves say", () => {
    const text = readFileSync(README_FILE, "utf8");
    for (const block of ["results", "curves"]) assert.match(text, new RegExp(`<!-- ${block} -->\n.+`));
    assert.equal(text, withResults(text, readResults()));
  });
});

test("a run writes its numbers into the markers, at the precision that is printed there", () => {
  const numbers = { a: { value: 8.449, unit: "×", what: "" }, b: { value: 12.6, unit: "×", what: "" } } as const;
  const text = "x <!-- bench:a -->1.0<!-- /bench --> <!-- bench:b -->9<!-- /bench --> <!-- bench:c -->1<!-- /bench -->";
  const filled = withNumbers(text, numbers);
  assert.equal(filled, "x <!-- bench:a -->8.4<!-- /bench --> <!-- bench:b -->13<!-- /bench --> <!-- bench:c -->1<!-- /bench -->");
  assert.deepEqual(readmeFaults(filled, numbers), ["bench:c is no key of results.json"]);
});
