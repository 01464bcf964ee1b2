// What `npm start` runs, and that it notices when something does not come out.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { httpTransport, McpClient } from "mcp-interceptors";
import { createHttpSend } from "mcp-interceptors/node";
import type { GatewayConfig } from "../../src/gateway/config/config.ts";
import { DEFAULT_POLICY } from "../../src/gateway/config/default-policy.ts";
import { readJsonc } from "../../src/gateway/config/jsonc.ts";
import { startGateway } from "../../src/gateway/config/start.ts";
import { playSession } from "../../examples/demo/session.ts";
import { bundle } from "../support/bundle.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const program = (name: string) => ["-C", "mcp-interceptors-source", "--import", "tsx", example(name)];
const PATIENCE_MS = 60_000;

function start(...words: string[]) {
  const child = spawn(process.execPath, [...program("demo.ts"), ...words], { cwd: root, stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE_MS, killSignal: "SIGKILL" });
  let text = "";
  let errors = "";
  const stdout = child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text, errors }));
  /** Waits until it has been printed, or rejects when the program ends without. */
  const printed = async (wanted: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = wanted.exec(text);
      if (found !== null) return found;
      await Promise.race([once(stdout, "data"), ended.then(() => assert.fail(`it ended with ${JSON.stringify(text + errors)}`))]);
    }
  };
  return { child, ended, printed };
}

describe("npm start", () => {
  it("--once: plays the session, and ends with 0", async () => {
    const { code, text, errors } = await start("--once").ended;
    assert.deepEqual([code, errors], [0, ""], text);
    for (const line of [
      "no-deletions (validation) as policy/no-deletions",
      "  result  noted",
      "before  Ada Example: ada@example.org, +1 202-555-0143",
      "after   Ada Example: [REDACTED:email], [REDACTED:phone]",
      "no-deletions: delete_contact is not allowed here",
      "protocol 2026-07-28",
      "protocol 2025-11-25",
    ]) {
      assert.ok(text.includes(line), `${line} in ${text}`);
    }
    assert.match(text, /^ {2}tools\/call request: blocked {2}\(no-deletions invalid in \d+\.\d\d ms, \d+ interceptors\)$/m);
    assert.match(text, /url-guard: A URL reaches an address of cloud metadata/);
  });

  it("stays up for other clients, guarded, until it is interrupted", async () => {
    const { child, ended, printed } = start();
    const [, url = ""] = await printed(/It is yours now {2}(http:\/\/127\.0\.0\.1:\d+\/address-book\/mcp)\n[^]*Ctrl-C/);
    const send = createHttpSend();
    const client = new McpClient({ name: "real", version: "1" });
    await client.connect(httpTransport({ url, send }));
    await assert.rejects(client.callTool({ name: "delete_contact", arguments: { id: 1 } }), { code: -32602 });
    await client.close();
    await send.close();
    child.kill("SIGINT");
    const { code, errors } = await ended;
    assert.deepEqual([code, errors], [0, ""]);
  });
});

it("npm start runs the default policy, and two rules more", () => {
  const { value } = readJsonc(readFileSync(example("demo/gateway.jsonc"), "utf8"));
  assert.deepEqual((value as GatewayConfig).interceptors?.slice(0, -2), DEFAULT_POLICY);
});

describe("the session of the demo", () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  for (const [missing, interceptors, complaint] of [
    ["nothing is redacted", [{ module: example("policy.ts") }], /^Error: the answer was not redacted$/],
    ["nothing is blocked", [{ use: "redact" }], /^Error: the call was not blocked$/],
  ] as const) {
    it(`does not come out where ${missing}`, async () => {
      const book = bundle(example("upstream.ts"));
      const file = folder.write(`${interceptors.length}.json`, {
        upstreams: { book: { command: process.execPath, args: [book] } },
        interceptors,
        http: { port: 0 },
        audit: { file: `${missing}.jsonl`, sync: "never" },
      });
      const { gateway, close } = await startGateway({ file, watch: false, env: {} });
      const plain = { command: process.execPath, args: [book] };
      try {
        await assert.rejects(playSession({ url: `${gateway.url}/book/mcp`, plain, auditFile: `${folder.path}/${missing}.jsonl`, say: () => {} }), complaint);
      } finally {
        await close();
      }
    });
  }
});
