// A program on the core alone. It is compiled beside a copy of src/core, and run in plain Node as in an engine that has no platform at all; so
// it names no global but ECMAScript's either. What it finds it gives back as JSON, which means the same in every realm.
import { base64Decode, base64Encode, utf8Decode, utf8Encode } from "../../src/core/base/bytes.ts";
import { LocalError, RpcError } from "../../src/core/base/errors.ts";
import { detectHost, fromGlobals, type Host } from "../../src/core/base/host.ts";
import { cloneJson, type JsonObject } from "../../src/core/base/json.ts";
import { scanJson } from "../../src/core/base/json-text.ts";
import { sha256 } from "../../src/core/base/sha256.ts";
import { splice } from "../../src/core/base/splice.ts";
import { createChain } from "../../src/core/chain/chain.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import { localChain } from "../../src/core/client/local-chain.ts";
import { guardClient, guardServer } from "../../src/core/guard/attach.ts";
import { mutator, validator, type Interceptor } from "../../src/core/interceptor/define.ts";
import { allow, deny } from "../../src/core/interceptor/verdict.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { lineTransport, type ByteDuplex } from "../../src/core/transport/line-transport.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";

/** What whoever embeds the core hands in, made in its own realm. */
export interface Outside {
  /** Parsed there, so that objects and lists have another realm's prototypes. */
  parse(text: string): unknown;
  /** A promise of that realm. */
  later<T>(value: T): Promise<T>;
  /** Throws an error of that realm. */
  fail(message: string): never;
  /** The globals that a host is made of; absent where the engine has to do without. */
  readonly globals?: object;
}

/** Runs everything; JSON text of the findings by name. */
export async function run(outside: Outside): Promise<string> {
  const host = outside.globals === undefined ? detectHost() : fromGlobals(outside.globals);
  const sections: Record<string, (outside: Outside, host: Host) => unknown> = { text, schema, bytes, lines, synchronous, chain, failures, guarded, remote };
  const findings: Record<string, unknown> = {};
  for (const [name, section] of Object.entries(sections)) {
    try {
      findings[name] = await section(outside, host);
    } catch (thrown) {
      const { code, message } = thrown as { code?: unknown; message?: unknown };
      findings[name] = { threw: String(thrown instanceof LocalError ? code : message) };
    }
  }
  return JSON.stringify(findings);
}

function text({ parse }: Outside): unknown {
  const source = '{"big": 12345678901234567890, "price": 1.10, "name": "a"}';
  const before = scanJson(source).value;
  return {
    duplicate: scanJson('{"a":1,"a":2}').refusal?.code,
    spliced: splice(source, before, { ...(before as JsonObject), name: "b" }).text,
    clone: cloneJson(parse('{"a":[1,{"b":null}]}')),
  };
}

function schema({ parse }: Outside): unknown {
  const compiled = compileSchema(parse('{"type":"object","properties":{"n":{"type":"array","items":{"minimum":2}}},"required":["n"]}'));
  return [compiled.check(parse('{"n":[2,3]}')) ?? "fits", compiled.check(parse('{"n":[2,1]}'))?.path, compiled.check({ n: [1] })?.path];
}

function bytes(_outside: Outside, host: Host): unknown {
  const sample = "añ€😀";
  return {
    utf8: [utf8Decode(utf8Encode(sample, host), host) === sample, utf8Decode(utf8Encode(sample)) === sample],
    base64: utf8Decode(base64Decode(base64Encode(utf8Encode("any text"))) ?? new Uint8Array()),
    sha256: base64Encode(sha256(utf8Encode("abc"))),
  };
}

async function lines(_outside: Outside, host: Host): Promise<unknown> {
  const written: JsonObject[] = [];
  const chunks = ['{"jsonrpc":"2.0","id":1,"met', 'hod":"ping"}\nnoise\n'].map((chunk) => utf8Encode(chunk));
  const duplex: ByteDuplex = {
    read: async () => chunks.shift(),
    write: async (chunk) => {
      const { id, result, error } = JSON.parse(utf8Decode(chunk)) as { id: unknown; result?: unknown; error?: { code: number } };
      written.push(error === undefined ? { id, result } : { id, code: error.code });
    },
    close: async () => {},
  };
  const transport = lineTransport(duplex, { invalid: "answer", host });
  const arrived = await transport.receive();
  await transport.send({ message: { jsonrpc: "2.0", id: 1, result: {} } });
  const after = await transport.receive();
  return { arrived: arrived?.frame.message, after: after === undefined ? "the end" : after.frame.message, written };
}

/** One of each kind: synchronous, asynchronous, and with results that are made outside. */
function interceptors({ parse, later }: Outside): Interceptor[] {
  const onCall = [{ events: ["tools/call"], phase: "request" }] as const;
  const onResult = [{ events: ["tools/call"], phase: "response" }] as const;
  return [
    validator({ name: "no-shell", hooks: onCall }, ({ payload }) => (payload.name === "shell" ? deny("no shell here") : allow())),
    validator({ name: "async", hooks: onCall }, async ({ payload }) => payload.name !== "slow-shell"),
    validator({ name: "outside", hooks: onCall }, () => later(parse('{"valid":true,"messages":[{"message":"seen"}]}') as { valid: boolean })),
    mutator({ name: "stamp", hooks: onResult, priorityHint: 1 }, ({ payload }) => ({ ...payload, _meta: { ...payload._meta, "com.example/order": "1" } })),
    mutator({ name: "async-stamp", hooks: onResult, priorityHint: 2 }, async ({ payload }) => ({ ...payload, _meta: { "com.example/order": `${String(payload._meta?.["com.example/order"])}2` } })),
    mutator({ name: "outside-stamp", hooks: onResult, priorityHint: 3 }, ({ payload }) => later({ ...payload, _meta: parse('{"com.example/order":"123"}') as JsonObject })),
  ];
}

