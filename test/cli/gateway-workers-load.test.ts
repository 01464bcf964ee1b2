// `mcp-interceptors gateway --workers 2` under load, while it reloads and when it is told to end.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { ask, connection, eventually, inSession, pidsOf, seatAt, startCluster, statelessCall, toolCall, type Connection } from "./workers-kit.ts";

const posix = { skip: process.platform === "win32" ? "on POSIX alone: signals" : false };
const folder = temporaryFolder();
after(() => folder.remove());

const denying = (...deny: string[]) => ({
  upstreams: { up: { command: process.execPath, args: [fixture("asking-server.mjs")], sharing: "shared" } },
  interceptors: [{ use: "tool-filter", config: { deny } }],
  audit: { file: "audit.jsonl" },
  http: { port: 0 },
});

interface Message {
  readonly result?: object;
  readonly error?: { readonly message: string; readonly data?: { readonly reason?: string } };
}

const messageIn = (text: string): Message => JSON.parse(text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}")) as Message;

describe("gateway --workers under load", () => {
  it("takes a configuration in everywhere or nowhere, while calls go on, and starts a worker on what the others have", posix, async () => {
    const file = folder.write("reload/gateway.json", denying("none"));
    const { running, url, said } = await startCluster(file, "--no-watch");
    const seats = [await seatAt(url, 1), await seatAt(url, 2)];
    let stop = false;
    let answered = 0;
    // Half of them in a session of the other worker.
    const caller = async (on: Connection, session: string) => {
      while (!stop) {
        const { status, text } = await ask(on, toolCall("echo"), inSession(session));
        assert.equal(status, 200, text);
        const { result, error } = messageIn(text);
        assert.ok(result !== undefined || error?.message === "Unknown tool: echo", text);
        answered++;
      }
    };
    const connections = Array.from({ length: 6 }, () => connection(url));
    const callers = connections.map((on, index) => caller(on, seats[index % 2]?.session ?? ""));
    const refusedAt = async (slot: number) => {
      const seat = seats[slot - 1] ?? assert.fail();
      return messageIn((await ask(seat, toolCall("echo"), inSession(seat.session))).text).error?.message === "Unknown tool: echo";
    };
    for (let turn = 0; turn < 6; turn++) {
      const denies = turn % 2 === 0;
      folder.write("reload/gateway.json", denying(denies ? "echo" : "none"));
      running.child.kill("SIGHUP");
      await said(new RegExp(`(?:reloaded [^]*){${turn + 1}}`));
      assert.deepEqual([await refusedAt(1), await refusedAt(2)], [denies, denies]);
    }
    folder.write("reload/gateway.json", { ...denying("echo"), interceptors: [{ module: "./missing.mjs" }] });
    running.child.kill("SIGHUP");
    await said(/missing\.mjs[^]*goes on as it was/);
    assert.deepEqual([await refusedAt(1), await refusedAt(2)], [false, false]);
    stop = true;
    await Promise.all(callers);
    assert.ok(answered > 20, String(answered));
    assert.equal(running.stderr().match(/: reloaded /g)?.length, 6, running.stderr());

    // The file is still wrong: a worker that dies now comes back with what was taken in last.
    const { parent } = await pidsOf(seats[1] ?? assert.fail(), seats[1]?.session ?? "");
    process.kill(parent, "SIGKILL");
    await said(/worker 2 serves again/);
    const reborn = await seatAt(url, 2);
    assert.notEqual(messageIn((await ask(reborn, toolCall("echo"), inSession(reborn.session))).text).result, undefined);
    for (const on of [...connections, ...seats, reborn]) on.close();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  it("on SIGTERM answers whoever has called once, takes nothing new, and ends", posix, async () => {
    const { running, url } = await startCluster(folder.write("term/gateway.json", denying("rm")), "--no-watch");
    const seats = [await seatAt(url, 1), await seatAt(url, 2)];
    let told = false;
    let answered = 0;
    let draining = 0;
    /** Of calls that nobody is said to have taken. */
    const notTaken: number[] = [];
    const caller = async (index: number) => {
      const on = connection(url);
      for (let turn = 0; ; turn++) {
        const nonce = `${index}-${turn}`;
        const inOne = { body: toolCall("echo", { nonce }), headers: inSession(seats[index % 2]?.session ?? "") };
        const { body, headers } = index % 3 === 0 ? statelessCall("echo", { arguments: { nonce } }) : inOne;
        const { id } = JSON.parse(body) as { id: number };
        // Where nobody listens any more, or nobody has read it, there is no answer at all.
        const got = await ask(on, body, headers).catch(() => undefined);
        const { result, error } = got === undefined ? {} : messageIn(got.text);
        if (result !== undefined) {
          assert.ok(got?.text.includes(`\\"nonce\\":\\"${nonce}\\"`), got?.text);
          answered++;
          continue;
        }
        assert.ok(told, `${nonce} came to nothing before the signal: ${got?.text}`);
        // Of the listener, or of the face behind it; or for a session that has ended, or whose worker has.
        if (got?.status === 503 || error?.data?.reason === "draining") draining++;
        else if (got === undefined || got.status === 404 || got.status === 502) notTaken.push(id);
        else assert.fail(got.text);
        break;
      }
      on.close();
    };
    const callers = Array.from({ length: 9 }, (_, index) => caller(index));
    await Promise.race([Promise.all(callers), eventually(() => answered > 90)]);
    told = true;
    running.child.kill("SIGTERM");
    await Promise.all(callers);
    for (const seat of seats) seat.close();
    assert.equal((await running.ended).code, 0);
    assert.equal(draining + notTaken.length, 9);
    const judged = [1, 2].map((slot) => readFileSync(join(folder.path, `term/audit.${slot}.jsonl`), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { id?: unknown; tool?: unknown }));
    assert.ok(judged.every((lines) => lines.some(({ tool }) => tool === "echo")), "both have judged calls");
    const taken = new Set(judged.flat().map(({ id }) => id));
    assert.deepEqual(notTaken.filter((id) => taken.has(id)), []);
  });
});
