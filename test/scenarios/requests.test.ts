// Attacks by what a call asks for: hosts of the own network, files that are none of its business, results that flood the model.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { ANY, defences, ERAS, serverWith } from "./kit.ts";

const defend = defences();

describe("a request to the own network (SSRF)", () => {
  const METADATA: { readonly [spelling: string]: string } = {
    plain: "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    decimal: "http://2852039166/latest/meta-data/",
    hexadecimal: "http://0xA9FEA9FE/",
    "hexadecimal parts": "http://0xa9.0xfe.0xa9.0xfe/",
    octal: "http://0251.0376.0251.0376/",
    "mixed parts": "http://169.254.43518/",
    "IPv4 in IPv6": "http://[::ffff:169.254.169.254]/",
    "IPv4 in IPv6, hexadecimal": "http://[::ffff:a9fe:a9fe]/",
    NAT64: "http://[64:ff9b::a9fe:a9fe]/",
    "full-width digits": "http://１６９.２５４.１６９.２５４/",
    "ideographic dots": "http://169。254。169。254/",
    "percent-encoded": "http://%31%36%39.254.169.254/",
    "a dot at the end": "http://169.254.169.254./",
    "a name for it": "http://metadata.google.internal/computeMetadata/v1/",
    "a wildcard name": "http://169.254.169.254.nip.io/",
    "a user name before it": "http://example.com@169.254.169.254/",
    "a backslash before it": "http://example.com\\@169.254.169.254/",
    "no slashes": "http:169.254.169.254/",
    "upper case": "HTTP://169.254.169.254/",
    "a tab in it": "http://169.254.169\t.254/",
    IPv6: "http://[fd00:ec2::254]/",
  };
  const PRIVATE: { readonly [kind: string]: string } = {
    "localhost by decimal address": "http://2130706433:8080/admin",
    "localhost, short": "http://127.1/",
    "localhost by name": "http://localhost:6379/",
    "localhost, zero": "http://0/",
    "localhost, IPv6": "http://[::1]:9200/_cat",
    "a private network": "https://10.0.0.5/",
    "a router": "http://192.168.1.1/",
    "an internal name": "https://vault.internal/v1/secret",
    "a file": "file:///etc/passwd",
    gopher: "gopher://127.0.0.1:6379/_INFO",
  };
  it("is blocked in every spelling of the metadata address, and never reaches the server", async () => {
    const server = serverWith({ fetch: () => "fetched" });
    const { client } = await defend({ web: server });
    for (const era of ERAS) {
      const assistant = await client("web", era);
      for (const [spelling, url] of Object.entries(METADATA)) {
        assert.match(await assistant.blocked("fetch", { url }), /url-guard: A URL/, spelling);
        await assistant.blocked("fetch", { options: { targets: [url] } });
      }
    }
    assert.deepEqual(server.calls, []);
  });

  for (const [kind, url] of Object.entries(PRIVATE)) {
    it(`to ${kind} is blocked`, async () => {
      const server = serverWith({ fetch: () => "fetched" });
      const { client } = await defend({ web: server });
      for (const era of ERAS) await (await client("web", era)).blocked("fetch", { url });
      assert.deepEqual(server.calls, []);
    });
  }

  it("to the metadata service is blocked in the middle of a command, too, and as the URI of a resource", async () => {
    const server = serverWith({ run: () => "ran" });
    server.resourceTemplate({ uriTemplate: "http://{+host}", name: "any" }, () => ({ contents: [] }));
    const { client } = await defend({ shell: server });
    for (const era of ERAS) {
      const assistant = await client("shell", era);
      for (const command of ["curl -s http://169.254.169.254/latest/meta-data/", "wget -qO- 'http://0xA9FEA9FE/'", "see (http://2852039166/)"]) await assistant.blocked("run", { command });
      await assert.rejects(assistant.client.readResource({ uri: "http://169.254.169.254/latest/user-data" }), /Interceptor validation failed/);
    }
    assert.deepEqual(server.calls, []);
  });

  it("has twins, public hosts and documents that mention others, which pass", async () => {
    const server = serverWith({ fetch: () => "fetched", write: () => "written" });
    const { client } = await defend({ web: server });
    const harmless: JsonObject[] = [
      { url: "https://en.wikipedia.org/wiki/Server-side_request_forgery" },
      { url: "http://example.com:8080/a?next=%2Fb#c" },
      { url: "https://93.184.216.34/" },
      { url: "https://xn--bcher-kva.example/" },
      { content: "# Start\n\nRun `npm start` and open http://localhost:3000, or http://127.0.0.1:3000/docs.\nThe router is at http://192.168.1.1/, sockets at wss://api.example.com/live.\n" },
      { command: "curl -fsS http://localhost:3000/healthz" },
      { id: 2852039166, phone: "2130706433", version: "10.0.0.5", note: "ratio 0:1, at 169.254 m" },
    ];
    for (const era of ERAS) {
      const assistant = await client("web", era);
      for (const args of harmless) await assistant.passes("write", args);
    }
    assert.equal(server.calls.length, ERAS.length * harmless.length);
  });
});

