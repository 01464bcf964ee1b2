// Two gateways on examples/deploy/gateway.jsonc behind examples/deploy/nginx.conf, used by official clients. Of the files nothing is changed but addresses.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createIssuer } from "../gateway/issuer.ts";
import { findNginx, startNginx, type Proxy } from "../load/nginx.ts";
import { ask, openClient, parkedIn, post, type Line, type OfficialClient } from "./clients.ts";
import { DEPLOY, startGatewayReplica, startNotes, type GatewayReplica } from "./replicas.ts";

const command = findNginx();
const reason = "nginx is not installed";
if (command === undefined) console.log(`compared: two gateways behind the nginx.conf of examples/deploy: skipped, as ${reason}`);

const LINES: readonly Line[] = ["1.x", "2.x", "2.x stateless"];
const NAMES = ["gateway-1", "gateway-2"] as const;
const INITIALIZE = { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } };

/** The example with these addresses in the places that its first lines name. */
function configured(port: number, ports: ReadonlyMap<string, number>): string {
  let text = readFileSync(join(DEPLOY, "nginx.conf"), "utf8");
  const put = (from: string, to: string, times: number) => {
    assert.equal(text.split(from).length - 1, times, `${from} in nginx.conf`);
    text = text.replaceAll(from, to);
  };
  put("listen 8080;", `listen 127.0.0.1:${port};`, 1);
  for (const [name, at] of ports) put(`server ${name}:3000 `, `server 127.0.0.1:${at} `, 2);
  return text;
}

