// Case 55: a secret that goes through everything is in no sink: audit log, metrics, spans, standard error.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { JsonObject } from "../../src/core/base/json.ts";
import { startCli, type Running } from "../cli/run-cli.ts";
import { INDEX } from "../gateway/config/kit.ts";
import { bundle } from "../support/bundle.ts";
import { ask, gateways, sendRaw, session } from "./kit.ts";
import { collector } from "./collector.ts";

// Signals, and modes of files.
const posix = { skip: process.platform === "win32" };
const { folder, start } = gateways();
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** What callers and servers say. */
const SAID = "s3cret/Sentinel+7f41c9";
/** What the configuration takes from its environment, by the member that it goes into. */
const CONFIGURED = ["token", "url", "header", "env", "collector", "audit", "remote"].map((name) => `c0nfigured-${name}-5be2`);
const [TOKEN = "", URL_KEY, HEADER, CHILD, COLLECTOR, AUDIT_KEY, REMOTE] = CONFIGURED;
const ENV = { T0: TOKEN, T1: URL_KEY ?? "", T2: HEADER ?? "", T3: CHILD ?? "", T4: COLLECTOR ?? "", T5: AUDIT_KEY ?? "", T6: process.execPath };

/** As they would stand in texts, in JSON, in URLs, and encoded. */
const shapesOf = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  secret.replaceAll("/", "~1"),
  JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("base64url"),
];
const SHAPES = [SAID, ...CONFIGURED].flatMap(shapesOf);

function holdClean(sinks: Readonly<Record<string, string>>, shapes: readonly string[] = SHAPES): void {
  for (const [name, text] of Object.entries(sinks)) {
    for (const shape of shapes) {
      const at = text.indexOf(shape);
      assert.equal(at, -1, `${name}: …${text.slice(Math.max(0, at - 300), at + 100)}`);
    }
  }
}

folder.write("remote.secret", `${REMOTE}\n`);
folder.write(
  "policies.mjs",
  `import { deny, mutator, validator, warn } from ${JSON.stringify(pathToFileURL(bundle(fileURLToPath(INDEX))).href)};
const says = (payload) => JSON.stringify(payload);
const on = (tool, phase) => ({ hooks: [{ events: ["tools/call"], phase }], tool });
export const denies = validator({ name: "denies", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.arguments?.how === "deny" ? deny("found " + says(payload)) : warn("seen " + says(payload))));
export const crashes = validator({ name: "crashes", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => {
  if (payload.arguments?.how === "crash" || payload.arguments?.how === "crash-open") throw Object.assign(new TypeError("cannot read " + says(payload)), { code: payload.arguments.secret, name: payload.arguments.secret });
  return true;
});
export const mutates = mutator({ name: "mutates", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => {
  if (payload.arguments?.how === "half") return { name: 5, why: says(payload) };
  return { ...payload, _meta: { ...payload._meta, "com.example/seen": says(payload) } };
});
export const breaks = mutator({ name: "breaks", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => {
  const was = payload._meta?.["com.example/was"];
  return was === undefined ? payload : { ...payload, structuredContent: { size: was, [was]: 1 } };
});
export const audits = validator({ name: "audits", mode: "audit", hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }], handlesErrors: true }, ({ payload }) => {
  throw new RangeError(says(payload));
});`,
);

const JSONL = "audit.jsonl";
const configOf = (name: string, format: string, collectorUrl: string) => ({
  upstreams: {
    child: { command: "${T6}", args: [fixture("leaky.mjs")], env: { CHILD_SECRET: "${T3}" } },
    down: { url: "http://127.0.0.1:9/mcp?key=${T1}", headers: { "X-Key": "${T2}" } },
    gone: { command: "no-such-command-${T1}", args: ["${T2}"] },
  },
  interceptors: [
    { module: "policies.mjs" },
    { command: process.execPath, args: [fixture("faulty.mjs"), "garbage", JSON.stringify([{ name: "garbles", type: "validation", hooks: [{ events: ["tools/call"], phase: "response" }], failOpen: true }])], timeoutMs: 300, env: { KEY: "${file:remote.secret}" } },
  ],
  http: { port: 0 },
  auth: { tokens: [{ token: "${T0}", principal: { type: "user", id: "ann" } }], anonymous: true },
  audit: { file: `${name}/${JSONL}`, key: "${T5}", maxFileBytes: 4_096, sync: "never" },
  metrics: {},
  traces: { url: `${collectorUrl}?key=\${T4}`, headers: { "X-Key": "${T4}" } },
  logs: { format, level: "debug" },
});

