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
