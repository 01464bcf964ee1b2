// However a session ends, no process of its tree is left, and wrap ends as the server did.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { after, describe, it } from "node:test";
import { client1x } from "./client-1x.ts";
import { client2xDefault } from "./client-2x.ts";
import { CLI, EVERYTHING, FILESYSTEM, fixture } from "./paths.ts";
import { assertNoneLeft, CAN_LOOK, eventually, MARK_VARIABLE, newMark, processesWith } from "./process-tree.ts";
import { direct, wrapped } from "./session.ts";
import { startWrap, type WrapProcess } from "./wrap-process.ts";

const NODE = process.execPath;
const everything = [NODE, EVERYTHING, "stdio"];
const filesystem = [NODE, FILESYSTEM, tmpdir()];
const raw = (...words: string[]) => [NODE, fixture("raw-server.mjs"), ...words];
const shell = (...command: string[]) => ["sh", "-c", `${command.map((word) => `'${word}'`).join(" ")}; exit $?`];
const POLICY = ["--use", "redact", "--interceptors", `'${NODE}' '${fixture("interceptor-server.mjs")}'`];

const SLOW_CALL = { name: "slow", arguments: {} };
const LONG_CALL = { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 1 } };

// How soon everything must be gone. What obeys goes at once; what does not is ended by force, after two graces.
const SOON_MS = 4_000;
const BY_FORCE_MS = 8_000;

let paths = 0;

interface ExitPath {
  readonly server: readonly string[];
  readonly options?: readonly string[];
  /** From a session that has shaken hands to its end. */
  end(wrap: WrapProcess): Promise<unknown> | void;
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  readonly withinMs?: number;
}

function exitPath(name: string, { server, options = [], end, exit, withinMs = SOON_MS }: ExitPath): void {
  it(name, { timeout: 20_000 }, async () => {
    const mark = newMark();
    const wrap = startWrap(mark, options, server);
    await wrap.ready();
    assert.ok(processesWith(mark).length >= 2, "wrap and the server live");
    await end(wrap);
    await assertNoneLeft(mark, withinMs);
    assert.deepEqual(await wrap.exited, exit, wrap.stderr());
    paths++;
  });
}

const code = (value: number) => ({ code: value, signal: null });
const signal = (value: NodeJS.Signals) => ({ code: null, signal: value });
const inFlight = async (wrap: WrapProcess, call: Record<string, unknown>) => {
  wrap.start("tools/call", call);
  await wrap.request("ping");
};
const failedCall = async (wrap: WrapProcess, message: RegExp) => {
  const { error } = await wrap.request("tools/call", SLOW_CALL);
  assert.match(JSON.stringify(error), message);
  assert.match(JSON.stringify(error), /"delivery":"unknown"/);
};

