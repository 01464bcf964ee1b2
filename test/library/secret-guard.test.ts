import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Phase } from "../../src/core/wire/gen/interceptors.ts";
import { secretGuard } from "../../src/library/secret-guard.ts";
import type { SecretGuardConfig } from "../../src/library/secret-config.ts";
import { seededRandom } from "../support/random.ts";
import { identifier } from "./corpus/identifiers.ts";
import { TOKENS } from "./corpus/tokens.ts";
import { decided } from "./invoke.ts";
import { verdictOf } from "./verdict-of.ts";

const TOKEN = TOKENS["github"]!(seededRandom(1));
const MASK = "[REDACTED:provider-token]";

function masked(event: string, phase: Phase, payload: unknown, config?: SecretGuardConfig): unknown {
  return decided(secretGuard(config)[0], { event, phase, payload })["payload"];
}

function verdict(event: string, phase: Phase, payload: unknown, config?: SecretGuardConfig): JsonObject {
  return decided(secretGuard({ action: "block", ...config })[0], { event, phase, payload });
}

test("masks as a late mutator by default, refuses as a validator where told to, for errors too", () => {
  const [mutator, masks] = secretGuard();
  assert.deepEqual([mutator.descriptor.type, mutator.descriptor.priorityHint, mutator.handlesErrors], ["mutation", 1000, true]);
  assert.deepEqual([masks.descriptor.name, masks.descriptor.type], ["secret-guard-masks", "validation"]);
  const [validator] = secretGuard({ action: "block" });
  assert.deepEqual([validator.descriptor.name, validator.descriptor.type, validator.handlesErrors], ["secret-guard", "validation", true]);
});

test("hooks the phases of its config alone, and passes the other where a call narrows them; masks are refused in any case", () => {
  for (const action of ["mask", "block"] as const) {
    const [guard, masks] = secretGuard({ action, phases: ["response"] });
    assert.deepEqual(guard.descriptor.hooks, [{ events: ["*"], phase: "response" }], action);
    assert.equal(masks.descriptor.hooks[0]?.phase, "request");
    const call = (phase: Phase, phases: Phase[]) => decided(secretGuard({ action })[0], { event: "tools/call", phase, payload: { name: "a", arguments: { key: TOKEN } }, config: { phases } });
    assert.deepEqual(call("request", ["response"]), action === "mask" ? { modified: false, payload: { name: "a", arguments: { key: TOKEN } } } : { valid: true });
    assert.notDeepEqual(call("request", ["request"]), call("request", ["response"]), action);
  }
  assert.throws(() => secretGuard({ phases: [] }), { code: "invalid_argument", message: /phases must name a phase/ });
});

