import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { examplesIn, steady, strayLines, withOutputs } from "../support/pages.ts";
import { VERBS } from "./all-verbs.ts";
import { README, runExamples } from "./readme-examples.ts";

const text = readFileSync(README, "utf8");
const names = [...VERBS.map(({ name }) => name), "completion"];

describe("the README of the command line", () => {
  it("has a row and a section with an example for each verb, in the order of the help", () => {
    const rows = [...text.matchAll(/^\| \[`([a-z-]+)`\]\(#([a-z-]+)\) \| (.*) \|$/gm)];
    assert.deepEqual(rows.map(([, name]) => name), names);
    for (const [, name, anchor, summary] of rows) {
      assert.equal(anchor, name);
      const verb = VERBS.find((one) => one.name === name);
      if (verb !== undefined) assert.equal(summary, verb.summary);
    }
    const sections = text.split(/^## /m).slice(1).filter((section) => names.includes(section.split("\n")[0] ?? ""));
    assert.deepEqual(sections.map((section) => section.split("\n")[0]), names);
    for (const section of sections) assert.match(section, /^```sh\n[^]*?mcp-interceptors /m);
  });

  it("shows what its examples print; test/cli/write-readme.ts writes it anew", { skip: process.platform === "win32" ? "the examples are for sh" : false }, async () => {
    const { examples } = examplesIn(text);
    const printed = await runExamples(text);
    assert.equal(printed.length, examples.length);
    for (const [index, { command, shown }] of examples.entries()) assert.equal(steady(printed[index] ?? ""), steady(shown), command);
  });

  it("has no more to it than was printed, however it is written anew", () => {
    assert.deepEqual(strayLines(text), []);
    const page = "```jsonc a.json\n{}\n```\n\n```sh\nx\n```\n\n```text\nold\n```\n\n```sh\ny\n```\n";
    assert.deepEqual([...examplesIn(page).files], [["a.json", "{}\n"]]);
    assert.deepEqual(examplesIn(page).examples, [{ command: "x\n", shown: "old\n" }, { command: "y\n", shown: "" }]);
    assert.equal(withOutputs(page, ["new\n", "none\n"]), page.replace("old", "new"));
  });
});
