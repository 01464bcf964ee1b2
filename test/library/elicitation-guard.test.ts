import assert from "node:assert/strict";
import { test } from "node:test";
import { elicitationGuard } from "../../src/library/elicitation-guard.ts";
import { seededRandom } from "../support/random.ts";
import { jwt, pem, TOKENS } from "./corpus/tokens.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf } from "./verdict-of.ts";

const EVENT = "elicitation/create";
const guard = elicitationGuard();
const form = (properties: object, message = "Please fill in", one = guard) => verdictOf(one, { event: EVENT, phase: "request", payload: { message, requestedSchema: { type: "object", properties } } });
const link = (url: unknown, one = guard) => verdictOf(one, { event: EVENT, phase: "request", payload: { mode: "url", message: "Sign in with your password", url } });
const answer = (content: object, one = guard) => verdictOf(one, { event: EVENT, phase: "response", payload: { action: "accept", content } });

test("refuses a form that asks for a secret by the name, title, description or format of a field", () => {
  const fields = [
    { password: { type: "string" } },
    { "a/b_token": { type: "string" } },
    { x: { type: "string", title: "Your API key" } },
    { x: { type: "string", description: "The password of your account" } },
    { x: { type: "string", description: "Please enter the code that we use as your PIN" } },
    { x: { type: "string", format: "password" } },
    { cvv: { type: "number" } },
    { cardNumber: { type: "integer" } },
    { password: true },
    { password: { type: "number" } },
    { password: { type: "string", enum: [] } },
    { password: { oneOf: [{ type: "string" }, { type: "number" }] } },
    { account: { type: "object", properties: { password: { type: "string" } } } },
    { account: { allOf: [{ properties: { password: { type: "string" } } }] } },
    { x: { allOf: [{ type: "string", title: "Password" }] } },
    { list: { type: "array", items: { type: "string", title: "API key" } } },
    { "pass\u200bword": { type: "string" } },
    { x: { type: "string", title: "Your pass\u00adword" } },
    { x: { type: "string", writeOnly: true } },
    { pass: { type: "string" } },
    { userPass: { type: "string" } },
    { two_factor_code: { type: "string" } },
    { bearer: {} },
    { authorization: { type: "string" } },
    { x: { title: "Pass word" } },
    { x: { title: "<b>Pass</b><b>word</b>" } },
    { x: { title: "Pass&#119;ord" } },
    { "раssword": { type: "string" } },
    { x: { type: "string", title: "Ваш pа́sswοrd" } },
  ];
  for (const properties of fields) assert.match(form(properties), /^\/requestedSchema\/properties\/.*: A form asks for a secret$/, JSON.stringify(properties));
  assert.match(form({ "a/b_token": { type: "string" } }), /^\/requestedSchema\/properties\/a~1b_token: /);
  assert.match(form({ account: { allOf: [{ properties: { pin: {} } }] } }), /^\/requestedSchema\/properties\/account\/allOf\/0\/properties\/pin: /);
  for (const message of ["Password required", "A password is required.", "Your password, please", "Password:", "Please enter your pass\u200bword", "API key needed to go on", "Please enter your\n  password", "Sign in to go on\nPassword:", "Password for admin@host.example:", "[sudo] password for ada: ", "Enter your pass-word below", "Enter the 6-digit code from your authenticator app", "Type the 6-digit code that we sent to your phone", "<b>Pass</b><b>word</b>: please enter", "Please enter your p a s s w o r d"]) {
    assert.match(form({ value: { type: "string" } }, message), /^\/message: /, message);
    const schema = { type: "object", description: message, properties: { value: { type: "string" } } };
    assert.match(verdictOf(guard, { event: EVENT, phase: "request", payload: { message: "Hello", requestedSchema: schema } }), /^\/requestedSchema\/description: /, message);
  }
  assert.match(verdictOf(guard, { event: EVENT, phase: "request", payload: { message: "", requestedSchema: { allOf: [{ properties: { password: {} } }] } } }), /secret/);
  const required = (names: readonly unknown[], properties: object) => verdictOf(guard, { event: EVENT, phase: "request", payload: { message: "", requestedSchema: { type: "object", required: names, properties } as never } });
  assert.match(required(["name", "password"], { name: {} }), /^\/requestedSchema\/required\/1: /);
  assert.equal(required(["password", "name", 1], { password: { type: "boolean" } }), "pass");
  assert.equal(form({ value: { type: "string" } }, "Please enter your GitHub password"), "/message: A form asks for a secret");
});

