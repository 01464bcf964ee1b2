import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

test("finds what elements of XML hold, by their own name, their attributes, or the element before", () => {
  for (const text of [
    "<password>Winter2024!</password>",
    "<ns2:Password>Winter2024!</ns2:Password>",
    '<entry key="db.password">Winter2024!</entry>',
    "<name>fs.secret</name>\n  <value>Winter2024!</value>",
    '<setting name="DbPassword" serializeAs="String"><value>Winter2024!</value></setting>',
    "<key>password</key>\n<string>Winter2024!</string>",
  ]) {
    assert.deepEqual(found(text), ["assignment: Winter2024!"], text);
  }
  for (const text of ["<password></password>", "<token>string</token>", "<label>password</label><value>8 to 64 characters</value>"]) assert.deepEqual(found(text), [], text);
});

test("finds what flags and commands are given, where the command is one that takes a password so", () => {
  for (const [text, secret] of [
    ["tool --api-key f15e8a7bc2 --verbose", "f15e8a7bc2"],
    ['["--token", "f15e8a7bc2"]', "f15e8a7bc2"],
    ["serve -password hunter2x", "hunter2x"],
    ["sshpass -p 'S3cr3t!' ssh root@h", "S3cr3t!"],
    ["mysql -u root -pS3cret9 shop", "S3cret9"],
    ["docker login -u ann -p Tr0ub4dor", "Tr0ub4dor"],
    ["curl -u ann:Pa55word https://h.example", "Pa55word"],
    ["curl --user ann:Pa55word https://h.example", "Pa55word"],
  ] as const) {
    assert.deepEqual(found(text), [`assignment: ${secret}`], text);
  }
  for (const text of ["ssh -p 2222 h", "docker run -p 8080:80 nginx", "mysql -p -u root shop1", "--password-stdin", "--token TOKEN", "--token $TOKEN2", "curl -u ann: https://h1.example"]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("finds what SQL, .netrc and calls are given", () => {
  for (const [text, secret] of [
    ["CREATE USER ann WITH PASSWORD 'Zx9!kk2p';", "Zx9!kk2p"],
    ["ALTER LOGIN sa WITH PASSWORD = N'P@ssw0rd'", "P@ssw0rd"],
    ["GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY 'S3cret99'", "S3cret99"],
    ["machine h.example\n  login ann\n  password hunter2x\n", "hunter2x"],
    ["#define API_KEY \"f15e8a7bc2\"", "f15e8a7bc2"],
    ["define('API_SECRET', 'f15e8a7bc2');", "f15e8a7bc2"],
    ['headers.set("X-Api-Key", "f15e8a7bc2")', "f15e8a7bc2"],
  ] as const) {
    assert.deepEqual(found(text), [`assignment: ${secret}`], text);
  }
  for (const text of ["the password 'must' be long", '("password", "token")', "bindkey '\\e[1~' home", "a password resets it"]) assert.deepEqual(found(text), [], text);
});

test("finds passwords in what surrounds them in mails, pages, settings and code, and no words there", () => {
  for (const form of [
    ...["**Password:** V", "**Password**: `V`", "Password: **V**", "<b>Password:</b> V", "<b>Password</b>: V", "<tr><th>Password</th><td>V</td></tr>", "<dt>Password</dt>\n<dd>V</dd>"],
    ...["password: |\n  V\n", "password: |-\n  V\n", "password: >-\n  V\n", "args:\n  - --password\n  - V\n"],
    ...['ds.setPassword("V");', "Settings(password=SecretStr('V'))", 'process.env.DB_PASSWORD || "V"', 'env["DB_PASSWORD"] ?? "V"', 'public string Password { get; set; } = "V";', 'Dim password As String = "V"', 'password <- "V"'],
    ...[" user | password \n------+---------\n ada  | V\n(1 row)", "+------+----------+\n| user | password |\n+------+----------+\n| ada  | V |\n+------+----------+"],
    ...["ENV POSTGRES_PASSWORD V\n", "SetEnv DB_PASSWORD V", 'Content-Disposition: form-data; name="password"\r\n\r\nV\r\n--x', "PW=V", "pw: V", "&quot;password&quot;:&quot;V&quot;"],
    ...["password for admin is V", "Das neue Kennwort ist V.", "Ihr Passwort lautet: V", "Le mot de passe est V", "Su contraseña es V", "Sua senha é V", "La password è V", "Je wachtwoord is V"],
    ...["Ваш пароль — V", "密码是V。", "密码为 V", "パスワードはVです", "비밀번호는 V입니다", "Parolanız: V"],
  ]) {
    assert.deepEqual(found(form.replace(/\bV\b/, "Tr0ub4dor565x")), ["assignment: Tr0ub4dor565x"], form);
  }
  for (const harmless of [
    ...["**Password:** required", "**Password:** 8 characters", "Password: **hidden**", "<b>Password:</b> see below", "<th>Password</th><td>string</td>", "<th>Password</th><th>Updated2x</th>", "password: |\n  see below\n"],
    ...["args:\n  - --password\n  - --force1234\n", "- --password\n- required\n", 'checkPassword("Tr0ub4dor565x1", user)', 'form.setPassword("");', 'process.env.DB_PASSWORD || ""', 'password ?? "none"', 'string Password { get; set; } = "";'],
    ...[" user | password \n------+---------\n ada  | varchar(64)\n", "ENV PASSWORD_FILE /run/secrets/pw1", "ENV POSTGRES_PASSWORD\n", "?pw=1280&ph=720", 'Content-Disposition: form-data; name="file1"\r\n\r\nTr0ub4dor565x\r\n--x'],
    ...["Das Passwort ist falsch!", "Das Passwort ist 8-stellig", "Le mot de passe est obligatoire !", "La contraseña es obligatoria", "La password è errata", "密码是8位以上", "パスワードは8文字以上です", "비밀번호는 8자 이상입니다", "the password for admin is required"],
  ]) {
    assert.deepEqual(found(harmless), [], harmless);
  }
});
