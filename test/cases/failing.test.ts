// Case 49: whatever becomes of an interceptor, what the configuration says is what happens, within its time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { INDEX } from "../gateway/config/kit.ts";
import { ask, gateways, HANDSHAKE, httpUpstream, STATELESS } from "./kit.ts";

const { folder, start } = gateways();

/** One interceptor: what it is, and how it is to be taken. */
interface Cell {
  readonly name: string;
  readonly type: "validation" | "mutation";
  readonly phase: "request" | "response";
  readonly mode: "active" | "audit";
  readonly failOpen: boolean;
  /** Who says so: the interceptor itself, or the configuration against it. */
  readonly overridden: boolean;
}

const either = <Value>(...values: readonly Value[]) => values;
const CELLS: readonly Cell[] = either<Cell["type"]>("validation", "mutation").flatMap((type) =>
  either<Cell["phase"]>("request", "response").flatMap((phase) =>
    either<Cell["mode"]>("active", "audit").flatMap((mode) =>
      either(false, true).flatMap((failOpen) =>
        either(false, true).map((overridden) => ({ name: `${type}-${phase}-${mode}-${failOpen ? "open" : "closed"}-${overridden ? "overridden" : "declared"}`, type, phase, mode, failOpen, overridden })),
      ),
    ),
  ),
);
const other = (mode: Cell["mode"]) => (mode === "audit" ? "active" : "audit");
const descriptorOf = ({ name, type, phase, mode, failOpen, overridden }: Cell) => ({
  name,
  type,
  hooks: [{ events: ["tools/call"], phase }],
  mode: overridden ? other(mode) : mode,
  failOpen: overridden ? !failOpen : failOpen,
});
const toolOf = (fault: string, { name }: Cell) => `${fault}/${name}`;
/** One that never answers may take for ever where it only looks on. */
const timeoutMs = ({ mode }: Cell) => (mode === "audit" ? 60_000 : 300);
const itemOf = (fault: string, source: object) => ({
  ...source,
  name: fault.replaceAll(" ", "-"),
  overrides: Object.fromEntries(
    CELLS.map((cell) => [cell.name, { when: { tool: toolOf(fault, cell) }, timeoutMs: timeoutMs(cell), ...(cell.overridden ? { mode: cell.mode, failOpen: cell.failOpen } : {}) }]),
  ),
});

/** Handlers of a module of this process; what they change before they fail is not to be seen. */
const IN_PROCESS: { readonly [fault: string]: string } = {
  throws: '{ payload.name = "changed"; payload.content = []; throw new TypeError("s3cret"); }',
  rejects: '{ return Promise.reject("s3cret"); }',
  "throws nothing": "{ throw undefined; }",
  "gives null": "{ return null; }",
  "gives a number": "{ return 5; }",
  "gives half a result": '{ return { valid: "yes" }; }',
  "gives itself": "{ const own = {}; own.own = own; return own; }",
  hangs: "{ return new Promise((resolve) => void (globalThis.hanging ??= []).push(resolve)); }",
};
for (const [fault, body] of Object.entries(IN_PROCESS)) {
  folder.write(
    `${fault}.mjs`,
    `import { mutator, validator } from ${JSON.stringify(INDEX)};
export default ${JSON.stringify(CELLS.map(descriptorOf))}.map(({ type, ...rest }) => (type === "mutation" ? mutator : validator)(rest, ({ payload }) => ${body}));`,
  );
}

const FAULTY = fileURLToPath(new URL("fixtures/faulty.mjs", import.meta.url));
const OVER_STDIO = ["null", "malformed", "other type", "other phase", "no payload", "error", "other id", "silence", "garbage", "exit", "killed"];

const OVER_HTTP: { readonly [fault: string]: (response: ServerResponse, id: number) => unknown } = {
  "http 500": (response) => response.writeHead(500).end("s3cret"),
  "http 401": (response) => response.writeHead(401, { "www-authenticate": 'Bearer error="s3cret"' }).end(),
  "http 404": (response) => response.writeHead(404).end(),
  "http 202": (response) => response.writeHead(202).end(),
  "http page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>s3cret</p>"),
  "http broken": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0"'),
  "http cut": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" }).write('{"jsonrpc":"2.0",');
    setImmediate(() => response.destroy());
  },
  "http reset": (response) => response.destroy(),
  "http silence": () => {},
  "http stream": (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n"),
  "http null": (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: null })),
};

async function interceptorServer(fault: string): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
      const say = (result: object) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      if (method === "initialize") say({ protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: { name: "faulty", version: "1" } });
      else if (method === "interceptors/list") say({ interceptors: CELLS.map(descriptorOf) });
      else if (method === "interceptor/invoke") OVER_HTTP[fault]?.(response, id ?? 0);
      else if (id === undefined) response.writeHead(method === undefined ? 405 : 202).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const text = (name: unknown) => [{ type: "text", text: `upstream ${String(name)}` }];

/** Calls each cell's own tool, and holds what comes to what the cell says. */
async function hold(faults: readonly string[], interceptors: readonly object[]): Promise<void> {
  const upstream = await httpUpstream(STATELESS, { tools: {} }, ({ params = {} }) => ({ resultType: "complete", content: text(params["name"]) }));
  const { gateway } = await start({ upstreams: { own: { url: upstream.url } }, interceptors, http: { port: 0 } });
  const holdOne = async (fault: string, cell: Cell) => {
    const name = toolOf(fault, cell);
    // Long before the time of those that only look on.
    const { text: whole, message: answer } = await ask(`${gateway.url}/own/mcp`, "tools/call", { name, arguments: {} }, { signal: AbortSignal.timeout(30_000) });
    assert.ok(!whole.includes("s3cret"), whole);
    const seen = upstream.seen.filter(({ message }) => message.params?.["name"] === name).length;
    const blocks = cell.mode === "active" && !cell.failOpen;
    assert.equal(seen, blocks && cell.phase === "request" ? 0 : 1, name);
    if (!blocks) return assert.deepEqual(answer.result?.["content"], text(name), name);
    const own = cell.type === "validation" ? -32602 : -32603;
    const codes = /^(?:hangs|silence|http silence)\//.test(name) ? [-32000] : [own, -32000];
    assert.ok(answer.result === undefined && codes.includes(answer.error?.code ?? 0), `${name}: ${JSON.stringify(answer)}`);
  };
  for (const fault of faults) await Promise.all(CELLS.map((cell) => holdOne(fault, cell)));
}

describe("an interceptor that fails blocks where it is active and closed, and nowhere else", () => {
  it("in this process, however it fails", async () => {
    const faults = Object.keys(IN_PROCESS);
    await hold(faults, faults.map((fault) => itemOf(fault, { module: `${fault}.mjs` })));
    // Nothing else ends those that hang, and their time would run on behind the test.
    for (const end of (globalThis as { hanging?: (() => void)[] }).hanging ?? []) end();
  });

  it("on a server on stdio, which answers wrongly or not at all, or is gone", async () => {
    await hold(OVER_STDIO, OVER_STDIO.map((fault) => itemOf(fault, { command: process.execPath, args: [FAULTY, fault, JSON.stringify(CELLS.map(descriptorOf))] })));
  });

  it("on a server over HTTP, which answers wrongly or not at all, or is gone", async () => {
    const faults = Object.keys(OVER_HTTP);
    await hold(faults, await Promise.all(faults.map(async (fault) => itemOf(fault, { url: await interceptorServer(fault) }))));
  });
});
