import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brokenLinks } from "./links.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every page of the project, by path. */
function pages(): Map<string, string> {
  const found = ["src", "test", "spec", "examples"].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path.replaceAll("\\", "/")}`));
  const top = readdirSync(root);
  return new Map([...top, ...found].filter((path) => path.endsWith(".md") && !path.includes("node_modules/")).map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

test("pages link to files and headings that are there", () => {
  assert.deepEqual(brokenLinks(pages(), (path) => existsSync(join(root, path))), []);
});

test("links that lead nowhere are told", () => {
  const all = new Map([
    ["a.md", "# A `b`\n[1](b/c.md) [2](b/c.md#one-two) [3](b/c.md#three) [4](#a-b) [5](d.md) [6](https://x.example) `[7](gone)`\n```\n[8](gone)\n```\n"],
    ["b/c.md", "## One, two\n[1](../a.md) [2](../e)\n"],
  ]);
  assert.deepEqual(brokenLinks(all, (path) => all.has(path)), ["a.md: b/c.md#three", "a.md: d.md", "b/c.md: ../e"]);
});
