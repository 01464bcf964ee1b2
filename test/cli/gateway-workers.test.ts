// `mcp-interceptors gateway --workers 2`, a process with two of its own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundledCli, fixture, isAlive, runCli } from "./run-cli.ts";
import { ask, begin, connection, eventually, inSession, page, pidsOf, seatAt, startCluster, statelessCall, textOf, toolCall } from "./workers-kit.ts";

const posix = { skip: process.platform === "win32" ? "on POSIX alone: workers are told apart by their parents" : false };
const folder = temporaryFolder();
after(() => folder.remove());

const config = (more: object = {}) => ({
  upstreams: { up: { command: process.execPath, args: [fixture("asking-server.mjs")] } },
  interceptors: [{ use: "tool-filter", config: { deny: ["rm"] } }],
  http: { port: 0 },
  metrics: { port: 0 },
  ...more,
});
const socketFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("mcp-interceptors-workers-"));

describe("gateway --workers", { concurrency: 2 }, () => {
  it("serves a session in the worker that it began in, whichever one a request comes to", posix, async () => {
    const { running, url, opsUrl } = await startCluster(folder.write("sessions/gateway.json", config({ audit: { file: "audit.jsonl" } })));
    const home = await seatAt(url, 1);
    const away = await seatAt(url, 2);
    const { session } = home;
    const workers = [(await pidsOf(home, session)).parent, (await pidsOf(away, away.session)).parent];
    assert.notEqual(workers[0], workers[1]);
    assert.deepEqual(await pidsOf(away, session), await pidsOf(home, session));

    // What a call says before its end comes before its end, and to its end.
    const streamed = await away.open("POST", toolCall("hold", { key: "a" }, { progressToken: "p" }), inSession(session));
    assert.match(String(streamed.headers["content-type"]), /event-stream/);
    const pieces = streamed[Symbol.asyncIterator]();
    while (!String((await pieces.next()).value).includes('"progress":1'));
    await ask(home, toolCall("release", { key: "a" }), inSession(session));
    while (!String((await pieces.next()).value).includes("held a"));
    assert.equal((await pieces.next()).done, true);

    // The stream of a session, at another worker.
    const other = await seatAt(url, 2);
    const listening = await other.open("GET", undefined, inSession(session));
    assert.equal(listening.statusCode, 200);
    await ask(home, toolCall("announce"), inSession(session));
    for await (const piece of listening) if (String(piece).includes("tools/list_changed")) break;
    other.close();

    const nobodys = `${session.slice(0, -1)}${session.endsWith("0") ? "1" : "0"}`;
    assert.equal((await ask(away, toolCall("echo"), inSession(nobodys))).status, 404);
    assert.equal((await ask(away, toolCall("echo"), inSession("9-00"))).status, 404);
    const deleted = await away.open("DELETE", undefined, inSession(session));
    await textOf(deleted);
    assert.equal(deleted.statusCode, 204);
    assert.equal((await ask(home, toolCall("echo"), inSession(session))).status, 404);
    assert.equal((await ask(away, toolCall("echo"), inSession(session))).status, 404);
    home.close();
    away.close();

    // A call parked at one worker goes on by way of another.
    const one = await seatAt(url, 1);
    const two = await seatAt(url, 2);
    const call = statelessCall("ask");
    const parked = JSON.parse((await ask(one, call.body, call.headers)).text) as { result: { resultType: string; requestState: string } };
    assert.match(parked.result.requestState, /^parked1\.[0-9a-f]+-1\./);
    const answers = { requestState: parked.result.requestState, inputResponses: { "ask-1": { action: "accept", content: {} } } };
    const retry = statelessCall("ask", answers);
    assert.match((await ask(two, retry.body, retry.headers)).text, /answered accept/);
    const again = statelessCall("ask", answers);
    assert.match((await ask(two, again.body, again.headers)).text, /parked_gone/);
    const forged = statelessCall("ask", { ...answers, requestState: `${parked.result.requestState}x` });
    assert.match((await ask(two, forged.body, forged.headers)).text, /not what this server gave out/);

    // Counted once each, wherever it was.
    assert.equal(await page(`${opsUrl}/readyz`), "ready\n");
    const before = counted(await page(`${opsUrl}/metrics`));
    await ask(one, toolCall("echo"), inSession(one.session));
    await ask(two, toolCall("echo"), inSession(two.session));
    await ask(two, toolCall("echo"), inSession(one.session));
    const text = await page(`${opsUrl}/metrics`);
    assert.equal(counted(text) - before, 3);
    assert.match(text, /^mcp_interceptors_workers 2$/m);
    one.close();
    two.close();

    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    assert.deepEqual(workers.filter(isAlive), []);

    // A chain for each writer.
    const files = [1, 2].map((slot) => join(folder.path, `sessions/audit.${slot}.jsonl`));
    const { stdout } = await promisify(execFile)(process.execPath, [bundledCli(), "audit", "verify", ...files]);
    assert.match(stdout, /2 (?:writers|chains)|writer/);
    for (const file of files) assert.ok(readFileSync(file, "utf8").split("\n").length > 3);
  });

  it("is not ready while one of them can write nothing down", posix, async () => {
    const { running, url, opsUrl } = await startCluster(folder.write("unwritable/gateway.json", config({ audit: { file: "audit.jsonl" } })));
    const on = await seatAt(url, 2);
    assert.equal(await page(`${opsUrl}/readyz`), "ready\n");
    const path = join(folder.path, "unwritable/audit.2.jsonl");
    rmSync(path);
    writeFileSync(path, "somebody else's\n");
    assert.match((await ask(on, toolCall("echo"), inSession(on.session))).text, /"reason":"unavailable"/);
    assert.equal(await page(`${opsUrl}/readyz`), `worker 2: the audit log cannot be written: another file has been put at ${path}\n`);
    rmSync(path);
    // Nobody calls any more, and yet it sees that it can write again.
    await eventually(async () => (await page(`${opsUrl}/readyz`)) === "ready\n");
    on.close();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  it("spreads connections evenly", posix, async () => {
    const up = { command: process.execPath, args: [fixture("asking-server.mjs")], sharing: "shared" };
    const { running, url } = await startCluster(folder.write("even/gateway.json", config({ upstreams: { up } })));
    const connections = Array.from({ length: 60 }, () => connection(url));
    let first = 0;
    for (const on of connections) if ((await begin(on)).startsWith("1-")) first++;
    assert.ok(first >= 24 && first <= 36, `${first} of 60 at the first worker`);
    for (const on of connections) on.close();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  it("starts a killed worker again, with a chain that goes on; its sessions are lost, and each call is answered or cut off", posix, async () => {
    const { running, url, opsUrl, said } = await startCluster(folder.write("killed/gateway.json", config({ audit: { file: "audit.jsonl", sync: "each" } })));
    const dead = await seatAt(url, 1);
    const alive = await seatAt(url, 2);
    const { parent: worker, pid: upstream } = await pidsOf(dead, dead.session);
    const hold = (key: string) => toolCall("hold", { key }, { progressToken: key });
    // Their answers have begun: of what follows nothing may pass for the whole.
    const own = await dead.open("POST", hold("own"), inSession(dead.session));
    const foreign = await alive.open("POST", hold("foreign"), inSession(dead.session));
    const cut = [own, foreign].map((answer) => textOf(answer).then(() => "whole", () => "cut"));
    process.kill(worker, "SIGKILL");
    assert.deepEqual(await Promise.all(cut), ["cut", "cut"]);
    // A connection of its own: that of the cut answer is gone.
    const next = await seatAt(url, 2);
    const early = await ask(next, toolCall("echo"), inSession(dead.session));
    assert.ok(early.status === 404 || early.status === 502, `${early.status} ${early.text}`);
    assert.equal((await ask(next, toolCall("echo", { still: "here" }), inSession(alive.session))).status, 200);

    await said(/worker 1 has ended \(SIGKILL\): its sessions are lost, and it is started again/);
    await said(/worker 1 serves again/);
    assert.equal(await page(`${opsUrl}/readyz`), "ready\n");
    assert.equal((await ask(next, toolCall("echo"), inSession(dead.session))).status, 404);
    const reborn = await seatAt(url, 1);
    assert.match((await ask(next, toolCall("echo", { new: "life" }), inSession(reborn.session))).text, /new/);
    assert.notEqual((await pidsOf(reborn, reborn.session)).parent, worker);
    await eventually(() => !isAlive(upstream));
    for (const on of [dead, alive, next, reborn]) on.close();

    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    const verified = await promisify(execFile)(process.execPath, [bundledCli(), "audit", "verify", join(folder.path, "killed/audit.1.jsonl")]);
    assert.equal(verified.stderr, "");
    const opened = readFileSync(join(folder.path, "killed/audit.1.jsonl"), "utf8").split("\n").filter((line) => line.includes('"kind":"opened"'));
    assert.equal(opened.length, 2);
  });

  it("keeps its port when all workers die at once, and gives what they were about to take to those that come in their place", posix, async () => {
    const { running, url, said } = await startCluster(folder.write("all-die/gateway.json", config({ metrics: undefined })));
    const seats = [await seatAt(url, 1), await seatAt(url, 2)];
    const workers = await Promise.all(seats.map(async (seat) => (await pidsOf(seat, seat.session)).parent));
    for (const seat of seats) seat.close();
    for (const worker of workers) process.kill(worker, "SIGSTOP");
    const connections = Array.from({ length: 4 }, () => connection(url));
    const begun = connections.map((on) => begin(on));
    for (const worker of workers) process.kill(worker, "SIGKILL");
    for (const session of await Promise.all(begun)) assert.match(session, /^[12]-/);
    await said(/worker 1 serves again/);
    for (const on of connections) on.close();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  it("takes a changed file in by itself, waits for a call at the first signal, and ends at once at the second", posix, async () => {
    const file = folder.write("signals/gateway.json", config({ drainMs: 60_000 }));
    const { running, url, opsUrl, said } = await startCluster(file);
    const seats = [await seatAt(url, 1), await seatAt(url, 2)];
    folder.write("signals/gateway.json", config({ drainMs: 60_000, interceptors: [{ use: "tool-filter", config: { deny: ["echo"] } }] }));
    await said(/reloaded/);
    for (const seat of seats) assert.match((await ask(seat, toolCall("echo"), inSession(seat.session))).text, /Unknown tool: echo/);
    const workers = await Promise.all(seats.map(async (seat) => (await pidsOf(seat, seat.session)).parent));
    const [one, two] = [seats[0] ?? assert.fail(), seats[1] ?? assert.fail()];
    const held = await one.open("POST", toolCall("hold", { key: "k" }, { progressToken: "p" }), inSession(two.session));
    const end = textOf(held).then(() => "whole", () => "cut");
    running.child.kill("SIGTERM");
    await eventually(async () => (await page(`${opsUrl}/readyz`)) === "draining\n");
    assert.deepEqual(workers.map(isAlive), [true, true]);
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).signal, "SIGTERM");
    assert.deepEqual([await end, ...workers.map(isAlive)], ["cut", false, false]);
    for (const seat of seats) seat.close();
  });

  it("leaves no worker and no upstream behind when the primary is killed", posix, async () => {
    const before = socketFolders();
    const { running, url } = await startCluster(folder.write("orphans/gateway.json", config()));
    const one = await seatAt(url, 1);
    const two = await seatAt(url, 2);
    const pids = [await pidsOf(one, one.session), await pidsOf(two, two.session)].flatMap(({ pid, parent }) => [pid, parent]);
    running.child.kill("SIGKILL");
    await running.ended.catch(() => {});
    one.close();
    two.close();
    await eventually(() => !pids.some(isAlive));
    // Others may run at the same time, and have theirs.
    await eventually(() => socketFolders().length <= before.length + 1);
  });

  it("is not started with stdio, with a number of workers that makes no sense, or where a worker cannot start, and says why once", async () => {
    const file = folder.write("refused/gateway.json", config());
    const wrong = folder.write("refused/wrong.json", { ...config(), interceptors: [{ module: "./missing.mjs" }] });
    const stdio = folder.write("refused/stdio.json", { ...config(), stdio: "up" });
    const run = (...words: string[]) => runCli(["gateway", "-c", ...words]);
    const ended = await Promise.all([run(file, "--workers", "2", "--stdio", "up"), run(file, "--workers", "0"), run(file, "--workers", "65"), run(stdio, "--workers", "2"), run(wrong, "--workers", "2")]);
    assert.deepEqual(ended.map(({ code }) => code), [2, 2, 2, 2, 2]);
    const [both, none, many, inFile, broken] = ended.map(({ stderr }) => stderr);
    assert.match(both ?? "", /--workers goes with HTTP alone/);
    for (const text of [none, many]) assert.match(text ?? "", /--workers must be a whole number from 1 to 64, or auto/);
    assert.match(inFile ?? "", /\/stdio is for one process/);
    assert.equal(broken?.match(/missing\.mjs/g)?.length, 1, broken);
    assert.match(broken ?? "", /the gateway ends, as a worker could not be started\n$/);
  });
});

function counted(metrics: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith("mcp_interceptors_messages_total{") && line.includes('"tools/call"'));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
