import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The numbers that there are. */
const NUMBERS = [
  ...[1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 22, 24, 25, 27, 28, 29, 30, 32, 33, 35, 36, 37, 39, 40, 42, 43, 44, 45, 46, 47, 49, 50],
  ...[52, 55, 56, 57],
];
const folder = fileURLToPath(new URL("..", import.meta.url));

interface Row {
  readonly number: string;
  readonly file: string;
  readonly name: string;
}

/** The rows of the table, each with the number above it where it has none of its own. */
function rowsOf(table: string): Row[] {
  let last = "";
  return [...table.matchAll(/^\| (\d*) \| [^|]* \| `([^`]+)` \| `([^|]+)` \|$/gm)].map(([, number = "", file = "", name = ""]) => ({ number: (last = number || last), file, name }));
}

/** What is wrong with a table: rows whose test is not there, and numbers without one. */
function casesProblems(table: string, numbers: readonly number[], sourceOf: (file: string) => string | undefined): string[] {
  const rows = rowsOf(table);
  const unread = table.split("\n").filter((line) => line.startsWith("|")).length - 2 - rows.length;
  const missing = rows.filter(({ file, name }) => {
    const source = sourceOf(file) ?? "";
    return !["test", "it"].some((call) => [`${call}("${name}"`, `${call}(\`${name}\``].some((text) => source.includes(text)));
  });
  const known = new Set(rows.map(({ number }) => Number(number)));
  return [
    ...(unread === 0 ? [] : [`${unread} rows cannot be read`]),
    ...missing.map(({ number, file, name }) => `case ${number}: ${file} has no test ${name}`),
    ...numbers.filter((number) => !known.has(number)).map((number) => `case ${number} has no test`),
    ...[...known].filter((number) => !numbers.includes(number)).map((number) => `there is no case ${number}`),
  ];
}

test("each case has tests, which are there under their names", () => {
  const sourceOf = (file: string) => (existsSync(`${folder}${file}`) ? readFileSync(`${folder}${file}`, "utf8") : undefined);
  assert.deepEqual(casesProblems(readFileSync(`${folder}cases.md`, "utf8"), NUMBERS, sourceOf), []);
});

test("a case without a test, a test that is not there, and a row that cannot be read are found", () => {
  const table = ["| case | what broke | file | test |", "|---:|---|---|---|", "| 1 | a | `a.test.ts` | `says a` |", "|  |  | `a.test.ts` | `says b` |", "| 4 | c | `c.test.ts` | `says c` |", "| 5 | d |"].join("\n");
  const source = 'test("says a", () => {});\n// it("says c")';
  assert.deepEqual(casesProblems(table, [1, 3], (file) => (file === "a.test.ts" ? source : undefined)), [
    "1 rows cannot be read",
    "case 1: a.test.ts has no test says b",
    "case 4: c.test.ts has no test says c",
    "case 3 has no test",
    "there is no case 4",
  ]);
});
