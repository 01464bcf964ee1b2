// Runs in a thread: builds one mutant after the other, and has the kit measure each. The kit is not the mutant's.
import { parentPort, workerData } from "node:worker_threads";
import { detectHost } from "../../../src/core/base/host.ts";
import { reportOf, runVectors, type VectorOutcome } from "../../../src/conformance/kit.ts";
import type { Vector } from "../../../src/conformance/vector.ts";
import type * as Connected from "../connected-target.ts";
import { createLinker } from "./link.ts";
import { ENTRY, LEAST_PASSED, type Measured, type Mutant, type ThreadData } from "./mutant.ts";

const FRESH = { ran: 0, failed: [], broken: [], ok: true };

async function measure(mutant: Mutant): Promise<Measured> {
  let connected: Connected.ConnectedTarget;
  try {
    // The module of that name.
    const { memory, targetOver } = link(mutant.changed)(ENTRY) as typeof Connected;
    connected = await targetOver(memory, data.fixtures);
  } catch (thrown) {
    return { ...FRESH, crashed: String(thrown) };
  }
  const { near, target, close } = connected;
  const { breaks, timeoutMs, every } = mutant;
  const names = ({ requirements }: Vector) => breaks !== undefined && requirements.includes(breaks);
  // All that name the rule that is broken, and a sample of the others, which should mostly pass.
  const own = data.vectors.filter(names);
  const others = data.vectors.filter((vector) => !names(vector));
  const outcomes: VectorOutcome[] = [];
  const failed = () => outcomes.filter(({ status }) => status === "failed");
  const done = new Set<Vector>();
  for (const step of every) {
    const sample = [...own, ...others.filter((_vector, at) => at % step === 0)];
    const most = (1 - LEAST_PASSED) * sample.length;
    for (const vector of sample) {
      if (failed().length > most) break;
      if (!done.has(vector)) outcomes.push(...(await runVectors([vector], near, { host, timeoutMs })));
      done.add(vector);
    }
    if (failed().length <= most) break;
  }
  const ran = outcomes.filter(({ status }) => status !== "skipped").length;
  // Some rules show only where the chain's sources are behind connections.
  if (breaks !== undefined && !failed().some(({ requirements }) => requirements.includes(breaks))) {
    const far = data.vectors.filter((vector) => vector.kind === "chain" && names(vector));
    outcomes.push(...(await runVectors(far, target, { host, timeoutMs })));
  }
  void close().catch(() => {});
  const report = reportOf(outcomes, data.requirements);
  return {
    ran,
    failed: failed().map(({ id, expected, actual }) => ({ id, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) })),
    broken: report.requirements.filter(({ status }) => status === "broken").map(({ id }) => id),
    ok: report.ok,
  };
}

// What whoever started the thread has given.
const data = workerData as ThreadData;
const host = detectHost();
const link = createLinker(data.modules);
// A promise that a mutant lets fall is its own affair: vectors tell what it is worth.
process.on("unhandledRejection", () => {});
parentPort?.on("message", (mutant: Mutant) => {
  void measure(mutant).then((measured) => parentPort?.postMessage(measured));
});