/** A socket's worth of things that are no good messages, and good ones that end badly. */
async function visit(url: string): Promise<readonly string[]> {
  const child = `${url}/child/mcp`;
  const bearer = { authorization: `Bearer ${TOKEN}`, "x-own": SAID, cookie: `session=${SAID}` };
  const progressToken = "progress-1";
  const answers: string[] = [];
  const call = async (name: string, more: JsonObject = {}, meta: JsonObject = {}) => {
    const { text } = await ask(child, "tools/call", { name, arguments: { secret: SAID, apiKey: SAID, headers: { Authorization: `Bearer ${SAID}` }, ...more } }, { headers: bearer, meta: { progressToken, traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`, baggage: `user=${SAID}`, "com.example/key": SAID, ...meta } });
    answers.push(text);
    return JSON.parse(text.includes("\ndata:") || text.startsWith("data:") ? ([...text.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? "{}") : text) as { result?: JsonObject };
  };
  await ask(child, "tools/list", {}, { headers: bearer });
  for (const name of ["echo", "fail", "refuse", "progress", "noise", "measure", "malformed"]) await call(name);
  await call("log", {}, { "io.modelcontextprotocol/logLevel": "debug" });
  for (const how of ["deny", "crash", "half"]) await call("echo", { how });
  const asking = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const asked = (await call("ask", {}, asking)).result;
  const [key = ""] = Object.keys((asked?.["inputRequests"] ?? {}) as object);
  const params = { name: "ask", arguments: { secret: SAID }, requestState: asked?.["requestState"] as string, inputResponses: { [key]: { action: "accept", content: { pin: SAID } } } };
  answers.push((await ask(child, "tools/call", params, { headers: bearer, meta: asking })).text);
  answers.push((await ask(child, "tools/call", { ...params, requestState: `parked1.${SAID}` }, { headers: bearer, meta: asking })).text);
  await ask(child, "resources/read", { uri: `https://files.example/a?token=${SAID}` }, { headers: bearer });
  await ask(child, "tools/call", { name: "echo", arguments: {} }, { headers: { authorization: `Bearer ${SAID}` } });
  await ask(child, "tools/call", { name: "echo", arguments: {} }, { headers: { authorization: `Basic ${Buffer.from(`ann:${SAID}`).toString("base64")}` } });
  await ask(`${child}?access_token=${encodeURIComponent(SAID)}`, "tools/list");
  await ask(child, "tools/call", { name: "echo", arguments: {} }, { headers: { "mcp-name": SAID } });
  await ask(child, "tools/call", { name: "echo", arguments: {} }, { headers: { "mcp-session-id": SAID, "mcp-protocol-version": SAID } });
  for (const body of [`{"${SAID}":1,"${SAID}":2}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"${SAID}"}`, SAID, `[{"secret":"${SAID}"}]`]) {
    const head = `Host: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Method: tools/list\r\nMCP-Protocol-Version: 2026-07-28\r\nConnection: close\r\n`;
    await sendRaw(url, `POST /child/mcp HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  for (const upstream of ["down", "gone"]) answers.push((await ask(`${url}/${upstream}/mcp`, "tools/call", { name: "echo", arguments: { secret: SAID } }, { headers: bearer })).text);
  const opened = await session(child, bearer);
  await opened.ask("tools/call", { name: "fail", arguments: { secret: SAID } });
  await opened.ask("tools/call", { name: "die", arguments: { secret: SAID } });
  const sessionId = opened.opened.headers.get("mcp-session-id") ?? "";
  assert.ok(sessionId.length > 16);
  // What the visit was for: the secret was really there to be leaked.
  assert.ok(answers.some((text) => text.includes(SAID)));
  return [sessionId];
}

async function until(running: Running, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = pattern.exec(running.stderr())?.[1];
    if (found !== undefined) return found;
    await Promise.race([new Promise((resolve) => running.child.stderr.once("data", resolve)), running.ended.then(({ stderr }) => assert.fail(stderr))]);
  }
}

describe("a secret that goes through everything", { concurrency: 2 }, () => {
  for (const format of ["json", "text"] as const) {
    for (const verbose of [false, true]) {
      it(`is in no audit log, metric, span or line on stderr (${format}${verbose ? ", verbose" : ""})`, posix, async () => {
        const name = `${format}-${verbose}`;
        const spans = await collector(SAID);
        folder.write(`${name}/.keep`, "");
        const config = configOf(name, format, spans.url);
        const file = folder.write(`${name}.json`, config);
        const running = await startCli(["gateway", "-c", file, "--no-watch", ...(verbose ? ["--verbose"] : [])], { env: ENV });
        const url = await until(running, /(http:\/\/\S+)\/child\/mcp/);
        const ops = await until(running, /metrics at (http:\/\/\S+)\/metrics/);
        const sessions = await visit(url);
        const metrics = await (await fetch(`${ops}/metrics`)).text();
        // A configuration that is wrong, with its secrets in all the wrong places.
        folder.write(`${name}.json`, { ...config, http: { port: 0, host: "${T1}" }, drainMs: "${T2}", upstreams: { ...config.upstreams, "bad/${T3}": { comand: "${T3}" } } });
        running.child.kill("SIGHUP");
        await until(running, /(goes on as it was)/);
        folder.write(`${name}.json`, { ...config, interceptors: [{ module: "no/such-${T1}.mjs" }, { url: "http://127.0.0.1:9/${T2}" }] });
        const before = running.stderr().length;
        running.child.kill("SIGHUP");
        while (!/goes on as it was/.test(running.stderr().slice(before))) await new Promise((resolve) => running.child.stderr.once("data", resolve));
        running.child.kill("SIGTERM");
        const { code, stderr, messages } = await running.ended;
        assert.deepEqual([code, messages], [0, []]);

        const files = readdirSync(join(folder.path, name)).filter((one) => one.startsWith(JSONL));
        const audit = files.map((one) => readFileSync(join(folder.path, name, one), "utf8")).join("");
        for (const [text, words] of [[stderr, ["an interceptor failed|failed|cannot read", "crashes"]], [audit, ["validation_failed", "crashes", "hmac-sha256:"]], [metrics, ["fail_open_total", "blocked_total"]], [spans.received(), ["judge tools/call"]]] as const) {
          for (const word of words) assert.match(text, new RegExp(word));
        }
        // Whoever asks for what errors say gets that: what a failing interceptor has quoted, in the line that tells of its failure, what a server wrote that is no
        // message, in the line that says so, and nothing else.
        const stray = /wrote a line of \d+ characters that is no message \(/.source;
        const failures = format === "text" ? new RegExp(`^mcp-interceptors: (?:warning: )?(?:(?:policies|server)/\\w+ at the |.*${stray}).*\\n`, "gm") : new RegExp(`^\\{(?!.*"message":"an interceptor failed").*(?:"interceptor":"(?:policies|server)/\\w+".*"reason":|${stray}).*\\n`, "gm");
        const quoted = verbose ? failures : /(?!)/g;
        assert.equal(quoted.test(stderr), verbose);
        holdClean({ stderr: stderr.replace(quoted, ""), audit, metrics, spans: spans.received() }, [...SHAPES, ...sessions]);
        holdClean({ stderr }, [process.execPath, ...CONFIGURED.flatMap(shapesOf)]);
        assert.ok(files.length > 2, files.join());
        for (const one of files) assert.equal(statSync(join(folder.path, name, one)).mode & 0o777, 0o600, one);
      });
    }
  }
});

describe("an audit log", () => {
  it("is its owner's alone, whatever the umask says, after each rotation, and where the file was there before", posix, async () => {
    const umask = process.umask(0);
    try {
      folder.write("server.mjs", `import { McpServer } from ${JSON.stringify(INDEX)};\nexport const server = new McpServer({ name: "own", version: "1" });\nserver.tool({ name: "read", inputSchema: { type: "object" } }, () => "text");`);
      const allow = `import { validator } from ${JSON.stringify(INDEX)};\nexport const allow = validator({ name: "allow", hooks: [{ events: ["*"], phase: "request" }] }, () => true);`;
      folder.write("allow.mjs", allow);
      chmodSync(folder.write("open/there.jsonl", ""), 0o666);
      for (const file of ["open/new.jsonl", "open/there.jsonl"]) {
        const config = { upstreams: { own: { module: "server.mjs" } }, interceptors: [{ module: "allow.mjs" }], http: { port: 0 }, audit: { file, maxFileBytes: 2_000, sync: "never" } };
        const { gateway, close } = await start(config);
        for (let call = 0; call < 8; call++) assert.equal((await ask(`${gateway.url}/own/mcp`, "tools/call", { name: "read", arguments: {} })).status, 200);
        await close();
        const files = readdirSync(join(folder.path, "open")).filter((name) => `open/${name}`.startsWith(file));
        assert.ok(files.length > 2, files.join());
        for (const name of files) assert.equal(statSync(join(folder.path, "open", name)).mode & 0o777, 0o600, name);
      }
    } finally {
      process.umask(umask);
    }
  });
});