test("lets forms pass that ask for other things", () => {
  const properties = {
    name: { type: "string" },
    email: { type: "string", format: "email", description: "Where to send the invoice; never your password" },
    max_tokens: { type: "integer", title: "Number of tokens" },
    remember_password: { type: "boolean" },
    secret: { type: "string", enum: ["keep", "rotate"] },
    token: { oneOf: [{ const: "a", title: "A" }] },
    token_type: { type: "string" },
    boarding_pass: { type: "string", title: "Boarding pass" },
    grade: { type: "string", title: "pass/fail" },
    passFail: { type: "string" },
    zip_code: { type: "string", description: "Zip code" },
    discount_code: { type: "string" },
    prior_authorization: { type: "string" },
    museum: { type: "string", title: "Pass for the museum" },
  };
  assert.equal(form(properties), "pass");
  assert.equal(form({ revoke: { type: "array", title: "Tokens to revoke", items: { type: "string", enum: ["ci", "dev"] } }, method: { anyOf: [{ const: "key", title: "API key" }] } }), "pass");
  for (const message of ["We never ask for your password.", "No password required", "Shall I rotate the API key?", "Password reset requested", "The API key is valid", "The token is expected to expire", "The API key is missing: open the settings?", "Enter the discount code that we sent by SMS", "Enter the zip code", "Paste the code that you sent", "Choose a boarding pass", "Which grade: pass or fail?", "Pick one:\nUse the API key for:", "Enter <b>your name</b><br>and go on", "We will never ask for the 6-digit code of your authenticator"]) assert.equal(form({}, message), "pass", message);
  assert.equal(verdictOf(guard, { event: EVENT, phase: "request", payload: { message: "Hello" } }), "pass");
});

test("takes fields from its config for harmless, with what the message says of them", () => {
  const lax = elicitationGuard({ fields: ["pin"] });
  assert.equal(form({ pin: { type: "string", title: "PIN" } }, "Enter the PIN of the map", lax), "pass");
  assert.match(form({ pin: { type: "string" }, other: { type: "string" } }, "Enter the PIN of the map", lax), /^\/message/);
  assert.match(form({ pins: { type: "string" } }, "", lax), /secret/);
});

test("bounds the fields of a form", () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: "string" }]));
  assert.equal(form(fields(20)), "pass");
  assert.match(form(fields(21)), /more than 20 fields/);
  assert.match(form({ all: { type: "object", properties: fields(20) } }), /more than 20 fields/);
  assert.match(form(fields(3), "", elicitationGuard({ maxFields: 2 })), /more than 2 fields/);
});

test("lets a URL lead by https to a public host, and nowhere else", () => {
  for (const url of ["https://accounts.example.com/login?x=1", "https://example.com:8443/", "https://пример.example/", "https://xn--e1afmkfd.example/", "https://xn--bcher-kva.example/", "https://8.8.8.8/"]) assert.equal(link(url), "pass", url);
  for (const url of ["https://gіthub.com/", "https://xn--gthub-n2e.com/login", "https://XN--GTHUB-N2E.com/", "https://login.xn--gthub-n2e.com./"]) assert.match(link(url), /mixes scripts/, url);
  for (const url of ["https://аррӏе.com/", "https://www.xn--80ak6aa92e.com/"]) assert.match(link(url), /looks like another/, url);
  assert.equal(link("https://сор.рус/"), "pass");
  for (const url of ["https://xn--gthub-.com/", "https://xn--99999999.com/", "https://xn--a-ё.com/", `https://xn--${"a".repeat(59)}9.com/`]) assert.match(link(url), /cannot be read/, url);
  for (const url of ["http://example.com", "https://localhost/", "https://10.0.0.1/", "https://2130706433/", "https://user@example.com", "https://exаmple.com/", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "/login", "", undefined, 5]) {
    assert.match(link(url), /^\/url: A URL /, String(url));
  }
});

test("lets a URL lead to the hosts of its config alone", () => {
  const few = elicitationGuard({ hosts: ["*.example.com", "localhost"] });
  assert.equal(link("https://a.example.com/", few), "pass");
  assert.equal(link("http://localhost:3000/", few), "pass");
  assert.match(link("https://example.org/", few), /not allowed/);
  assert.match(link("ftp://localhost/", few), /scheme/);
  assert.match(link("https://example.com", elicitationGuard({ hosts: [] })), /not allowed/);
  assert.throws(() => elicitationGuard({ hosts: ["a b"] }), { code: "invalid_argument", message: /hosts\[0\]/ });
});

test("refuses an answer that holds a secret", () => {
  const random = seededRandom(1);
  const secrets = ["4111 1111 1111 1111", "my ssn is 123-45-6789", pem(random, true), jwt(random), ...Object.values(TOKENS).map((make) => make(random))];
  for (const text of secrets) {
    assert.equal(answer({ note: text, list: ["a"] }), "/content/note: An answer holds a secret", text);
    assert.equal(answer({ list: ["ok", text] }), "/content/list/1: An answer holds a secret", text);
    assert.equal(answer({ note: text }, elicitationGuard({ answers: false })), "pass");
  }
  assert.equal(answer({ note: 4111111111111111 }), "/content/note: An answer holds a secret");
  assert.equal(answer({ "4111 1111 1111 1111": true }), "/content: An answer holds a secret");
  assert.equal(answer({ name: "Ada Lovelace", at: 1764500000000, age: 36, ok: true, phone: "+44 20 7946 0018", id: "c0ffee00-1234-4abc-8def-000000000000", template: `ghp_${"x".repeat(36)}` }), "pass");
  assert.equal(verdictOf(guard, { event: EVENT, phase: "response", payload: { action: "decline" } }), "pass");
});

test("takes time in proportion to the text", () => {
  const run = (text: string) => [form({ [text]: { title: text, description: text } }, text), answer({ text })];
  assertLinear(run, "Please enter your name, and go on, 12 times. ", ["enter ", "eyJ", "-eyJ", "gh", "sk-", "-----BEGIN ", "4", "4 ", "a"]);
});