/** What needs no timer: every handler answers at once. */
async function synchronous(outside: Outside, host: Host): Promise<unknown> {
  const own = createChain({ host });
  own.add(interceptors(outside).filter(({ descriptor }) => descriptor.name === "no-shell" || descriptor.name === "stamp"));
  const statuses = [];
  for (const name of ["echo", "shell"]) statuses.push((await own.execute({ event: "tools/call", phase: "request", payload: { name } })).status);
  const { finalPayload } = await own.execute({ event: "tools/call", phase: "response", payload: outside.parse('{"content":[]}') });
  return [...statuses, finalPayload];
}

async function chain(outside: Outside, host: Host): Promise<unknown> {
  const own = createChain({ host });
  own.add(interceptors(outside));
  const request = (json: string) => own.execute({ event: "tools/call", phase: "request", payload: outside.parse(json) });
  const results = [await request('{"name":"echo","arguments":{"a":[1]}}'), await request('{"name":"shell"}'), await request('{"name":"slow-shell"}')];
  const response = await own.execute({ event: "tools/call", phase: "response", payload: outside.parse('{"content":[]}') });
  return { statuses: results.map(({ status }) => status), ran: results[0]?.results.map(({ interceptor, valid }) => `${interceptor} ${valid}`), response: [response.status, response.finalPayload] };
}

async function failures(outside: Outside, host: Host): Promise<unknown> {
  const hooks = [{ events: ["tools/call"], phase: "request" }] as const;
  const said = async (...entries: Interceptor[]) => {
    const own = createChain({ host });
    own.add(entries);
    const { status, results } = await own.execute({ event: "tools/call", phase: "request", payload: { name: "x" } });
    return [status, ...results.map(({ error }) => error && `${error.reason}: ${error.message}`)];
  };
  return {
    thrown: await said(validator({ name: "a", hooks }, () => outside.fail("thrown outside"))),
    rejected: await said(validator({ name: "a", hooks }, () => outside.later(0).then(() => outside.fail("rejected outside")))),
    nothing: await said(mutator({ name: "a", hooks }, (() => outside.later(undefined)) as never)),
  };
}

async function guarded(outside: Outside, host: Host): Promise<unknown> {
  const { parse, later } = outside;
  const findings: JsonObject = {};
  for (const era of ["handshake", "stateless"] as const) {
    const server = new McpServer({ name: "s", version: "1" }, { host, compileSchema });
    server.tool({ name: "echo", inputSchema: parse('{"type":"object","required":["text"]}') as { type: "object" } }, (args) => later(parse(JSON.stringify({ content: [{ type: "text", text: String(args["text"]) }] })) as JsonObject));
    server.tool({ name: "shell", inputSchema: { type: "object" } }, () => "never");
    server.tool({ name: "fails", inputSchema: { type: "object" } }, () => outside.fail("a tool failed outside"));
    guardServer(server, await localChain(interceptors(outside), { host }), { host });
    const client = guardClient(new McpClient({ name: "c", version: "1" }, { host, era, compileSchema }), createChain({ host }), { host });
    const connection = await connect(server, client);
    const echoed = await client.callTool(parse('{"name":"echo","arguments":{"text":"hello"}}') as { name: string });
    const refused = await client.callTool({ name: "shell" }).catch((error: unknown) => error);
    const failed = await client.callTool({ name: "fails" });
    findings[era] = {
      version: client.protocolVersion,
      tools: (await client.listTools()).map(({ name }) => name),
      echoed: [echoed.content, echoed._meta?.["com.example/order"]],
      refused: refused instanceof RpcError ? [refused.code, refused.message] : "not refused",
      failed: [failed.isError, failed.content],
    };
    await client.close();
    await connection.closed;
  }
  return findings;
}

async function remote(outside: Outside, host: Host): Promise<unknown> {
  const server = new McpServer({ name: "interceptors", version: "1" }, { host });
  hostInterceptors(server, interceptors(outside), { host });
  const client = new McpClient({ name: "c", version: "1" }, { host });
  await connect(server, client);
  const own = createChain({ host });
  await own.addSource(clientSource(client, { label: "far" }));
  const { status, finalPayload } = await own.execute({ event: "tools/call", phase: "response", payload: outside.parse('{"content":[]}') });
  await client.close();
  return [status, finalPayload];
}

async function connect(server: { connect(transport: Transport): { readonly closed: Promise<unknown> } }, client: McpClient): Promise<{ readonly closed: Promise<unknown> }> {
  const [serverEnd, clientEnd] = memoryPair();
  const connection = server.connect(serverEnd);
  await client.connect(clientEnd);
  return connection;
}
