import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { LocalError } from "../../src/core/base/errors.ts";
import { createChain, type Chain } from "../../src/core/chain/chain.ts";
import type { ChainResult } from "../../src/core/chain/result.ts";
import type { ExecuteParams } from "../../src/core/chain/execute.ts";
import { workerInterceptor, type WorkerInterceptorOptions, type WorkerInterceptors } from "../../src/node/worker-interceptor.ts";

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/worker/${name}`, import.meta.url));
// Real threads and real time: budgets are short, and nothing asserts that something is fast.
const BUDGET = { timeoutMs: 600, graceMs: 500, maxMemoryMb: 48, limits: { maxMessageBytes: 10_000 } };

interface Rig {
  readonly worker: WorkerInterceptors;
  readonly chain: Chain;
  readonly printed: () => string;
  run(name: string, more?: Partial<ExecuteParams>): Promise<ChainResult>;
}

async function start(options: Partial<WorkerInterceptorOptions> = {}): Promise<Rig> {
  let text = "";
  const worker = await workerInterceptor({ module: fixture("handlers.mjs"), output: (chunk) => void (text += String(Buffer.from(chunk))), ...BUDGET, ...options });
  const chain = createChain();
  chain.add(worker.interceptors);
  const run: Rig["run"] = (name, more) => chain.execute({ event: "tools/call", phase: "request", payload: { name: "echo" }, interceptors: [name], ...more });
  return { worker, chain, printed: () => text, run };
}

/** Runs until a new worker has started; bounded, since each run ends by its timeout. */
async function revived(rig: Rig): Promise<void> {
  for (let tries = 0; tries < 30; tries++) if ((await rig.run("allow")).status === "success") return;
  assert.fail("no new worker");
}

const summary = ({ status, results }: ChainResult) => [status, results[0]?.error?.reason];
const fails = (options: Partial<WorkerInterceptorOptions>) =>
  workerInterceptor({ module: fixture("handlers.mjs"), output: "ignore", ...options }).then(
    () => assert.fail("it started"),
    (thrown: LocalError) => [thrown.code, thrown.message] as const,
  );

describe("interceptors in a worker", () => {
  let rig: Rig;
  before(async () => {
    rig = await start();
  });
  after(() => rig.worker.close());

  it("judge and mutate as in this thread", async () => {
    assert.deepEqual(summary(await rig.run("allow")), ["success", undefined]);
    const denied = await rig.run("deny");
    assert.deepEqual([denied.status, denied.results[0]?.messages], ["validation_failed", [{ message: "no echo", severity: "error", path: "/name" }]]);
    assert.deepEqual((await rig.run("upper")).finalPayload, { name: "ECHO" });
    const same = await rig.run("same");
    assert.deepEqual([same.status, same.modified], ["success", false]);
  });

  it("are told what any interceptor is told", async () => {
    const more = {
      phase: "response",
      payload: { content: [] },
      config: { report: { level: 1 } },
      context: { timestamp: "2026-07-28T00:00:00Z", principal: { type: "user", id: "ada" } },
      request: { method: "tools/call", params: { name: "x" } },
    } as const;
    assert.deepEqual((await rig.run("report", more)).results[0]?.info, {
      payload: { content: [] },
      event: "tools/call",
      phase: "response",
      config: { level: 1 },
      context: { timestamp: "2026-07-28T00:00:00Z", principal: { type: "user", id: "ada" }, request: { method: "tools/call", params: { name: "x" } } },
      caller: null,
    });
  });

  it("fail by what they do, with a stable reason, and the worker lives on", async () => {
    const { starts } = rig.worker;
    for (const name of ["throw", "throw-nothing"]) assert.deepEqual(summary(await rig.run(name)), ["validation_failed", "crashed"], name);
    assert.match((await rig.run("throw")).results[0]?.error?.message ?? "", /thrown in the worker/);
    for (const name of ["map", "cycle", "huge", "nothing"]) assert.deepEqual(summary(await rig.run(name)), ["mutation_failed", "malformed_result"], name);
    for (const name of ["symbol", "function"]) assert.deepEqual(summary(await rig.run(name)), ["validation_failed", "malformed_result"], name);
    assert.deepEqual(summary(await rig.run("forge")), ["success", undefined]);
    assert.equal(rig.worker.starts, starts);
  });

  it("carry members called __proto__ as data", async () => {
    assert.equal(JSON.stringify((await rig.run("proto")).finalPayload), '{"name":"x","arguments":{"__proto__":{"polluted":"echo"}}}');
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  it("that never answer time out alone: a thread that shows that it lives is left alone", async () => {
    const { starts } = rig.worker;
    assert.deepEqual(summary(await rig.run("hang")), ["timeout", "timeout"]);
    assert.deepEqual(summary(await rig.run("allow")), ["success", undefined]);
    // Longer than the grace, so that a wrong verdict on the thread would have been carried out.
    await rig.run("hang");
    assert.equal(rig.worker.starts, starts);
  });

  it("see the caller's abort on their signal", async () => {
    const stop = new AbortController();
    const call = rig.run("until-aborted", { signal: stop.signal }).catch((thrown: unknown) => thrown);
    await rig.run("allow");
    stop.abort("enough");
    assert.equal(await call, "enough");
    assert.deepEqual((await rig.run("held")).results[0]?.info, { held: ["aborted"] });
  });

  it("print to where they are told, never to standard output", async () => {
    await rig.run("print");
    while (!rig.printed().includes("printed in the worker\n")) await new Promise((resolve) => setImmediate(resolve));
  });

  it("stuck in a loop are ended at the timeout, with all that runs there, while other traffic goes on", async () => {
    const { starts } = rig.worker;
    let ticks = 0;
    const ticker = setInterval(() => ticks++, 10);
    const others = rig.run("allow", { interceptors: ["allow", "until-aborted"] });
    await rig.run("allow");
    const [stuck, other] = await Promise.all([rig.run("loop"), others]);
    clearInterval(ticker);
    assert.deepEqual(summary(stuck), ["timeout", "timeout"]);
    assert.ok(other.status === "timeout" || other.status === "validation_failed");
    assert.ok(ticks >= 10, `${ticks} turns`);
    await revived(rig);
    assert.equal(rig.worker.starts, starts + 1);
  });

  it("that end the worker fail, and the next run finds a new one", async () => {
    for (const [name, why] of [["exit", /exited with code 7/], ["stray", /stray/], ["bomb", /memory/i]] as const) {
      const { starts } = rig.worker;
      const result = await rig.run(name, name === "bomb" ? { timeoutMs: 5_000 } : {});
      // A heap that fills slowly on a busy machine meets its timeout first.
      const reason = result.results[0]?.error?.reason;
      assert.ok(reason === "crashed" || (name === "bomb" && reason === "timeout"), `${name}: ${reason}`);
      if (reason === "crashed") assert.match(result.results[0]?.error?.message ?? "", why);
      await revived(rig);
      assert.equal(rig.worker.starts, starts + 1, name);
    }
  });
});

test("a worker that keeps failing is not started again for a while, and runs fail at once", async () => {
  const { worker, run } = await start({ timeoutMs: 5_000 });
  try {
    await run("exit");
    await run("exit");
    const refused = await run("allow");
    assert.deepEqual(summary(refused), ["validation_failed", "crashed"]);
    assert.match(refused.results[0]?.error?.message ?? "", /failed 2 times in a row, and is not started again for \d+ ms/);
    assert.equal(worker.starts, 2);
  } finally {
    await worker.close();
  }
});

test("a module that lists something else after a restart is refused", async () => {
  const { worker, chain } = await start({ module: fixture("changes.mjs"), timeoutMs: 5_000 });
  try {
    const call = { event: "tools/call", phase: "request", payload: {} } as const;
    assert.match((await chain.execute(call)).results[0]?.error?.message ?? "", /exited with code 1/);
    assert.match((await chain.execute(call)).results[0]?.error?.message ?? "", /lists other interceptors than at first/);
  } finally {
    await worker.close();
  }
});

test("a closed worker fails what runs and what comes, and leaves no thread", async () => {
  const { worker, run } = await start();
  const running = run("hang", { timeoutMs: 60_000 });
  await run("allow");
  await worker.close();
  assert.match((await running).results[0]?.error?.message ?? "", /was closed/);
  assert.deepEqual(summary(await run("allow")), ["validation_failed", "crashed"]);
  await worker.close();
  assert.equal(worker.starts, 1);
});

test("a module that cannot be loaded is told of, in the time it has", async () => {
  const [missing, thrown, exits, loops, empty] = await Promise.all([
    fails({ module: fixture("missing.mjs") }),
    fails({ module: fixture("throws.mjs") }),
    fails({ module: fixture("exits.mjs") }),
    fails({ module: new URL("fixtures/worker/loops.mjs", import.meta.url), startTimeoutMs: 1_500 }),
    fails({ module: fixture("empty.mjs") }),
  ]);
  assert.deepEqual([missing, thrown, exits, loops, empty].map(([code]) => code), Array(5).fill("spawn_failed"));
  assert.match(missing[1], /there is no file/);
  assert.match(thrown[1], /thrown at import/);
  assert.match(exits[1], /exited with code 3/);
  assert.match(loops[1], /not loaded within 1500 ms/);
  assert.match(empty[1], /exports no interceptor/);
});

test("wrong options are refused before anything is started", async () => {
  for (const options of [{ timeoutMs: 0 }, { graceMs: 0.5 }, { startTimeoutMs: -1 }, { maxMemoryMb: 0 }]) assert.equal((await fails(options))[0], "invalid_argument");
});

test("an idle worker keeps no process alive, and what it prints goes to standard error", async () => {
  const args = ["-C", "mcp-interceptors-source", "--import", "tsx", fixture("idle.ts")];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    execFile(process.execPath, args, { timeout: 20_000 }, (error, out, err) => (error === null ? resolve({ stdout: out, stderr: err }) : reject(error)));
  });
  assert.equal(stdout, "success\n");
  assert.match(stderr, /printed in the worker/);
});
