import assert from "node:assert/strict";
import { test } from "node:test";
import { createFindSecrets } from "../../../src/library/secrets/scan.ts";
import { seededRandom } from "../../support/random.ts";
import { ALNUM, chars } from "../corpus/tokens.ts";
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

test("finds phrases, numbers and lists in JSON, and no sentences, rules, types or counts", () => {
  for (const [text, ...secrets] of [
    ['{"password":"correct horse battery staple"}', "correct horse battery staple"],
    ['{\\"passphrase\\": \\"correct horse battery staple\\"}', "correct horse battery staple"],
    ['{"password": 123456, "a": 1}', "123456"],
    ['{"password": ["hunter2",\n  "Tr0ub4dor&3"]}', "hunter2", "Tr0ub4dor&3"],
    ['{\\"apiKey\\":[\\"f15e8a7bc2\\"]}', "f15e8a7bc2"],
  ] as const) {
    assert.deepEqual(found(text), secrets.map((secret) => `assignment: ${secret}`), text);
  }
  for (const text of [
    '{"password":"Enter a new password here"}',
    '{"password":"the code that we sent you"}',
    '{"password":"string"}',
    '{"type":"password"}',
    '{"password":["required","min:8","confirmed"]}',
    '{"api_key":["read:pets","write:pets"]}',
    '{"pass": 1532, "fail": 3}',
    '{"pin": 1234}',
    '{"password":{"type":"string","minLength":8}}',
    '{"password": true}',
    "password = [item1, item2]",
  ]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("goes by one rule for short values, however they are assigned", () => {
  for (const [name, value, tight, loose] of [
    ["password", "1a!", false, false],
    ["password", "1234", true, false],
    ["password", "ab12", true, false],
    ["password", "abcd", false, false],
    ["password", "abc1234", true, true],
    ["password", "123456", true, true],
    ["api_key", "a1b2c3d", false, false],
    ["api_key", "a1b2c3d4", true, false],
    ["api_key", "a1b2c3d4e5", true, true],
    ["api_key", "12345678", false, false],
  ] as const) {
    for (const text of [`${name}=${value}`, `{"${name}":"${value}"}`, `{"${name}": "${value}"}`]) assert.equal(found(text).length === 1, tight, text);
    for (const text of [`${name}: ${value}\nnext`, `X-${name}: ${value}\r\nHost: h`]) assert.equal(found(text).length === 1, loose, text);
  }
});

test("finds values of any length, and leaves long texts, code and data in other scripts alone", () => {
  const random = seededRandom(5);
  for (const length of [200, 254, 255, 256, 257, 300, 1_000, 65_536, 70_000]) {
    const secret = chars(random, ALNUM, length - 2) + "a1";
    for (const [before, after] of [
      ["AWS_SESSION_TOKEN=", "\nnext"],
      ["access_token=", "&state=x"],
      ["https://example.com/cb?access_token=", ""],
      ['{"refresh_token": "', '", "a": 1}'],
      ['{\\"access_token\\":\\"', '\\"}'],
      ["password=", ""],
      ["client_secret: ", "\n"],
      ["<token>", "</token>"],
      ["curl --token ", " https://example.com"],
    ]) {
      assert.ok(
        createFindSecrets()(`${before}${secret}${after}`).some(({ start, end }) => start === before!.length && end === start + length),
        `${before} ${length}`,
      );
    }
  }
  for (const part of ["two words of 2 or 3 letters, ", "f(a1,b2);", "如何设置密码abc12"]) assert.deepEqual(found(`"token":"${part.repeat(30)}"`), [], part);
});

test("finds passwords under their names in other languages, keys of Rails, and users with passwords in Base64", () => {
  const basic = "YW5uOmh1bnRlcjI=";
  for (const [text, secret] of [
    [`secret_key_base: ${"3f9a".repeat(32)}\n`, "3f9a".repeat(32)],
    [`//registry.example.com/:_auth=${basic}\n`, basic],
    [`{"auths":{"h.example":{"auth":"${basic}"}}}`, basic],
    ["mot de passe : hunter2x", "hunter2x"],
    ["Mot de passe: hunter2x", "hunter2x"],
    ["Contraseña: hunter2x", "hunter2x"],
    ["senha: hunter2x", "hunter2x"],
    ["wachtwoord: hunter2x", "hunter2x"],
    ["lösenord: hunter2x", "hunter2x"],
    ["MOT DE PASSE : hunter2x", "hunter2x"],
    ["heslo=hunter2x", "hunter2x"],
    ["hasło: hunter2x", "hunter2x"],
    ["salasana: hunter2x", "hunter2x"],
    ["κωδικός πρόσβασης: hunter2x", "hunter2x"],
    ["kata sandi: hunter2x", "hunter2x"],
    ["סיסמה: hunter2x", "hunter2x"],
    ["Пароль: hunter2x", "hunter2x"],
    ["密码：hunter2x。", "hunter2x"],
    ["密码: hunter2x", "hunter2x"],
    ['{"パスワード":"hunter2"}', "hunter2"],
    ["パスワード：hunter2x", "hunter2x"],
  ] as const) {
    assert.deepEqual(found(text), [`assignment: ${secret}`], text);
  }
  for (const text of ["mot de passe : au moins 12 signes", "密码：至少需要8个字符", "contraseña: mínimo 8", '"auth": "basicauthentication"', "auth=none", "path: /a/b2c3d4", "comtraseña: hunter2x", "Engenha: hunter2x", "parolacc: hunter2x", "vehesla: h2x4y6z", "colla: hunter2x", "sandi: hunter2x", "code: hunter2x"]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("finds passwords under their names in other languages, with accents in one with their letters or apart", () => {
  for (const name of ["mật khẩu", "contraseña", "lösenord", "κωδικός πρόσβασης", "συνθηματικό", "パスワード", "비밀번호", "암호", "jelszó", "parolă", "şifre"]) {
    for (const form of ["NFC", "NFD"]) {
      for (const text of [`${name}: Tr0ub4dor672x`, `"${name}": "Tr0ub4dor672x"`, `${name.charAt(0).toUpperCase()}${name.slice(1)} : Tr0ub4dor672x`]) assert.deepEqual(found(text.normalize(form)), ["assignment: Tr0ub4dor672x"], `${form} ${text}`);
      assert.deepEqual(found(`${name}: 8`.normalize(form)), []);
    }
  }
});