describe("wrap leaves no process", { concurrency: 4, skip: !CAN_LOOK }, () => {
  // The client goes.
  for (const [label, server] of Object.entries({ everything, filesystem, raw: raw(), "a shell": shell(...raw()) })) {
    exitPath(`behind ${label} when the client ends its side`, { server, end: (wrap) => wrap.endStdin(), exit: code(0) });
  }
  exitPath("and no interceptor server when the client ends its side", { server: everything, options: POLICY, end: (wrap) => wrap.endStdin(), exit: code(0) });
  exitPath("when the client's process is gone with both pipes, in a call", {
    server: everything,
    async end(wrap) {
      await inFlight(wrap, LONG_CALL);
      wrap.dropPipes();
    },
    exit: code(0),
    withinMs: 9_000,
  });
  exitPath("of a server's family when the client ends its side", { server: raw("family"), end: (wrap) => wrap.endStdin(), exit: code(0), withinMs: BY_FORCE_MS });
  exitPath("of a server that ignores the end of its stdin and SIGTERM", {
    server: raw("stubborn", "family"),
    end: (wrap) => wrap.endStdin(),
    exit: code(0),
    withinMs: BY_FORCE_MS,
  });

  // wrap gets a signal.
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    exitPath(`on ${name}, which ends a server that has no handler`, { server: raw(), end: (wrap) => wrap.kill(name), exit: signal(name) });
    exitPath(`on ${name} in a call`, {
      server: raw("family"),
      options: POLICY,
      async end(wrap) {
        await inFlight(wrap, SLOW_CALL);
        wrap.kill(name);
      },
      exit: signal(name),
    });
  }
  exitPath("on SIGINT, which server-everything turns into an orderly exit", { server: everything, end: (wrap) => wrap.kill("SIGINT"), exit: code(0) });
  exitPath("on SIGTERM, and takes the code that the server chooses", { server: raw("code-on-term"), end: (wrap) => wrap.kill("SIGTERM"), exit: code(7) });
  exitPath("on SIGTERM of a server that ignores it", { server: raw("stubborn"), end: (wrap) => wrap.kill("SIGTERM"), exit: signal("SIGKILL"), withinMs: BY_FORCE_MS });
  for (const [label, server] of Object.entries({ everything, filesystem, raw: raw() })) {
    exitPath(`when it is killed itself: ${label} sees the end of its stdin`, { server, options: POLICY, end: (wrap) => wrap.kill("SIGKILL"), exit: signal("SIGKILL") });
  }

  // The server goes.
  exitPath("when the server exits in a call, which is answered", { server: raw("exit-on-call"), options: POLICY, end: (wrap) => failedCall(wrap, /code 3/), exit: code(3) });
  exitPath("when the server is killed in a call, which is answered", { server: raw("kill-on-call"), end: (wrap) => failedCall(wrap, /SIGKILL/), exit: signal("SIGKILL") });
  exitPath("when the server aborts in a call, which is answered", { server: raw("abort-on-call", "family"), end: (wrap) => failedCall(wrap, /SIGABRT/), exit: signal("SIGABRT"), withinMs: BY_FORCE_MS });
  exitPath("of an interceptor server that ignores the end of its stdin, when the server is killed", {
    server: raw("kill-on-call"),
    options: [...POLICY, "--interceptors", `'${NODE}' '${fixture("interceptor-server.mjs")}' stubborn`],
    end: (wrap) => failedCall(wrap, /SIGKILL/),
    exit: signal("SIGKILL"),
    withinMs: BY_FORCE_MS,
  });
  exitPath("when the server closes its stdout in a call and lives on", {
    server: raw("close-stdout", "stubborn"),
    end: (wrap) => failedCall(wrap, /ended|closed/),
    exit: code(1),
    withinMs: BY_FORCE_MS,
  });

  it("when the server exits at its start, and exits with its code", { timeout: 20_000 }, async () => {
    const mark = newMark();
    const wrap = startWrap(mark, POLICY, raw("exit-at-start"));
    const answer = wrap.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }).catch(() => undefined);
    assert.deepEqual(await wrap.exited, code(3));
    // The request may come too late to be read; where it was, it has an answer.
    await answer;
    await assertNoneLeft(mark, SOON_MS);
    paths++;
  });

  for (const [label, options, command, expected] of [
    ["when the server cannot be started", POLICY, ["no-such-command-anywhere"], 127],
    ["when an interceptor server cannot be started", [...POLICY, "--interceptors", "no-such-command-anywhere x"], raw(), 2],
    ["when an interceptor is unknown", [...POLICY, "--use", "nothing-of-ours"], raw(), 2],
    ["when the log cannot be opened", [...POLICY, "--log", "/no/such/folder/log"], raw(), 2],
  ] as const) {
    it(label, { timeout: 20_000 }, async () => {
      const mark = newMark();
      const wrap = startWrap(mark, options, command);
      assert.deepEqual(await wrap.exited, code(expected), wrap.stderr());
      await assertNoneLeft(mark, SOON_MS);
      paths++;
    });
  }

  it("when it gets a signal while an interceptor server is still starting", { timeout: 20_000 }, async () => {
    const mark = newMark();
    const wrap = startWrap(mark, ["--interceptors", `'${NODE}' -e 'setInterval(()=>{},1000)'`], raw());
    await eventually("the interceptor server runs", 10_000, () => processesWith(mark).length === 2);
    wrap.kill("SIGTERM");
    assert.deepEqual(await wrap.exited, signal("SIGTERM"));
    await assertNoneLeft(mark, SOON_MS);
    paths++;
  });

  // The official clients, closing and killed.
  for (const kind of [client1x, client2xDefault]) {
    for (const [label, script, words] of [
      ["server-everything with a timer running", EVERYTHING, ["stdio"]],
      ["a server that ignores everything", fixture("raw-server.mjs"), ["stubborn", "family"]],
      ["a server that ignores everything, in a call", fixture("raw-server.mjs"), ["stubborn", "family"]],
    ] as const) {
      it(`when the ${kind.label} closes: ${label}`, { timeout: 20_000 }, async () => {
        const mark = newMark();
        const session = await kind.open(wrapped(POLICY, direct(mark, script, ...words)));
        if (script === EVERYTHING) await session.callTool("toggle-simulated-logging", {});
        if (label.includes("in a call")) {
          session.callTool("slow", {}).catch(() => {});
          await session.request("ping");
        }
        await session.close();
        // By its second grace the client has killed wrap, if that is still there; what is left then stays.
        await assertNoneLeft(mark, 1_500);
        paths++;
      });
    }
  }
  for (const [label, state, server] of [
    ["idle", "idle", everything],
    ["idle, filesystem", "idle", filesystem],
    ["in a call", "call", everything],
    ["in a call, with a family", "call", raw("family")],
    ["in a call, with a server that ignores everything", "call", raw("stubborn", "family")],
  ] as const) {
    it(`when the client is killed: ${label}`, { timeout: 25_000 }, async () => {
      const mark = newMark();
      const client = spawn(NODE, [fixture("client.mjs"), state, NODE, CLI, "wrap", "--quiet", ...POLICY, "--", ...server], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, [MARK_VARIABLE]: mark },
      });
      await once(client.stdout, "data");
      assert.ok(processesWith(mark).length >= 4, "client, wrap, interceptor server and server live");
      client.kill("SIGKILL");
      // No answer is waited for, as nobody is there to read it.
      await assertNoneLeft(mark, BY_FORCE_MS);
      paths++;
    });
  }
});

after(() => console.log(`compared: exit paths: ${paths}, no process left on any`));
