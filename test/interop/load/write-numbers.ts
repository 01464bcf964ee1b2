// Measures what the tests beside this file hold to bounds, and writes the numbers into test/README.md; run it as `npm run test:interop` runs the tests,
// after a build.
import { join } from "node:path";
import { writeMarked } from "../../support/marked-text.ts";
import { callThroughNginx, CALLS, isIdempotent } from "./nginx-calls.ts";
import { findNginx } from "./nginx.ts";
import { abandonSessions } from "./sessions.ts";
import { stallOneReader } from "./streams.ts";

const README = join(import.meta.dirname, "..", "..", "README.md");

type Row = readonly [what: string, measured: string, bound: string];
const grouped = (value: number): string => Math.round(value).toLocaleString("en");
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

async function nginxRows(): Promise<Row[]> {
  const command = findNginx();
  if (command === undefined) return [["nginx with two replicas", "skipped, as nginx is not installed", ""]];
  const { kills, answered, unknown, sentAgain, runs, served } = await callThroughNginx(command);
  const most = Math.max(...[...runs].map(([call, times]) => (isIdempotent(call) ? 0 : times)));
  const ran = [...unknown.keys()].filter((call) => runs.has(call)).length;
  return [
    [`nginx with two replicas, ${kills} kills of one: calls with an answer`, `${grouped(answered.size)} of ${grouped(CALLS)}`, ""],
    ["their runs on the two replicas", served.map(grouped).join(", "), ""],
    ["the most runs of a call that is not idempotent", String(most), "1"],
    ["calls that ended with `delivery: \"unknown\"`", `${unknown.size}, of which ${ran} had run`, "the rest"],
    ["calls that ended otherwise", String(CALLS - answered.size - unknown.size), "0"],
    ["idempotent calls that were sent again", String(sentAgain.idempotent), ""],
  ];
}

async function sessionRows(): Promise<Row[]> {
  const { sessions, first, second, after } = await abandonSessions();
  return [
    [`memory of ${grouped(sessions)} abandoned sessions, for each`, `${grouped(first / sessions)} bytes`, ""],
    [`of the next ${grouped(sessions)}, over that`, `${(second / first).toFixed(3)}×`, "1.05×"],
    ["left after the sweep, of what they took", `${((after / second) * 100).toFixed(1)} %`, "5 %"],
  ];
}

async function streamRows(): Promise<Row[]> {
  const { streams, p99, floodedBytes, grownBytes, boundBytes } = await stallOneReader();
  return [
    [`a message to ${grouped(streams)} streams, p99 until it is heard`, `${p99.without.toFixed(1)} ms`, ""],
    ["the same with one stalled reader", `${p99.stalled.toFixed(1)} ms, ${(p99.stalled / p99.without).toFixed(2)}×`, "1.5×"],
    [`kept for that reader, of ${mebibytes(floodedBytes)} sent to it`, mebibytes(grownBytes), mebibytes(boundBytes)],
  ];
}

const rows = [...(await nginxRows()), ...(await sessionRows()), ...(await streamRows())];
const table = ["| what | measured | bound |", "|---|---:|---:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
writeMarked(README, "load", table);
console.log(table);
