// The patterns that zod writes into tools, taken from the zod that is installed: what it says of a value is what a server of ours, a client of ours and `schema-guard` before an official
// server say, in answers and in arguments.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { createChain, guardServer, McpClient, McpServer, memoryPair, type JsonObject } from "../../src/index.ts";
import { fromSdkTransport } from "../../src/core/transport/sdk-adapters.ts";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { schemaGuard } from "../../src/library.ts";

const { rfc5322Email, html5Email, unicodeEmail, domain } = z.regexes;

/** By name: the schema, and texts that fit it or do not. */
const FORMATS: Readonly<Record<string, readonly [z.ZodType, readonly string[]]>> = {
  email: [z.email(), ["first.last.name@example.com", `${"x".repeat(60)}@sub.domain.example.co.uk`, "a..b@example.com", "a@b", "@"]],
  emailOfRfc5322: [z.email({ pattern: rfc5322Email }), ["first.last.name@example.com", "\"a b\"@[127.0.0.1]", "a@b", "a b@c.de"]],
  emailOfHtml: [z.email({ pattern: html5Email }), ["first.last@example.com", "a@b", "a@-b"]],
  emailInUnicode: [z.email({ pattern: unicodeEmail }), ["世界@例え.jp", "a b@c"]],
  uuid: [z.uuid(), ["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-92d3-a456-426614174000", "x"]],
  ipv4: [z.ipv4(), ["192.168.0.1", "256.0.0.1", "1.2.3"]],
  ipv6: [z.ipv6(), ["2001:0db8:85a3:0000:0000:8a2e:0370:7334", "::1", "12345::"]],
  cidrv4: [z.cidrv4(), ["10.0.0.0/8", "10.0.0.0/33"]],
  cidrv6: [z.cidrv6(), ["2001:db8::/32", "2001:db8::/129"]],
  base64: [z.base64(), ["aGVsbG8=", "aGVsbG8"]],
  base64url: [z.base64url(), ["aGVsbG8", "aGVs+G8"]],
  datetime: [z.iso.datetime(), ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123456Z", "2024-01-01T24:00:00Z", "2023-02-29T00:00:00Z"]],
  datetimeAnywhere: [z.iso.datetime({ local: true, offset: true }), ["2024-01-01T00:00:00+02:00", "2024-01-01T00:00", "2024-01-01"]],
  date: [z.iso.date(), ["2024-02-29", "2023-02-29", "2024-1-1"]],
  time: [z.iso.time(), ["12:34:56", "25:00:00"]],
  duration: [z.iso.duration(), ["P3Y6M4DT12H30M5S", "P2W", "P", "PT", "P1M1Y"]],
  emoji: [z.emoji(), ["😀", "👩‍💻", "a"]],
  hostname: [z.hostname(), ["sub.example.com", "localhost", "-a.com", "a..b"]],
  domain: [z.string().regex(domain), ["sub.example.com", "localhost"]],
  e164: [z.e164(), ["+14155552671", "14155552671"]],
  mac: [z.mac(), ["00:1a:2b:3c:4d:5e", "00:1A:2b:3c:4d:5e"]],
  cuid: [z.cuid(), ["ckopqwooh000001la8mbi2im9", "x"]],
  cuid2: [z.cuid2(), ["tz4a98xxat96iws9zmbrgj3a", "T"]],
  ulid: [z.ulid(), ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "91ARZ3NDEKTSV4RRFFQ69G5FAV"]],
  xid: [z.xid(), ["9m4e2mr0ui3e8a215n4g", "x"]],
  ksuid: [z.ksuid(), ["0ujtsYcgvSTl8PAuAdqWYSMnLOv", "x"]],
  nanoid: [z.nanoid(), ["V1StGXR8_Z5jdHi6B-myT", "x"]],
  hex: [z.hex(), ["00ff", "xyz"]],
  starting: [z.string().startsWith("abc"), ["abcd", "dabc"]],
  ending: [z.string().endsWith("z"), [`${"a".repeat(10_000)}z`, "za"]],
  including: [z.string().includes("x.y"), [`${"a".repeat(10_000)}x.y`, "xzy"]],
  lowercase: [z.string().lowercase(), ["abc def", "aBc"]],
  uppercase: [z.string().uppercase(), ["ABC", "AbC"]],
  template: [z.templateLiteral([z.number(), z.enum(["px", "em"])]), ["12px", "-1.5em", "px"]],
};
const CASES = Object.entries(FORMATS).flatMap(([name, [type, texts]]) => texts.map((text) => ({ name, type, text, fits: type.safeParse(text).success })));
const jsonOf = (type: z.ZodType) => z.toJSONSchema(type) as JsonObject;
const said = ({ name, text }: { readonly name: string; readonly text: string }) => `${name}: ${text.slice(0, 60)}`;

test("the installed zod takes and refuses something of each format", () => {
  for (const name of Object.keys(FORMATS)) {
    for (const fits of [true, false]) assert.ok(CASES.some((one) => one.name === name && one.fits === fits), `${name}, ${fits}`);
  }
});

test("a schema by itself says what zod says", () => {
  for (const one of CASES) {
    const problem = compileSchema(jsonOf(one.type)).check(one.text);
    assert.equal(problem === undefined, one.fits, `${said(one)}: ${problem?.reason}`);
  }
});

test("a server of ours takes the arguments that zod takes, and no others", async () => {
  const server = new McpServer({ name: "formats", version: "1" });
  for (const [name, [type]] of Object.entries(FORMATS)) {
    server.tool({ name, inputSchema: jsonOf(z.object({ text: type })) as { type: "object" } }, () => "taken");
  }
  const [near, far] = memoryPair();
  server.connect(far);
  const client = new McpClient({ name: "formats", version: "1" });
  await client.connect(near);
  for (const one of CASES) {
    const { isError = false } = await client.callTool({ name: one.name, arguments: { text: one.text } });
    assert.equal(!isError, one.fits, said(one));
  }
  await client.close();
});

test("a client of ours takes the structured content of an official server", async () => {
  const server = new OfficialServer({ name: "formats", version: "1" });
  for (const [name, [type]] of Object.entries(FORMATS)) {
    server.registerTool(name, { inputSchema: { text: type }, outputSchema: { text: type } }, ({ text }) => ({ content: [], structuredContent: { text } }));
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new McpClient({ name: "formats", version: "1" });
  await client.connect(fromSdkTransport(near as never));
  await client.listTools();
  for (const one of CASES.filter(({ fits }) => fits)) {
    const { structuredContent, isError } = await client.callTool({ name: one.name, arguments: { text: one.text } });
    assert.deepEqual([structuredContent, isError], [{ text: one.text }, undefined], said(one));
  }
  await client.close();
});

test("schema-guard before an official server blocks what the server itself would refuse, and nothing else", async () => {
  const server = new OfficialServer({ name: "formats", version: "1" });
  for (const [name, [type]] of Object.entries(FORMATS)) {
    server.registerTool(name, { inputSchema: { text: type } }, () => ({ content: [{ type: "text", text: "taken" }] }));
  }
  const chain = createChain();
  chain.add(schemaGuard());
  guardServer(server, chain);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "formats", version: "1" });
  await client.connect(near);
  await client.listTools();
  for (const one of CASES) {
    const told = await client.callTool({ name: one.name, arguments: { text: one.text } }).then(({ isError = false }) => (isError ? "refused by the server" : "taken"), (thrown: Error) => thrown.message);
    if (one.fits) assert.equal(told, "taken", said(one));
    else assert.match(told, /Interceptor validation failed/, said(one));
  }
  await client.close();
});
