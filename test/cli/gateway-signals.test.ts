// `mcp-interceptors gateway`, alone and with workers, whom a signal meets while somebody is waited for.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { fixture, startCli, type Running } from "./run-cli.ts";
import { eventually, pidsOf, seatAt } from "./workers-kit.ts";

const posix = { skip: process.platform === "win32" ? "on POSIX alone: signals" : false };
const folder = temporaryFolder();
after(() => folder.remove());

const KINDS = { alone: [], "with workers": ["--workers", "2"] } as const;
const server = { command: process.execPath, args: [fixture("asking-server.mjs")] };
const filter = { use: "tool-filter", config: { deny: ["rm"] } };
// So that who is not ended in order is not ended within the patience of a run.
const config = (more: object = {}) => ({ upstreams: { up: server }, interceptors: [filter], http: { port: 0 }, drainMs: 90_000, ...more });
const silent = { command: process.execPath, args: ["-e", "process.stdin.resume().on('end', () => process.exit())"] };
let places = 0;

/** A place for one configuration, with an interceptor server that can be held. */
function place() {
  const name = String(++places);
  const write = (content: object) => folder.write(`${name}/gateway.json`, content);
  write({});
  const inPlace = (file: string) => join(folder.path, name, file);
  return {
    write,
    holding: { command: process.execPath, args: [fixture("holding.mjs"), join(folder.path, name)] },
    hold: () => folder.write(`${name}/held`, ""),
    release: () => rmSync(inPlace("held")),
    starts: () => (existsSync(inPlace("started")) ? readFileSync(inPlace("started"), "utf8").length : 0),
  };
}

const start = (file: string, words: readonly string[]) => startCli(["gateway", "-c", file, "--no-watch", ...words]);
const says = ({ stderr, child }: Running, pattern: RegExp) =>
  eventually(() => {
    assert.ok(child.exitCode === null && child.signalCode === null, `it has ended: ${stderr()}`);
    return pattern.test(stderr());
  });

describe("gateway on SIGTERM", { concurrency: 2 }, () => {
  for (const [kind, words] of Object.entries(KINDS)) {
    const waits: Readonly<Record<string, (holding: object) => object>> = {
      "an interceptor server": (holding) => config({ interceptors: [holding] }),
      "an upstream, for its tools": () => config({ upstreams: { up: silent }, interceptors: [{ ...filter, when: { annotation: "destructiveHint", equals: true } }] }),
      "a module": () => config({ interceptors: [{ module: fixture("unsettled.mjs") }] }),
    };
    for (const [whom, next] of Object.entries(waits)) {
      it(`ends in order ${kind} while a reload waits for ${whom}`, posix, async () => {
        const { write, holding, hold, starts } = place();
        const running = await start(write(config()), words);
        await says(running, /serving/);
        hold();
        write(next(holding));
        running.child.kill("SIGHUP");
        // Only this one says that it is waited for; the others may be met before.
        if (whom === "an interceptor server") await eventually(() => starts() > 0);
        running.child.kill("SIGTERM");
        const { code, signal } = await running.ended;
        assert.deepEqual([code, signal], [0, null], running.stderr());
      });
    }
  }

  for (const when of ["before it listens", "while it waits for an interceptor server"] as const) {
    it(`ends in order while a worker is started again, ${when}`, posix, async () => {
      const { write, holding, hold, starts } = place();
      const running = await start(write(config({ interceptors: [holding] })), KINDS["with workers"]);
      await says(running, /serving/);
      const [, url = ""] = /(http:\/\/\S+\/up\/mcp)/.exec(running.stderr()) ?? [];
      const seat = await seatAt(url, 2);
      const { parent } = await pidsOf(seat, seat.session);
      seat.close();
      const before = starts();
      hold();
      process.kill(parent, "SIGKILL");
      await says(running, /worker 2 has ended/);
      if (when !== "before it listens") await eventually(() => starts() > before);
      running.child.kill("SIGTERM");
      const { code, signal } = await running.ended;
      assert.deepEqual([code, signal], [0, null], running.stderr());
    });
  }
});

describe("gateway on SIGHUP", { concurrency: 2 }, () => {
  for (const [kind, words] of Object.entries(KINDS)) {
    it(`${kind} reloads after the start where it came before`, posix, async () => {
      const { write, holding, hold, release, starts } = place();
      hold();
      const file = write(config({ interceptors: [holding] }));
      const running = await start(file, words);
      await eventually(() => starts() > 0);
      write(config({ interceptors: [holding, filter] }));
      running.child.kill("SIGHUP");
      running.child.kill("SIGHUP");
      release();
      await says(running, /reloaded/);
      assert.match(running.stderr(), /serving [^\n]* 1 interceptor[^\n]*\n[^]*reloaded/);
      running.child.kill("SIGTERM");
      const { code, stderr } = await running.ended;
      assert.equal(code, 0);
      assert.equal(stderr.match(/reloaded/g)?.length, 1, stderr);
    });

    it(`${kind} ends by a SIGTERM that comes after it during the start`, posix, async () => {
      const { write, holding, hold, starts } = place();
      hold();
      const running = await start(write(config({ interceptors: [holding] })), words);
      await eventually(() => starts() > 0);
      running.child.kill("SIGHUP");
      running.child.kill("SIGTERM");
      assert.equal((await running.ended).signal, "SIGTERM");
    });
  }
});
