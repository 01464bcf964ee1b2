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
});

test("asks for the request only where it needs it", () => {
  assert.equal(redact().withRequest, false);
  assert.equal(redact({ fit: true }).withRequest, true);
});
