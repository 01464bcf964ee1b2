import assert from "node:assert/strict";
import { test } from "node:test";
import { formsOf, isOneEditAway, mixesScripts } from "../../src/library/look-alike.ts";

const alike = (left: string, right: string) => formsOf(left).some((form) => formsOf(right).includes(form));

test("sees names that look alike by case, accents, hidden characters and letters of other scripts", () => {
  for (const other of ["Read_File", "read_fi\u200ble", "read_file\u{e0061}", "rеad_file", "reаd_filе", "ｒead_file", "réad_file", "read\u2060_file", "read_fiӏe", "read_fi\ufe0fle", "read_fIle", "read_fi1e"]) {
    assert.equal(alike("read_file", other), true, JSON.stringify(other));
  }
  assert.equal(alike("g00gle", "google"), true);
  for (const other of ["write_file", "read_files", "read-file", "reed_file", "読む"]) assert.equal(alike("read_file", other), false, other);
});

test("sees names that are one edit apart, if they are long enough", () => {
  for (const other of ["read_fil", "read_files", "reed_file", "read_flie", "xread_file", "read-file"]) assert.equal(isOneEditAway("read_file", other), true, other);
  for (const other of ["read_file", "reed_fill", "read_fi", "file_read"]) assert.equal(isOneEditAway("read_file", other), false, other);
  assert.equal(isOneEditAway("read", "reed"), false);
  assert.equal(isOneEditAway("step_1", "step_2"), false);
  assert.equal(isOneEditAway("step_1", "step_"), false);
});

test("sees words that mix scripts, and leaves names of one script or several words alone", () => {
  for (const name of ["rеad", "get_pаyments", "αdmin"]) assert.equal(mixesScripts(name), true, name);
  for (const name of ["read_file", "читать_файл", "get_файл", "λ_eval", "読むfile", "résumé", "файл2"]) assert.equal(mixesScripts(name), false, name);
});