describe("a path that leads out", () => {
  const PATHS: { readonly [how: string]: string } = {
    "by dots": "../../etc/passwd",
    "by dots in the middle": "/srv/files/../../etc/passwd",
    "by encoded dots": "/srv/files/%2e%2e/%2e%2e/etc/passwd",
    "by half-encoded dots": "files/.%2e/secret",
    "by encoded slashes": "files/..%2f..%2fetc%2fpasswd",
    "by dots that are encoded twice": "/srv/files/%252e%252e/%252e%252e/etc/passwd",
    "by overlong UTF-8": "/srv/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd",
    "by full-width dots": "/srv/．．/．．/etc/passwd",
    "by one-dot leaders": "/srv/\u2024\u2024/etc/passwd",
    "by backslashes": "files\\..\\..\\windows\\win.ini",
    "by a parameter behind dots": "/srv/..;/..;/etc/passwd",
    "behind a NUL": "/srv/files/a.txt\u0000/../../etc/passwd",
    "by a file URI": "file:///srv/%2e%2e/etc/shadow",
    "to another host": "\\\\evil.example\\share\\x",
    "to keys": "/home/ann/.ssh/id_ed25519",
    "to the process's own environment": "/proc/self/environ",
  };
  for (const [how, path] of Object.entries(PATHS)) {
    it(`${how} is blocked, and never reaches the server`, async () => {
      const server = serverWith({ read: () => "read" });
      const { client } = await defend({ files: server });
      for (const era of ERAS) {
        const assistant = await client("files", era);
        assert.match(await assistant.blocked("read", { path }), /path-guard: A path/);
        await assistant.blocked("read", { files: [{ path: "/srv/a.txt" }, { path }] });
      }
      assert.deepEqual(server.calls, []);
    });
  }

  it("is blocked in the URI of a resource", async () => {
    const server = serverWith({});
    server.resourceTemplate({ uriTemplate: "file:///{+path}", name: "files" }, () => ({ contents: [] }));
    const { client } = await defend({ files: server });
    for (const era of ERAS) {
      for (const uri of ["file:///srv/%2e%2e/%2e%2e/etc/passwd", "file:///srv/../etc/passwd", "file:///root/.ssh/id_rsa"]) {
        await assert.rejects((await client("files", era)).client.readResource({ uri }), /Interceptor validation failed/);
      }
    }
  });

  it("has twins, odd paths that stay where they are and texts about paths, which pass", async () => {
    const server = serverWith({ write: () => "written" });
    const { client } = await defend({ files: server });
    const harmless: JsonObject[] = [
      { path: "/home/ann/project/src/index.ts" },
      { path: "notes/Q3 report (final)...v2.md" },
      { path: "./a/.hidden/..config.json" },
      { path: "C:\\Users\\ann\\Documents\\plan.docx" },
      { path: "/srv/50%25 off/größe.txt" },
      { path: "/srv/a.txt", content: "import { a } from '../lib/a.ts';\nconst dir = join(root, '..', 'x');\n" },
      { command: "cd .. && ls", note: "and so on ..." },
      { range: "main..feature", other: "HEAD~3...HEAD", text: "see /etc/passwd(5)" },
    ];
    for (const era of ERAS) {
      const assistant = await client("files", era);
      for (const args of harmless) await assistant.passes("write", args);
    }
    assert.equal(server.calls.length, ERAS.length * harmless.length);
  });
});

describe("an oversized result", () => {
  const MIB = 1_048_576;
  const LINE = "of the log... ";

  it("is cut, says so, and its secrets are masked before", async () => {
    const server = serverWith({
      text: () => `${LINE.repeat(90_000)}the end`,
      blocks: () => ({ content: Array.from({ length: 25 }, (_, index) => ({ type: "text" as const, text: `${index}:${LINE.repeat(4_000)}` })) }),
    });
    const { client } = await defend({ logs: server });
    for (const era of ERAS) {
      for (const name of ["text", "blocks"]) {
        const text = await (await client("logs", era)).passes(name);
        assert.ok(text.length <= MIB, String(text.length));
        assert.match(text, /\[truncated: /);
        assert.doesNotMatch(text, /the end|"24:/);
      }
    }
  });

  it("that cannot be cut is blocked: structured content, a resource, too many levels, a list that never ends", async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 80; level++) deep = { in: deep };
    const server = serverWith({
      structured: () => ({ structuredContent: { rows: Array.from({ length: 5_500 }, () => LINE.repeat(16)) } }),
      deep: () => ({ content: [{ type: "text", text: "ok" }], structuredContent: deep }),
      many: () => ({ content: [{ type: "text", text: "ok" }], structuredContent: { rows: Array.from({ length: 20_000 }, () => 1) } }),
    });
    server.resource({ uri: "mem:///log", name: "log" }, () => ({ contents: [{ uri: "mem:///log", text: LINE.repeat(90_000) }] }));
    const { client } = await defend({ logs: server });
    for (const era of ERAS) {
      const assistant = await client("logs", era);
      for (const name of ["structured", "deep", "many"]) assert.match(await assistant.blocked(name), /size-limit/);
      await assert.rejects(assistant.client.readResource({ uri: "mem:///log" }), /Interceptor validation failed/);
    }
  });

  it("has a twin, a large result within the bounds, which arrives whole", async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({ id: index, name: `user ${index}`, tags: ["a", "b"] }));
    const server = serverWith({ text: () => LINE.repeat(72_000), rows: () => ({ structuredContent: { rows } }), picture: () => ({ content: [{ type: "image", data: Buffer.alloc(600_000).toString("base64"), mimeType: "image/png" }] }) });
    server.tool({ name: "empty", inputSchema: ANY }, () => ({ content: [] }));
    const { client } = await defend({ logs: server });
    for (const era of ERAS) {
      const assistant = await client("logs", era);
      assert.ok((await assistant.passes("text")).includes(LINE.repeat(72_000)));
      assert.deepEqual((await assistant.client.callTool({ name: "rows", arguments: {} })).structuredContent, { rows });
      for (const name of ["picture", "empty"]) assert.doesNotMatch(await assistant.passes(name), /truncated/);
    }
  });
});
