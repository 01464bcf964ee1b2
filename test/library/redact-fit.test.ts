import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { redact } from "../../src/library/redact.ts";
import { decided } from "./invoke.ts";

/** What becomes of structured content of a tool that was listed with this schema. */
function fitted(outputSchema: JsonObject, structuredContent: JsonObject, listed = true): unknown {
  const guard = redact({ fit: true });
  if (listed) decided(guard, { event: "tools/list", phase: "response", payload: { tools: [{ name: "find", inputSchema: { type: "object" }, outputSchema }] } });
  const payload = { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  // As a guard shows the request to who asks for it.
  const _meta = { "org.mcp-interceptors/request": { method: "tools/call", params: { name: "find" } } };
  const after = decided(guard, { event: "tools/call", phase: "response", payload, _meta })["payload"] as typeof payload;
  assert.deepEqual(JSON.parse(after.content[0]?.text ?? ""), after.structuredContent, "the text says the same");
  return after.structuredContent;
}

test("masks with a value of the type, format, pattern and length that the tool has promised", () => {
  const fields: readonly [schema: JsonObject, value: unknown, mask: unknown][] = [
    [{ type: "string" }, "bob@example.com", "[REDACTED:email]"],
    [{ type: "string", format: "email" }, "bob@example.com", "redacted@redacted.invalid"],
    [{ type: "string", format: "ipv4" }, "10.0.0.1", "0.0.0.0"],
    [{ type: "string", pattern: "^\\+[1-9][0-9]{6,14}$" }, "+14155550123", "+10000000000"],
    [{ type: "string", pattern: "^[0-9]{3}-[0-9]{2}-[0-9]{4}$" }, "123-45-6789", "000-00-0000"],
    [{ type: "string", maxLength: 11 }, "123-45-6789", "000-00-0000"],
    [{ type: "string", minLength: 40 }, "bob@a-host-of-a-very-long-name.example.com", "[REDACTED:email]".padEnd(40, "x")],
    [{ type: "integer" }, 4111111111111111, 0],
    [{ type: "number", minimum: 10 }, 4111111111111111, 10],
    [{ $ref: "#/$defs/mail" }, "bob@example.com", "redacted@redacted.invalid"],
  ];
  for (const [schema, value, mask] of fields) {
    const root: JsonObject = { type: "object", properties: { value: schema, list: { type: "array", items: schema } }, $defs: { mail: { type: "string", format: "email" } } };
    const content = fitted(root, { value, list: [value], other: "bob@example.com" });
    assert.deepEqual(content, { value: mask, list: [mask], other: "[REDACTED:email]" }, JSON.stringify(schema));
    assert.equal(compileSchema(root).check(content), undefined);
  }
});

test("gives each value of a list whose items must differ a mask of its own, and those of other lists the same", () => {
  const mails = ["bob@example.com", "ada@example.com", "eve@example.com"];
  const rows: readonly [items: JsonObject, values: readonly unknown[], masks: readonly unknown[]][] = [
    [{ type: "string" }, [...mails, "plain"], ["[REDACTED:email]", "[REDACTED:email]#2", "[REDACTED:email]#3", "plain"]],
    [{ type: "string" }, ["[REDACTED:email]", ...mails.slice(1)], ["[REDACTED:email]", "[REDACTED:email]#2", "[REDACTED:email]#3"]],
    [{ type: "string", format: "email" }, mails, ["redacted@redacted.invalid", "redacted-2@redacted.invalid", "redacted-3@redacted.invalid"]],
    [{ type: "string", maxLength: 18 }, mails, ["[REDACTED:email]", "[REDACTED:email]#2", "[REDACTED:email]#3"]],
    [{ type: "string", maxLength: 5 }, ["a@b.co", "c@d.co"], ["::", "[RE#2"]],
    [{ type: "string", pattern: "^\\+[1-9][0-9]{6,14}$" }, ["+14155550123", "+14155550124"], ["+10000000000", "+10000000002"]],
    [{ type: "string", format: "ipv4" }, ["10.0.0.1", "10.0.0.2"], ["0.0.0.0", "0.0.0.2"]],
    [{ type: "string", format: "ipv6" }, ["2001:db8::1", "2001:db8::2"], ["::", "::2"]],
    [{ type: "integer" }, [4111111111111111, 5555555555554444], [0, 1]],
    [{ type: "object", properties: { mail: { type: "string" } } }, mails.map((mail) => ({ mail })), ["[REDACTED:email]", "[REDACTED:email]#2", "[REDACTED:email]#3"].map((mail) => ({ mail }))],
  ];
  for (const [items, values, masks] of rows) {
    const root: JsonObject = { type: "object", properties: { unique: { type: "array", uniqueItems: true, items }, plain: { type: "array", items } } };
    const content = fitted(root, { unique: [...values], plain: [...values] }) as { unique: unknown; plain: unknown[] };
    assert.deepEqual(content.unique, masks, JSON.stringify(items));
    // None is numbered elsewhere.
    assert.deepEqual(content.plain[1], masks[0], JSON.stringify(items));
    assert.equal(compileSchema(root).check(content), undefined, JSON.stringify(items));
    assert.deepEqual(fitted(root, content as unknown as JsonObject), content, "again");
  }
});

test("keeps its own mask where it knows of no schema, or nothing fits", () => {
  assert.deepEqual(fitted({ properties: { a: { format: "email" } } }, { a: "bob@example.com" }, false), { a: "[REDACTED:email]" });
  assert.deepEqual(fitted({ properties: { a: { enum: ["bob@example.com"] } } }, { a: "bob@example.com" }), { a: "[REDACTED:email]" });
  assert.deepEqual(fitted({ properties: { a: { $ref: "#/nowhere" } } }, { a: "bob@example.com" }), { a: "[REDACTED:email]" });
  assert.deepEqual(fitted({ additionalProperties: { format: "email" } }, { "bob@example.com": "x" }), { "[REDACTED:email]": "x" });
});

test("leaves its fitting masks alone when it sees them again", () => {
  const schema = { properties: { a: { format: "email" }, b: { pattern: "^\\+[0-9]+$" } } };
  const once = fitted(schema, { a: "bob@example.com", b: "+14155550123" }) as JsonObject;
  assert.deepEqual(once, { a: "redacted@redacted.invalid", b: "+10000000000" });
  assert.deepEqual(fitted(schema, once), once);
  const numbered = { a: ["redacted-2@redacted.invalid", "redacted-1000@redacted.invalid"], b: ["+10000000002", "0.0.3.232", "000-00-0002"] };
  assert.deepEqual(fitted(schema, numbered, false), numbered);
});

test("asks for the request only where it needs it", () => {
  assert.equal(redact().withRequest, false);
  assert.equal(redact({ fit: true }).withRequest, true);
});
