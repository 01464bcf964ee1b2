import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

test("finds what is assigned in code, configs and prose, whatever the operator, the type or the quotes", () => {
  for (const [text, secret] of [
    ["DB_PASSWORD=hunter2x", "hunter2x"],
    ["config['apiKey'] = 'f15e8a7bc2'", "f15e8a7bc2"],
    ['os.environ["API_KEY"] = "f15e8a7bc2"', "f15e8a7bc2"],
    ['const password: string = "Winter2024";', "Winter2024"],
    ['pub const SECRET: &\'static str = "f15e8a7bc2";', "f15e8a7bc2"],
    ['var apiKey string = "f15e8a7bc2"', "f15e8a7bc2"],
    ['static const char password[] = "hunter2x";', "hunter2x"],
    ['string token = @"f15e8a7bc2";', "f15e8a7bc2"],
    ['if (password == "hunter2x") {', "hunter2x"],
    ["API_KEY ?= f15e8a7bc2d4", "f15e8a7bc2d4"],
    [":secret => 'f15e8a7bc2'", "f15e8a7bc2"],
    ["the password is: hunter2x", "hunter2x"],
    ["Passwort: Geheim2024!", "Geheim2024!"],
    ["password = 'пароль7х'", "пароль7х"],
    ["$PASSWORD = '631893920654'", "631893920654"],
    ["Authorization: Token 9944b09199c62bcf", "9944b09199c62bcf"],
  ] as const) {
    assert.deepEqual(found(text), [`assignment: ${secret}`], text);
  }
});

test("finds the value beside a name, before or after it, and not that of another entry", () => {
  for (const text of [
    '{"name":"API_KEY","value":"f15e8a7bc2"}',
    '{"value":"f15e8a7bc2","name":"API_KEY"}',
    '<add key="API_KEY" value="f15e8a7bc2"/>',
    "- name: API_KEY\n  value: f15e8a7bc2\n",
    'env {\n  name = "API_KEY"\n  value = "f15e8a7bc2"\n}',
  ]) {
    assert.deepEqual(found(text), ["assignment: f15e8a7bc2"], text);
  }
  assert.deepEqual(found('[{"name":"API_KEY"},{"name":"user","value":"f15e8a7bc2"}]'), []);
  assert.deepEqual(found("- name: API_KEY\n- name: user\n  value: f15e8a7bc2\n"), []);
});

test("leaves types, comparisons with names, parameters and calls alone", () => {
  for (const text of [
    "password: Optional[str] = None",
    "token: string | undefined = undefined",
    "if (password !== confirmation) return;",
    "WHERE password = :password",
    "const token = req.headers['x-api-key']",
    "console.log('password:', password);\n",
    "password: hunter",
    "the password is: required",
    "passwordMinLength: 12",
  ]) {
    assert.deepEqual(found(text), [], text);
  }
});