test("masks what is made up to try it, as its README says", () => {
  const text = (value: string) => masked("tools/call", "response", { content: [{ type: "text", text: value }] });
  const said = (value: string) => ({ content: [{ type: "text", text: value }] });
  assert.deepEqual(text("password=hunter2pass"), said("password=[REDACTED:assignment]"));
  assert.deepEqual(text("AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), said(`${MASK} ${MASK}`));
  assert.deepEqual(text("postgres://ada:s3cr3tpw@db.example/x"), said("postgres://ada:[REDACTED:url-password]@db.example/x"));
  for (const passes of ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "password: secret", "the password is sunflower"]) assert.deepEqual(text(passes), said(passes));
});

test("masks a secret wherever a result or an error holds it, and counts without quoting", () => {
  const result = {
    content: [
      { type: "text", text: "ok" },
      { type: "image", data: TOKEN, mimeType: "image/png" },
      { type: "text", text: `KEY=${TOKEN}` },
      { type: "resource", resource: { uri: "x:y", text: TOKEN } },
      { type: "resource", resource: { uri: "x:z", blob: TOKEN } },
    ],
    structuredContent: { a: [{ key: TOKEN }], [TOKEN]: 1 },
    _meta: { "com.example/debug": TOKEN },
  };
  const output = decided(secretGuard()[0], { event: "tools/call", phase: "response", payload: result });
  assert.deepEqual(output, {
    payload: {
      content: [
        { type: "text", text: "ok" },
        result.content[1],
        { type: "text", text: `KEY=${MASK}` },
        { type: "resource", resource: { uri: "x:y", text: MASK } },
        result.content[4],
      ],
      structuredContent: { a: [{ key: MASK }], [MASK]: 1 },
      _meta: { "com.example/debug": MASK },
    },
    modified: true,
    info: { secrets: { "provider-token": 5 } },
  });
  assert.deepEqual(masked("tools/call", "response", { error: { code: 1, message: `bad ${TOKEN}`, data: { headers: { Authorization: "Bearer s3cret" } } } }), {
    error: { code: 1, message: `bad ${MASK}`, data: { headers: { Authorization: "[REDACTED:assignment]" } } },
  });
  assert.deepEqual(masked("notifications/progress", "request", { progressToken: 1, progress: 2, message: `at ${TOKEN}` }), {
    progressToken: 1,
    progress: 2,
    message: `at ${MASK}`,
  });
});

test("leaves a clean payload as it is", () => {
  const payload = { name: "get_token", arguments: { id: "550e8400-e29b-41d4-a716-446655440000", password: "", token: null, limit: 4 } };
  assert.deepEqual(decided(secretGuard()[0], { event: "tools/call", phase: "request", payload }), { payload, modified: false });
});

test("masks what a member named like a secret holds, whatever it looks like, but no template and no page of a list", () => {
  const data = { apiKey: "s3cret", password: "letmein", auth: { client_secret: "abcdef" }, nextPageToken: "abcdef", token: "<your-token>", tokens: ["abcd"], passwords: 4 };
  assert.deepEqual(masked("tools/call", "response", { content: [], structuredContent: data }), {
    content: [],
    structuredContent: { ...data, apiKey: "[REDACTED:assignment]", password: "[REDACTED:assignment]", auth: { client_secret: "[REDACTED:assignment]" } },
  });
  assert.deepEqual(masked("tools/list", "response", { tools: [{ name: "t", inputSchema: { type: "object", properties: { password: { type: "string" } } } }] }), {
    tools: [{ name: "t", inputSchema: { type: "object", properties: { password: { type: "string" } } } }],
  });
});

test("reads what a resource holds as Base64 of text, and writes it anew", () => {
  const blobOf = (text: string) => Buffer.from(text).toString("base64");
  const held = (mimeType: string, blob: string) => ({ contents: [{ uri: "x:y", mimeType, blob }] });
  const text = `A=1\nKEY=${TOKEN}\nname=J\u00fcrg\n`;
  for (const type of ["text/plain", "text/markdown; charset=utf-8", "application/json", "application/ld+json", "application/x-sh", "application/x-yaml", "application/x-toml", "application/x-python"]) {
    assert.deepEqual(masked("resources/read", "response", held(type, blobOf(text))), held(type, blobOf(text.replace(TOKEN, MASK))), type);
    assert.deepEqual(masked("resources/read", "response", held(type, blobOf("A=1"))), held(type, blobOf("A=1")), type);
  }
  for (const type of ["application/octet-stream", "image/png"]) assert.deepEqual(masked("resources/read", "response", held(type, blobOf(text))), held(type, blobOf(text)), type);
  const noText = held("text/plain", Buffer.from([0, 1, 2, 3, 255, 254, 0, 7]).toString("base64"));
  assert.deepEqual(masked("resources/read", "response", noText), noText);
});

test("masks secrets in URIs and media types of what is answered, and in none of what is sent", () => {
  const link = (token: string) => ({ content: [{ type: "resource_link", uri: `https://h.example/?token=${token}`, name: "n", mimeType: `text/plain; x=${token}` }] });
  assert.deepEqual(masked("tools/call", "response", link(TOKEN)), link(MASK));
  const id = { content: [{ type: "resource_link", uri: "https://h.example/?x=aZ3kQ9mX2pL7vB4nT8wR5yU1", name: "n" }] };
  assert.deepEqual(masked("tools/call", "response", id), id);
  const read = { uri: `https://h.example/?token=${TOKEN}` };
  assert.deepEqual(masked("resources/read", "request", read), read);
});

test("masks what headers and settings hold as pairs, and no second word of a list", () => {
  const call = (structuredContent: unknown) => (masked("tools/call", "response", { content: [], structuredContent }) as { structuredContent: unknown }).structuredContent;
  const mask = "[REDACTED:assignment]";
  assert.deepEqual(call({ headers: [["X-Api-Key", "s3cr3t-k3y-9"], ["Accept", "text/html2"]] }), { headers: [["X-Api-Key", mask], ["Accept", "text/html2"]] });
  assert.deepEqual(call([{ name: "X-Auth-Token", value: "letmeinnow" }, { key: "db_password", value: "sunflower" }]), [{ name: "X-Auth-Token", value: mask }, { key: "db_password", value: mask }]);
  for (const harmless of [{ required: ["password", "username"] }, { rows: [["password", "username"], ["token", "count"]] }, [{ name: "password", value: "required" }], [{ name: "city", value: "Z\u00fcrich9x" }], { list: ["token", "base64url7x"] }]) assert.deepEqual(call(harmless), harmless);
});

test("refuses a mask that comes back in other writings, and those that fit a schema", () => {
  const judge = (text: string, config: SecretGuardConfig = {}) => verdictOf(secretGuard(config)[1], { event: "tools/call", phase: "request", payload: { name: "a", arguments: { text } } });
  for (const text of ["[R\u0415DACTED:jwt]", "\uff3bREDACTED:jwt\uff3d", "[REDACTED:j\u200bwt]", "[RE\u0301DACTED:jwt]", "%5BR%D0%95DACTED:jwt%5D"]) assert.match(judge(text), /a mask stands for/, text);
  const fitting = ["redacted@redacted.invalid", "mail Redacted-2@redacted.invalid", "redacted%40redacted.invalid", "redacted.invalid", "urn:redacted", "urn:redacted:12", "+10000000000", "+10000000012", "000-000-0000", "000-00-0002", "0000000000000000"];
  for (const text of fitting) {
    assert.match(judge(text), /a mask stands for/, text);
    assert.equal(judge(text, { refuse: [] }), "pass", text);
  }
  for (const text of ["0.0.0.0", "::", "1970-01-01", "00000000-0000-0000-0000-000000000000", "+1000000", "text was redacted.", "n 000-000-0000", "ada@example.invalid"]) assert.equal(judge(text), "pass", text);
});

test("refuses a mask that comes back in letters of another case, or encoded", () => {
  const judge = (text: string) => verdictOf(secretGuard()[1], { event: "tools/call", phase: "request", payload: { name: "a", arguments: { text } } });
  const mask = "[REDACTED:jwt]";
  for (const text of [mask, mask.toLowerCase(), `x=${encodeURIComponent(mask)}`, Buffer.from(`token: ${mask}`).toString("base64"), Buffer.from(mask).toString("hex"), "&#91;redacted:jwt&#93;", "[redacted:email]"]) assert.match(judge(text), /^\/arguments\/text: a mask stands for/, text);
  for (const text of ["REDACTED: jwt", "[redacted]", "redacted:jwt", Buffer.from("nothing hidden").toString("base64")]) assert.equal(judge(text), "pass", text);
});

test("masks phrases, numbers and lists under the names of secrets, and no sentences, rules, types or templates", () => {
  const data = (value: unknown, name = "password") => masked("tools/call", "request", { name: "t", arguments: { [name]: value } }) as { arguments: JsonObject };
  const mask = "[REDACTED:assignment]";
  for (const [value, expected, name] of [
    ["correct horse battery staple", mask],
    ["Correct Horse Battery 7 Staple", mask, "passphrase"],
    ["abandon ability able about above absent", mask, "private_key"],
    [20241231, mask],
    [1234, mask],
    [12345678, mask, "client_secret"],
    [["hunter2", "letmein"], [mask, mask]],
    [["f15e8a7bc2", "key"], [mask, "key"], "client_secret"],
    [{ old: "a" }, { old: "a" }],
  ] as const) {
    assert.deepEqual(data(value, name).arguments, { [name ?? "password"]: expected }, JSON.stringify(value));
  }
  for (const [value, name] of [
    ["Your password must have eight characters"],
    ["must not be empty"],
    ["is required"],
    [["This field is required.", "min:8"]],
    [["read:pets", "write:pets"], "api_key"],
    ["ask the owner first", "apiKey"],
    [1234567, "token"],
    [true],
    [999],
    [1532, "pass"],
    [1234, "pin"],
    ["abc"],
    ["string"],
    ["<your password>"],
    ["${PW}"],
    ["****"],
    [{ type: "string", minLength: 8, description: "The password of this account", examples: ["some"] }],
  ] as const) {
    assert.deepEqual(data(value, name).arguments, { [name ?? "password"]: value }, JSON.stringify(value));
  }
  const form = { type: "object", properties: { password: { type: "string", format: "password" } }, required: ["user", "password"] };
  assert.deepEqual(data(form, "inputSchema").arguments, { inputSchema: form });
});

test("finds known secrets as texts, encoded, escaped within nested JSON, and as numbers", () => {
  const config = { known: ["ab/cd", "1234"] };
  const text = JSON.stringify({ a: JSON.stringify({ b: "x ab/cd y" }).replaceAll("/", "\\/") });
  assert.deepEqual(masked("tools/call", "request", { name: "t", arguments: { pin: 1234, other: 12345, deep: "ab\\/cd", hex: "61622f6364" } }, config), {
    name: "t",
    arguments: { pin: "[REDACTED:known]", other: 12345, deep: "[REDACTED:known]", hex: "[REDACTED:known]" },
  });
  assert.doesNotMatch(JSON.stringify(masked("tools/call", "request", { name: "t", arguments: { text } }, config)), /ab\\*\/cd/);
});

test("masks a secret that is cut across text blocks of one list, in each of them its part", () => {
  const cut = (...texts: string[]) => masked("tools/call", "response", { content: texts.map((text) => ({ type: "text", text })) });
  const blocks = (...texts: string[]) => ({ content: texts.map((text) => ({ type: "text", text })) });
  assert.deepEqual(cut(`the key is ${TOKEN.slice(0, 15)}`, `${TOKEN.slice(15)}, thanks`), blocks(`the key is ${MASK}`, `${MASK}, thanks`));
  assert.deepEqual(cut("a:", TOKEN.slice(0, 9), TOKEN.slice(9, 20), TOKEN.slice(20)), blocks("a:", MASK, MASK, MASK));
  assert.doesNotMatch(JSON.stringify(cut("a", "AKIAQ2W3E4", "R5T6Y7U2I3")), /Q2W3|Y7U2/);
  const long = "word ".repeat(4_000);
  assert.deepEqual(cut(long + TOKEN.slice(0, 20), `${TOKEN.slice(20)} ${long}`), blocks(long + MASK, `${MASK} ${long}`));
  const password = "[REDACTED:assignment]";
  assert.deepEqual(cut("The password:", "hunter2hunter2"), blocks("The password:", password));
  assert.deepEqual(cut("ok", "password: ", "  hunter2hunter2 and so on"), blocks("ok", "password: ", `  ${password} and so on`));
  for (const texts of [["The password:", "see above"], ["passwords", "hunter2hunter2"], ["The user:", "hunter2hunter2"]]) assert.deepEqual(cut(...texts), blocks(...texts));
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const apart = { content: [{ type: "text", text: TOKEN.slice(0, 15) }, image, { type: "text", text: TOKEN.slice(15, 25) }] };
  assert.deepEqual(masked("tools/call", "response", apart), apart);
});

test("masks a secret whose name is cut across text blocks, and not what stands in another line or has another name then", () => {
  const cut = (...texts: string[]) => (masked("tools/call", "response", { content: texts.map((text) => ({ type: "text", text })) }) as { content: { text: string }[] }).content.map(({ text }) => text);
  const password = "[REDACTED:assignment]";
  assert.deepEqual(cut("pass", "word=hunter2Secret99"), ["pass", `word=${password}`]);
  assert.deepEqual(cut("the p", "ass", 'word" : "hunter2Secret99" and on'), ["the p", "ass", `word" : "${password}" and on`]);
  assert.deepEqual(cut("postg", "res:", "//ada:pw12@host/db"), ["postg", "res:", "//ada:[REDACTED:url-password]@host/db"]);
  assert.deepEqual(cut("Authorization: Bea", "rer abc123def456"), ["Authorization: Bea", "rer [REDACTED:authorization]"]);
  assert.deepEqual(cut("api", "_key=Ab12Cd34Ef56"), ["api", `_key=${password}`]);
  for (const texts of [["foo", "id: kX9vQ2mZ7tRb4LwN8sYc"], ["pass", "\nword=hunter2Secret99"], ["key", "board=hunter2Secret99"], ["see the pass", "words: see above"]]) assert.deepEqual(cut(...texts), texts);
});

test("masks both the structured content and the text that repeats it", () => {
  const structuredContent = { token: TOKEN, pin: 1234 };
  const output = masked("tools/call", "response", { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }, { known: ["1234"] });
  const masks = { token: "[REDACTED:assignment]", pin: "[REDACTED:known]" };
  assert.deepEqual(output, { content: [{ type: "text", text: JSON.stringify(masks) }], structuredContent: masks });
});

test("refuses a message where it blocks, with the kind and the place and not the secret", () => {
  const result = verdict("tools/call", "response", { content: [{ type: "text", text: "a" }, { type: "text", text: `x ${TOKEN}` }] });
  assert.deepEqual(result, {
    valid: false,
    severity: "error",
    messages: [{ path: "/content/1/text", message: "a secret (provider-token) must not pass", severity: "error" }],
    info: { secrets: { "provider-token": 1 } },
  });
  assert.doesNotMatch(JSON.stringify(verdict("x/y", "request", { data: { [TOKEN]: 1 } })), new RegExp(TOKEN));
  assert.equal(verdict("x/y", "request", { data: "clean" })["valid"], true);
});

test("refuses a call whose arguments hold a mask, its own or one of redact's, and no answer that does", () => {
  const [, masks] = secretGuard({ replacement: "***{type}***", known: ["s3cret"] });
  const valid = (payload: unknown, context = {}) => decided(masks, { event: "tools/call", phase: "request", payload, context })["valid"];
  assert.equal(valid({ name: "save", arguments: { note: "fine", list: ["[REDACTED]"] } }), true);
  assert.equal(valid({ name: "save" }), true);
  for (const value of ["***known***", "a ***jwt*** b", "[REDACTED:email]"]) {
    assert.equal(valid({ name: "save", arguments: { list: [{ value }] } }), false);
    assert.equal(valid({ name: "save", arguments: { [value]: 1 } }), false);
  }
  const { messages } = decided(masks, { event: "tools/call", phase: "request", payload: { name: "save", arguments: { "a/b": ["***known***"] } } });
  assert.equal((messages as { path: string }[])[0]?.path, "/arguments/a~1b/0");
  const none = secretGuard({ refuse: [] })[1];
  assert.equal(decided(none, { event: "tools/call", phase: "request", payload: { name: "save", arguments: { a: "[REDACTED:email]" } } })["valid"], true);
});

test("does not hold against the sender what has been masked since", () => {
  const [, masks] = secretGuard();
  const params = { event: "tools/call", phase: "request", payload: { name: "save", arguments: { a: MASK } }, _meta: { "org.mcp-interceptors/revalidation": true } } as const;
  assert.equal(decided(masks, params)["valid"], true);
});

test("masks its own output no further", () => {
  const once = masked("tools/call", "request", { name: "t", arguments: { password: "hunter2", text: `password=hunter2 ${TOKEN} postgres://a:s3cret9@b/c` } });
  assert.deepEqual(masked("tools/call", "request", once), once);
  const custom = { replacement: "HIDDEN" };
  const again = masked("tools/call", "request", { name: "t", arguments: { password: "hunter2", text: "password=hunter2" } }, custom);
  assert.deepEqual(masked("tools/call", "request", again, custom), again);
});

test("fails on more text than it reads, which blocks the message", () => {
  const [mutator] = secretGuard({ maxTextChars: 100 });
  const call = (text: string) => decided(mutator, { event: "x/y", phase: "request", payload: { data: text } });
  assert.equal(call("a ".repeat(40))["modified"], false);
  assert.throws(() => call("a ".repeat(60)), { name: "RpcError", code: -32603 });
});

test("takes what is allowed for no secret", () => {
  const allow = ["hunter2", TOKEN];
  const payload = { arguments: { password: "hunter2", text: `password=hunter2, ${TOKEN}` } };
  assert.deepEqual(masked("tools/call", "request", payload, { allow }), payload);
});

test("refuses a wrong config by the name of the member, and never quotes a known secret", () => {
  for (const [config, message] of [
    [{ action: "warn" }, /action must be one of/],
    [{ kinds: ["tokens"] }, /kinds\[0\] must be one of/],
    [{ known: ["longer", "abc"] }, /known\[1\] must have 4 characters or more/],
    [{ replacement: "a=b" }, /replacement must not be empty, nor have/],
    [{ refuse: [""] }, /refuse must not hold an empty text/],
    [{ maxTextChars: 0 }, /maxTextChars must be a whole number from 1/],
  ] as const) {
    assert.throws(() => secretGuard(config as SecretGuardConfig), { code: "invalid_argument", message });
  }
  assert.throws(() => secretGuard({ known: ["abc"] }), ({ message }: Error) => !message.includes("abc"));
  assert.throws(() => decided(secretGuard()[0], { event: "x/y", phase: "request", payload: {}, config: { action: "block" } }), { code: -32603 });
});

test("leaves random ids and cursors in data alone, where the name says that they are some, and masks secrets there", () => {
  const random = seededRandom(9);
  for (let count = 0; count < 300; count++) {
    const { name, value } = identifier(random);
    const data = { [name]: value, list: [{ [name]: [value] }] };
    for (const payload of [{ name: "get", arguments: data }, { content: [], structuredContent: data }]) {
      const phase = "name" in payload ? "request" : "response";
      assert.deepEqual(decided(secretGuard()[0], { event: "tools/call", phase, payload })["modified"], false, `${name}: ${value}`);
    }
  }
  const value = "8fK2mQx7Lw3RzT9vYb4NcD5e";
  const data = { value, id: TOKEN, url: `https://h.example/?code=${value}`, name: `see ${value}`, tokenId: value };
  const entropy = "[REDACTED:high-entropy]";
  assert.deepEqual(masked("tools/call", "request", { name: "get", arguments: data }), {
    name: "get",
    arguments: { value: entropy, id: MASK, url: `https://h.example/?code=${entropy}`, name: `see ${entropy}`, tokenId: entropy },
  });
  assert.deepEqual(masked("tools/call", "request", { name: "get", arguments: { id: value } }, { known: [value] }), { name: "get", arguments: { id: "[REDACTED:known]" } });
});

test("masks what Docker and other languages name otherwise in data", () => {
  const data = { auths: { "h.example": { auth: "YW5uOmh1bnRlcjI=" } }, auth: "none of yours", contraseña: "caballo", "mot de passe": "cheval", 密码: "hunter" };
  const mask = "[REDACTED:assignment]";
  assert.deepEqual(masked("tools/call", "response", { content: [], structuredContent: data }), {
    content: [],
    structuredContent: { auths: { "h.example": { auth: mask } }, auth: "none of yours", contraseña: mask, "mot de passe": mask, 密码: mask },
  });
});

test("masks what forms and settings name a second, an old or a repeated password, and nothing about passwords", () => {
  for (const held of [
    ...["password_confirmation", "passwordConfirm", "password2", "newPassword1", "confirm_password", "old_password", "password_new", "pwd_2", "пароль", "mật khẩu", "mật khẩu".normalize("NFD")].map((name) => ({ [name]: "hunter2x9" })),
    { passwords: ["hunter2x9"] },
    { password: { value: "hunter2x9" } },
    { пароль: "секрет123" },
  ]) {
    const hidden = /hunter2x9|секрет123/;
    assert.doesNotMatch(JSON.stringify(masked("tools/call", "response", { content: [], structuredContent: held })), hidden, JSON.stringify(held));
    assert.doesNotMatch(JSON.stringify(masked("tools/call", "response", { content: [{ type: "text", text: JSON.stringify(held) }] })), hidden, JSON.stringify(held));
  }
  for (const held of [
    { password_hint: "my first cat" }, { passwordless: "enabled2x" }, { password_policy: "strong12x" }, { password_min_length: "12345" }, { has_password: true }, { passwords: 12_345 },
    { passwords: { reset: "Your password was reset" } }, { password_confirmation: "required" }, { compass2: "north12x" }, { token1: "hello" }, { password: { type: "string", minLength: 8 } },
  ]) {
    for (const payload of [{ content: [], structuredContent: held }, { content: [{ type: "text", text: JSON.stringify(held) }] }]) assert.deepEqual(masked("tools/call", "response", payload), payload, JSON.stringify(held));
  }
});
