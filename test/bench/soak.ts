// Many calls of all kinds by many clients through the gateway, which is reloaded all the while: none may be lost or answered wrongly, and nothing may pile
// up. Writes what it has measured into test/README.md: `npm run soak -- [--calls N] [--clients M]`.
import assert from "node:assert/strict";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { writeMarked } from "../support/marked-text.ts";
import { refuse, scriptWords } from "../support/script-words.ts";
import { createCaller, stillWaiting, type Counts } from "./soak-callers.ts";
import { startSoakGateway } from "./soak-gateway.ts";
import { growthOfLastHalf, isTelling, WARM_CALLS } from "./soak-memory.ts";
import type { Held } from "./soak-probe.ts";

const README = fileURLToPath(new URL("../README.md", import.meta.url));
// After each of them nothing is in flight, and memory is measured.
const ROUNDS = 40;
const RELOADS_OF_A_ROUND = 5;
const MIB = 2 ** 20;
const BOUNDS = { heap: 1 * MIB, rss: 16 * MIB };

const USAGE = "npm run soak [-- --calls N --clients M]\nMakes 200000 calls by 64 clients through a gateway, or as many as it is told.";
const { values } = scriptWords({ usage: USAGE, known: [], options: { calls: { type: "string", default: "200000" }, clients: { type: "string", default: "64" } } });
const calls = Number(values.calls);
const clients = Number(values.clients);
if (!Number.isSafeInteger(calls) || !Number.isSafeInteger(clients) || clients < 8 || calls < ROUNDS * clients) refuse(`--calls and --clients are numbers: 8 clients at least, and ${ROUNDS} calls of each`, USAGE);

const load = loadavg()[0] ?? 0;
// One for each session, and for a stateless client one for its call and one for the call that it has just given up; what is unused makes room.
const maxChildren = Math.ceil((clients * 3) / 8);
const gateway = await startSoakGateway(maxChildren);
const counts: Counts = { answered: 0, denied: 0, cancelled: 0, lost: 0, wrong: 0, surplus: 0, unguarded: 0, progress: 0, questions: 0, clients: 0, overloaded: 0 };
const generations = { settled: 0, begun: 0 };
const reloads = { taken: 0, refused: 0 };
const byPair = new Map<string, number>();
const share = (whole: number, part: number, parts: number) => Math.floor((whole * (part + 1)) / parts) - Math.floor((whole * part) / parts);
const finished = () => counts.answered + counts.denied + counts.cancelled + counts.lost + counts.wrong;

/** Reloads while others call, evenly; of ten, one by a file that is wrong. */
const reloadWithin = async (many: number) => {
  const first = finished();
  for (let turn = 1; turn <= RELOADS_OF_A_ROUND; turn++) {
    while (finished() - first < (many * turn) / (RELOADS_OF_A_ROUND + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
    const broken = (reloads.taken + reloads.refused) % 10 === 9;
    const next = generations.settled + 1;
    if (!broken) generations.begun = next;
    await gateway.reload(next, broken);
    generations.settled = generations.begun;
    reloads[broken ? "refused" : "taken"]++;
  }
};

const callers = Array.from({ length: clients }, (_, index) => createCaller(index, gateway, generations, counts));
const held: (Held & { readonly calls: number })[] = [];
const start = performance.now();
for (let round = 0; round < ROUNDS; round++) {
  const many = share(calls, round, ROUNDS);
  const all = callers.map(async (caller, index) => {
    const own = share(many, index, clients);
    await caller.calls(own);
    byPair.set(caller.pair, (byPair.get(caller.pair) ?? 0) + own);
  });
  await Promise.all([...all, reloadWithin(many)]);
  const now = await gateway.measure();
  held.push({ ...now, calls: finished() });
  console.log(`${finished()} done, ${counts.wrong} wrong, ${counts.lost} lost; heap ${(now.heap / MIB).toFixed(1)} MiB, memory ${(now.rss / MIB).toFixed(1)} MiB`);
}
const seconds = (performance.now() - start) / 1_000;
await Promise.all(callers.map((caller) => caller.close()));
const waiting = await stillWaiting(gateway);
const idle: Record<string, number> = {};
for (const name of ["faces", "calls", "parked_calls", "upstream_lost_total", "upstream_failed_starts_total"]) idle[name] = await gateway.metric(name);
const { code, auditLines } = await gateway.end();

const growth = {
  heap: growthOfLastHalf(held.map(({ calls, heap }) => ({ calls, bytes: heap }))),
  rss: growthOfLastHalf(held.map(({ calls, rss }) => ({ calls, bytes: rss }))),
};
const { lost, wrong, surplus, unguarded } = counts;
assert.deepEqual({ done: finished(), lost, wrong, surplus, unguarded }, { done: calls, lost: 0, wrong: 0, surplus: 0, unguarded: 0 });
assert.deepEqual({ ...idle, waiting, code }, { faces: 0, calls: 0, parked_calls: 0, upstream_lost_total: 0, upstream_failed_starts_total: 0, waiting: 0, code: 0 });
const telling = isTelling(held.map(({ calls, heap }) => ({ calls, bytes: heap })));
if (telling) assert.ok(growth.heap <= BOUNDS.heap, `the heap has grown by ${growth.heap} bytes`);
if (telling) assert.ok(growth.rss <= BOUNDS.rss, `memory has grown by ${growth.rss} bytes`);

const grouped = (value: number) => Math.round(value).toLocaleString("en");
const mebibytes = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;
const at = held[held.length >> 1]!; // there are ROUNDS of them
const rows = [
  ["calls", grouped(finished()), ""],
  ...[...byPair].map(([pair, many]) => [`of them ${pair}`, grouped(many), ""]),
  ["answered, refused by a validator, cancelled", `${grouped(counts.answered)}, ${grouped(counts.denied)}, ${grouped(counts.cancelled)}`, ""],
  ["reports of progress, questions answered", `${grouped(counts.progress)}, ${grouped(counts.questions)}`, ""],
  ["lost, or with another's answer", grouped(lost + wrong), "0"],
  ["answered twice; messages that got round the cleaner", `${grouped(surplus)}; ${grouped(unguarded)}`, "0; 0"],
  ["calls that still run at upstreams, faces, calls and parked calls of the gateway, at the end", String(waiting + idle["faces"]! + idle["calls"]! + idle["parked_calls"]!), "0"],
  ["reloads, and files that were refused", `${reloads.taken}, ${reloads.refused}`, ""],
  ["lines of the audit log, all verified", grouped(auditLines), ""],
  ["clients at a time, and in all", `${clients}, ${grouped(counts.clients)}`, ""],
  [`connections refused as all ${maxChildren} children were in use, and made later`, grouped(counts.overloaded), ""],
  ["calls a second, on the machine that made them too", grouped(calls / seconds), ""],
  [`heap after a collection, after ${grouped(at.calls)} calls`, mebibytes(at.heap), ""],
  ["its growth from there to the end", mebibytes(growth.heap), mebibytes(BOUNDS.heap)],
  ["memory of the process then", mebibytes(at.rss), ""],
  ["its growth from there to the end", mebibytes(growth.rss), mebibytes(BOUNDS.rss)],
];
const where = `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model ?? "unknown"} with ${cpus().length} cores and a load of ${load.toFixed(1)} before the run, Node ${process.version}:`;
const table = ["| what | measured | bound |", "|---|---:|---:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
if (telling) writeMarked(README, "soak", `${where}\n\n${table}`);
console.log(`\n${table}`);
if (!telling) console.log(`\nGrowth of memory is not judged, and nothing is written into the README: the last half of a run says something from ${2 * WARM_CALLS} calls on.`);
