import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "../linear.ts";
import { found } from "./found.ts";

const UUID = "4b3e2a1c-1111-2222-3333-444455556666";
const TEAMS = `${UUID}@${UUID.replace("4b", "9a")}/IncomingWebhook/0a1b2c3d4e5f60718293a4b5c6d7e8f9/${UUID}`;
const DISCORD = "aBcD3fGh1jKlMn0pQrStUvWxYz-aBcD3fGh1jKlMn0pQrStUvWxYz_aBcD3fGh1jKlMn";

function assertFound(cases: readonly (readonly [text: string, ...secrets: string[]])[]): void {
  for (const [text, ...secrets] of cases) assert.deepEqual(found(text).map((match) => match.slice(match.indexOf(": ") + 2)), secrets, text);
}

function assertNone(texts: readonly string[]): void {
  for (const text of texts) assert.deepEqual(found(text), [], text);
}

test("finds secrets beside their names in tables, and below them", () => {
  assertFound([
    ["| user | ada |\n| password | hunter2x |", "hunter2x"],
    ["| **API key** | x |\n| `api_key` | `Zx9kq27Bvt4L` |", "Zx9kq27Bvt4L"],
    ["| user | password |\n|---|:--|\n| ada | hunter2x |\n| bob | s3cr3tPw |", "hunter2x", "s3cr3tPw"],
    ["user | password\n--- | ---\nada | hunter2x", "hunter2x"],
    ["user,password\nada,hunter2x\nbob,s3cr3tPw\n", "hunter2x", "s3cr3tPw"],
    ["password,user\r\nhunter2x,ada\r\n", "hunter2x"],
    ['"user","password","note"\n"Lovelace, Ada","hunter2x","-"', "hunter2x"],
    ["user\tpassword\tapi_token\nada\thunter2x\tZx9kq27Bvt4L", "hunter2x", "Zx9kq27Bvt4L"],
    ["user;password\nada;hunter2x", "hunter2x"],
    ["| password | **qwe*rty9*** |\n| passwd | qwerty98* |", "qwe*rty9*", "qwerty98*"],
    ["| user | password |\n|---|---|\n| ada | qwerty98* |", "qwerty98*"],
  ]);
});

test("leaves tables about secrets alone", () => {
  assertNone([
    "| Field | Type |\n|---|---|\n| password | varchar(255) |\n| token | string |",
    "| password | 8-64 characters |\n| token | optional |\n| pass | 1532 |\n| last_password | 2024-01-01T10:00:00Z |",
    "| Name | Password |\n|---|---|\n| ada | required |\n| bob | P1 |",
    "| reset password | hunter2x |",
    "user,password\nada,required\nbob,none",
    "Forget the token, password,\nand user2x, hunter2x",
    "The name, password\nada, hunter2 is his dog",
    "import { token,\n  reader2x } from 'a'",
    "passwords: 3, tokens: 4,\nusers2: 5, names3: 6",
    "| next token | abc123def456 | max_tokens | 4096x1 |",
  ]);
});

test("finds the password of a line of .pgpass", () => {
  assertFound([
    ["db.example.com:5432:app:ada:hunter2x", "hunter2x"],
    ["# mine\n*:*:*:postgres:s3cr3tpw\n", "s3cr3tpw"],
    ["localhost:5432:*:ada:correcthorse\r\n", "correcthorse"],
    ["10.0.0.5:6432:app:ada:hun\\:ter2x", "hun\\:ter2x"],
  ]);
  assertNone(["12:30:45:10:20", "main.go:1234:error:TS2345:unused", "ports: 8080:80:tcp:x:y", "http://h:5432:app:ada:x", "db:5432:app:ada:${PASSWORD}", "see db.example:5432:app:ada:hunter2x for it", "2026-07-28T10:11:12.345Z"]);
});

test("finds hooks of Teams, Slack and Discord by their addresses", () => {
  const slack = "T0ABCDEF1/A0ABCDEF2/123456789012345678/aBcD3fGh1jKlMn0pQrStUvWx";
  assertFound([
    [`https://contoso.webhook.office.com/webhookb2/${TEAMS}`, TEAMS],
    [`https://outlook.office365.com/webhook/${TEAMS}?x`, TEAMS],
    [`https://hooks.slack.com/workflows/${slack}`, slack],
    [`https://discord.com/api/webhooks/123456789012345678/${DISCORD}`, DISCORD],
    [`https://ptb.discord.com/api/v10/webhooks/123456789012345678/${DISCORD}`, DISCORD],
  ]);
  assertNone([`https://contoso.webhook.office.com/webhookb2/${UUID}`, "https://hooks.slack.com/workflows/T00000000/A00000000/000000000000000000/XXXXXXXXXXXXXXXXXXXXXXXX", `https://discord.com/channels/123456789012345678/123456789012345678`, "https://discord.com/api/webhooks/123456789012345678/{token}"]);
});

test("finds keys of PuTTY, curl's --user= and a password in the line below its name", () => {
  const body = "AAABAQCX9k2l3m4n5o6p7q8r9s0t1u2v3w4x\nQm9kcnM1=";
  const putty = (lines: string) => `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5AAAAIx\nPrivate-Lines: 2\n${lines}\nPrivate-MAC: x\n`;
  assert.ok(found(putty(body)).includes(`private-key: ${body}`));
  assertFound([["curl --user=ada:hunter2x h", "hunter2x"], ["curl --proxy-user ada:hunter2x h", "hunter2x"], ["Password:\nhunter2x", "hunter2x"], ["Your password:  \r\n   hunter2x  \nBye", "hunter2x"], ["api_key:\nZx9kq27Bvt4L\n", "Zx9kq27Bvt4L"]]);
  assertNone(["Private-Lines: 2\nof them", "curl --user=ada h", "password:\n  value1:", "password:\n  - item12", "password:\n  secretKeyRef:\n", "password:\nMust have 8 signs", "password:\n\nhunter2x", "token:\n  v1beta1"]);
});

test("takes time in proportion to the text", () => {
  assertLinear(found, "user,name\nada,word\n| a | token |\npassword: no, and so on\n", ["password,", "password|", "|password", "password\n", "password,x\n", "| password | x |\n", "|-|\n", "a,password\nb,x\n", "h:5432:a:b:", "h:*:", "*:", "Private-Lines: 2\nAAAA\n", "Private-Lines: ", "https://hooks.slack.com/workflows/T0ABCDEF1", "password:\n", "password:\nab1", " |", "\"", "password\",\""]);
});
