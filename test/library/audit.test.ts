import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { audit, type AuditRecord, type LibraryAuditConfig } from "../../src/library/audit.ts";
import { fakeHost } from "../support/fake-host.ts";
import { invokeLater } from "./invoke.ts";
import { serviceDouble } from "./service-double.ts";

const KEY = "a key of some length";

function rig(config: LibraryAuditConfig = {}, sink?: (record: AuditRecord) => void | Promise<void>) {
  const records: AuditRecord[] = [];
  const one = audit({ key: KEY, ...config }, { host: fakeHost(), sink: sink ?? ((record) => void records.push(record)) });
  return { one, records, run: (phase: "request" | "response", payload: unknown, more: object = {}) => invokeLater(one, { event: "tools/call", phase, payload, ...more }) };
}

describe("audit", () => {
  it("keeps who, what and how much of each message, and lets it pass", async () => {
    const { records, run } = rig();
    const context = { sessionId: "s", traceId: "t", principal: { type: "user" as const, id: "ada", claims: { iss: "https://i.example", email: "ada@x.example" } } };
    const result = await run("request", { name: "pay", arguments: { to: "bob" } }, { context });
    assert.equal((result as { valid?: boolean }).valid, true);
    const [{ digest, ...record } = { digest: "" }] = records;
    assert.deepEqual(record, {
      at: "2026-07-28T00:00:00.000Z", event: "tools/call", phase: "request", target: "pay", session: "s", who: { type: "user", id: "ada", issuer: "https://i.example" }, trace: "t", bytes: 39,
    });
    assert.match(digest ?? "", /^hmac-sha256:[0-9a-f]{64}$/);
  });

  it("never keeps what a message says", async () => {
    const { records, run } = rig();
    const secret = "s3cret-value";
    await run("request", { name: "t", arguments: { password: secret, headers: { Authorization: `Bearer ${secret}` } }, _meta: { x: secret } });
    await run("response", { error: { code: 1, message: secret, data: { secret } } });
    await run("response", { isError: true, content: [{ type: "text", text: secret }] });
    await invokeLater(rig({}, (record) => void records.push(record)).one, { event: "resources/read", phase: "request", payload: { uri: `https://x.example/a?token=${secret}#${secret}` } });
    assert.ok(!JSON.stringify(records).includes(secret));
    assert.deepEqual(records.map(({ failed }) => failed), [undefined, true, true, undefined]);
    assert.equal(records[3]?.target, "https://x.example/a");
    for (const uri of [`https://u:${secret}@x.example/a`, `https://u:@${secret}@x.example/a`, `https:\\\\u:${secret}@x.example/a`, `https:u:${secret}@x.example/a`, `https://${secret}@x.example/a@b?q=@c`]) {
      await invokeLater(rig({}, (record) => void records.push(record)).one, { event: "resources/read", phase: "request", payload: { uri } });
      assert.match(records.at(-1)?.target ?? "", /^https:[/\\]*x\.example\/a(?:@b)?$/, uri);
    }
  });

  it("gives equal payloads equal digests under one key, and other ones under another", async () => {
    const digests = async (key: string | undefined, payload: object) => {
      const { records, run } = rig(key === undefined ? {} : { key });
      await run("request", payload);
      return records[0]?.digest;
    };
    assert.equal(await digests(KEY, { a: 1, b: 2 }), await digests(KEY, { b: 2, a: 1 }));
    assert.notEqual(await digests(KEY, { a: 1 }), await digests("another key of length", { a: 1 }));
    const { records, run } = rig();
    await run("request", { a: "x".repeat(70_000) });
    assert.equal(records[0]?.digest, undefined);
    assert.equal(records[0]?.bytes, 70_008);
  });

  it("waits until the record is kept, and fails where it cannot be: that blocks", async () => {
    let kept = false;
    await rig({}, async () => {
      await Promise.resolve();
      kept = true;
    }).run("request", {});
    assert.ok(kept);
    await assert.rejects(async () => rig({}, () => Promise.reject(new Error("disk full"))).run("request", {}), /Interceptor execution failed/);
  });

  it("sends records to a service", async () => {
    const { host, seen } = serviceDouble(() => ({}));
    await invokeLater(audit({ url: "https://log.example/", secret: "sixteen letters or more" }, { host }), { event: "tools/call", phase: "request", payload: { name: "t" } });
    assert.equal((JSON.parse(seen[0]?.body ?? "") as AuditRecord).target, "t");
    const down = serviceDouble(() => new Response("", { status: 503 }));
    await assert.rejects(async () => invokeLater(audit({ url: "https://log.example/" }, { host: down.host }), { event: "tools/call", phase: "request", payload: {} }), /Interceptor execution failed/);
  });

  it("is refused with nowhere to write, and with configs that do not fit", () => {
    assert.throws(() => audit({}), { code: "invalid_argument", message: /has nowhere to write/ });
    for (const [config, place] of [[{ key: "short" }, "key"], [{ url: "http://x.example" }, "url"], [{ events: [5] }, "events\\[0\\]"]] as const) {
      assert.throws(() => audit(config as LibraryAuditConfig, { sink: () => {} }), { code: "invalid_argument", message: new RegExp(`^config of audit: ${place} `) });
    }
  });
});
