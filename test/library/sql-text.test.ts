import assert from "node:assert/strict";
import { test } from "node:test";
import { breaksOutOfValue, stacksStatements } from "../../src/library/sql-text.ts";

test("sees a second statement, however it is set off", () => {
  const stacked = ["SELECT 1; DROP TABLE x", "select 1;drop table x", "x;\n\n-- y\n /* z */ COMMIT; DROP", "SELECT ';'; DELETE FROM x", "SELECT 'a\\'; DROP TABLE x; --'", "SELECT 'a\\'b'; DROP TABLE x", "SELECT 1 -- ;\n; DROP TABLE x", "select 1--1; drop table x", "select 1 # 2; drop table x", "/*!1; drop table x*/", "SELECT 1;;; INSERT INTO x", "/* /* */ ; drop table x */"];
  for (const text of stacked) assert.equal(stacksStatements(text), true, text);
});

test("sees a condition after or and and that compares nothing", () => {
  const out = ["1 or true", "1 or 1", "1 or (1)", "1 or not 0", "1 or x is null", "1 or x is not null", "1 or 1 in (1)", "1 or x not in (0)", "1 or 1 between 0 and 2", "1 or x between y and z", "1 or exists(select 1)", "1 or exists (select 1)", "1 and false", "1 AND 0", "1 xor 1", "1 || 1", "1||true", "1 && 0", "1 or -1", "1 or ~0", "1 or !0", "1 or 'a'", "1 or(1)", "1or 1", "1\nor\t1", "1 or x like '%'", "1 or x like x", "1 or not not 1", "1 or length(x)", "1 or @@version", "1 or null", "x or case when 1 then 1 end"];
  for (const text of out) assert.equal(breaksOutOfValue(text), true, text);
  const values = ["rock and roll", "a or b", "black and white, or not", "R and D (lab)", "this-or-1", "tom-and-3-cats", "floor 2", "vendor 3", "Portland, OR", "oregon 1", "cats and dogs like food", "a and b in common", "either/or", "and", "or", "salt and pepper is nullable", "Smith & Sons", "true", "id4"];
  for (const text of values) assert.equal(breaksOutOfValue(text), false, text);
});

test("takes semicolons in strings, names, comments and prose for what they are", () => {
  const single = ["SELECT 1;", "SELECT ';DROP TABLE x'", 'SELECT "a;drop"', "SELECT `a;drop`", "SELECT 'it''s; drop'", "SELECT 1 -- ; drop\n", "SELECT 1 /* ; drop */", "cats; dogs", "a; selection", "don't; worry", "", ";", "SELECT 1; -- done"];
  for (const text of single) assert.equal(stacksStatements(text), false, text);
});

test("sees what breaks out of one value", () => {
  const out = ["1 OR 1=1", "' OR ''='", "1' or '1' = '1", "x') or ('a'='a", "1; DROP TABLE x", "admin'--", "admin' #", "1/**/or/**/1=1", "1 UNION SELECT password FROM users", "1 union all select 1", "1 and sleep(5)", "'; waitfor delay '0:0:5'--", "id; select 1", "name desc -- x", "1 or not x = y"];
  for (const text of out) assert.equal(breaksOutOfValue(text), true, text);
  const values = ["42", "name DESC, age", "O'Brien", "user--123", "c0ffee00-1234-4abc-8def-000000000000", "rock and roll", "a or b", "Union Square", "public.users", "created_at", "#1", "sleep well (really)", "5' tall", "a;b"];
  for (const text of values) assert.equal(breaksOutOfValue(text), false, text);
});