describe("two gateways behind the nginx.conf of examples/deploy", { skip: command === undefined ? reason : false, timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-deploy-"));
  const { jwks, tokenFor } = createIssuer(folder);
  const replicas = new Map<string, GatewayReplica>();
  /** A token of a client that the balancer sends there. */
  const tokens = new Map<string, string>();
  const clients: OfficialClient[] = [];
  let notes: Awaited<ReturnType<typeof startNotes>>;
  let proxy: Proxy;

  const everything = () => `${proxy.origin}/everything/mcp`;
  const direct = (name: string) => `http://127.0.0.1:${replicas.get(name)?.port}/everything/mcp`;
  const open = async (line: Line, name: string, url = everything()) => {
    const client = await openClient(line, url, tokens.get(name) ?? "");
    clients.push(client);
    return client;
  };

  before(async () => {
    if (command === undefined) return;
    notes = await startNotes();
    const env = { NOTES_URL: notes.url, NOTES_TOKEN: "token-of-the-gateway", JWKS: jwks, PUBLIC_HOST: "127.0.0.1" };
    for (const replica of await Promise.all(NAMES.map((name) => startGatewayReplica(name, folder, env)))) replicas.set(replica.name, replica);
    const ports = new Map([...replicas].map(([name, { port }]) => [name, port]));
    proxy = await startNginx(command, folder, (port) => configured(port, ports));
    for (let number = 0; tokens.size < NAMES.length; number++) {
      assert.ok(number < 30, "all clients go to one replica");
      const token = tokenFor(`user-${number}`);
      const { replica } = parkedIn(await ask(everything(), token));
      if (!tokens.has(replica)) tokens.set(replica, token);
    }
  });
  after(async () => {
    await Promise.allSettled(clients.map((client) => client.close()));
    await proxy?.stop();
    await Promise.all([...replicas.values()].map((replica) => replica.end("SIGKILL")));
    await notes?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("keeps each client at its replica, its session and its parked calls included, in both eras", async () => {
    const sessions = new Set<string | undefined>();
    const steps = async (line: Line, name: string) => {
      const client = await open(line, name);
      sessions.add(client.session);
      for (let round = 0; round < 4; round++) {
        assert.match(await client.call("echo", { message: `to ann@example.com ${round}` }), new RegExp(`to \\[REDACTED:email\\] ${round}`));
        // A session is asked on its stream; a stateless call is parked, and goes on by a retry.
        assert.match(await client.call("trigger-elicitation-request"), /accept|provided/i);
      }
      await assert.rejects(client.call("get-env"), /Unknown tool/);
    };
    await Promise.all(NAMES.flatMap((name) => LINES.map((line) => steps(line, name))));
    assert.equal(sessions.size, 5, "four sessions, and none in 2026-07-28");
  });

  it("lets any replica have what is no client's own", async () => {
    const client = await open("2.x stateless", NAMES[0], `${proxy.origin}/notes/mcp`);
    for (let round = 0; round < 20; round++) assert.match(await client.call("echo", { text: `n${round}` }), new RegExp(`n${round}`));
    for (const [name, replica] of replicas) assert.match(await replica.metrics(), /^mcp_interceptors_messages_total\{upstream="notes",/m, `${name} had none of it`);
  });

  it("asks for tokens, says where they are had, and hides the rest", async () => {
    const refused = await fetch(everything(), { method: "POST" });
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get("www-authenticate") ?? "", /resource_metadata="https:\/\/127\.0\.0\.1\/\.well-known\/oauth-protected-resource"/);
    assert.match(await (await fetch(`${proxy.origin}/.well-known/oauth-protected-resource`)).text(), /https:\/\/login\.example\.com/);
    assert.deepEqual(await Promise.all(["/metrics", "/readyz", "/"].map(async (path) => (await fetch(`${proxy.origin}${path}`)).status)), [404, 404, 404]);
  });

  it("has a reason to: another replica knows neither the session nor the parked call", async () => {
    const [here, there] = NAMES;
    const token = tokens.get(here) ?? "";
    const { session } = await open("1.x", here);
    const headers = { "mcp-session-id": session ?? "", "mcp-protocol-version": "2025-11-25" };
    const listed = (url: string) => post(url, token, { method: "tools/list" }, headers);
    assert.deepEqual([(await listed(direct(here))).status, (await listed(direct(there))).status], [200, 404]);
    const { state } = parkedIn(await ask(direct(here), token));
    assert.match((await ask(direct(there), token, state)).text, /"reason":"parked_elsewhere"/);
    assert.match((await ask(everything(), token, state)).text, /declin/i);
  });

  it("goes on with one replica when the other one is killed: its clients come over, those of the other one notice nothing", async () => {
    const [dead, alive] = NAMES;
    const [gone, stays, stateless] = await Promise.all([open("1.x", dead), open("1.x", alive), open("2.x stateless", dead)]);
    const parked = parkedIn(await ask(everything(), tokens.get(dead) ?? ""));
    const before = stays.session;
    await replicas.get(dead)?.end("SIGKILL");

    assert.match(await stays.call("echo", { message: "still here" }), /still here/);
    assert.equal(stays.session, before);
    assert.match(await stateless.call("echo", { message: "over there" }), /over there/);
    assert.match(await stateless.call("trigger-elicitation-request"), /accept|provided/i);
    await assert.rejects(gone.call("echo", { message: "lost" }), /[Ss]ession/);
    const again = await open("1.x", dead);
    assert.match(await again.call("trigger-elicitation-request"), /accept|provided/i);
    const retry = await ask(everything(), tokens.get(dead) ?? "", parked.state);
    assert.match(retry.text, /"reason":"parked_elsewhere"/);
    assert.match(retry.text, /"delivery":"none"/);
    assert.equal((await post(everything(), tokens.get(dead) ?? "", INITIALIZE, {})).status, 200);
  });

  it("loses no call of a replica that is told to end", async () => {
    const [, alive] = NAMES;
    const client = await open("2.x stateless", alive);
    const replica = replicas.get(alive);
    let over = false;
    const call = client.call("trigger-long-running-operation", { duration: 2, steps: 2 }).finally(() => (over = true));
    call.catch(() => {});
    const runs = async () => /^mcp_interceptors_calls [1-9]/m.test((await replica?.metrics()) ?? "");
    while (!(await runs())) assert.equal(over, false, "the call has ended before its replica was told to");
    const ended = replica?.end("SIGTERM");
    assert.match(await call, /completed/i);
    assert.equal(await ended, 0);
  });
});
