// Mutants measured by the kit: two threads, each with the compiled sources, take them one after the other.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { fixtures, requirements, vectors } from "../vectors.ts";
import { bundle, compileModule, compileWithImports } from "./modules.ts";
import { ENTRY, type Measured, type Mutant, type ThreadData } from "./mutant.ts";
import { applyPatch, type Patch } from "./patches.ts";

const THREADS = 2;
// A mutant that does not come back has a loop: its thread is ended.
const PATIENCE_MS = 60_000;
const VECTOR_MS = 1_000;
// Of the vectors that do not name the requirement, each 81st: they only show that nothing else is wrong. Where that is in doubt, each 27th and each ninth.
const SAMPLES: readonly number[] = [81, 27, 9];

/** The engine as it is, then each mutant, in the order of the patches. What is wrong with a patch is the error in its place. */
export interface Measurements {
  readonly unpatched: Measured;
  readonly mutants: ReadonlyMap<Patch, Measured | Error>;
}

export async function measureAll(patches: readonly Patch[], { every = SAMPLES }: { readonly every?: readonly number[] } = {}): Promise<Measurements> {
  const modules = await compileWithImports([ENTRY]);
  const program = await bundle(fileURLToPath(new URL("thread.ts", import.meta.url)));
  const data: ThreadData = { modules, vectors, fixtures, requirements };
  // An error between two mutants ends the thread, which the next one is told.
  const open = () => new Worker(program, { eval: true, execArgv: [], workerData: data }).on("error", () => {});

  const mutants = new Map<Patch, Measured | Error>();
  const jobs: { readonly mutant: Mutant; readonly done: (outcome: Measured | Error) => void }[] = [];
  let unpatched: Measured | Error = new Error("it was not measured");
  jobs.push({ mutant: { breaks: undefined, changed: new Map(), every: [1], timeoutMs: PATIENCE_MS }, done: (outcome) => (unpatched = outcome) });
  const outcomes = await Promise.all(patches.map((patch) => mutantOf(patch, modules, every)));
  for (const [at, patch] of patches.entries()) {
    const outcome = outcomes[at]!;
    mutants.set(patch, outcome instanceof Error ? outcome : new Error("it was not measured"));
    if (!(outcome instanceof Error)) jobs.push({ mutant: outcome, done: (measured) => mutants.set(patch, measured) });
  }

  const work = async () => {
    let thread: Worker | undefined;
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      thread ??= open();
      const outcome = await measureIn(thread, job.mutant);
      job.done(outcome);
      // Whatever it has left behind is no other mutant's.
      if (outcome instanceof Error) {
        await thread.terminate();
        thread = undefined;
      }
    }
    await thread?.terminate();
  };
  await Promise.all(Array.from({ length: THREADS }, work));
  // Set by the job; the compiler does not see that.
  const measured = unpatched as Measured | Error;
  if (measured instanceof Error) throw measured;
  return { unpatched: measured, mutants };
}

async function mutantOf(patch: Patch, modules: ReadonlyMap<string, string>, every: readonly number[]): Promise<Mutant | Error> {
  try {
    const changed = new Map(await Promise.all([...applyPatch(patch)].map(async ([file, source]) => [file, await compileModule(file, source)] as const)));
    const unused = [...changed.keys()].find((file) => !modules.has(file));
    if (unused !== undefined) return new Error(`no vector gets to ${unused}`);
    if ([...changed].every(([file, code]) => code === modules.get(file))) return new Error("it changes nothing that runs");
    return { breaks: patch.breaks, changed, every, timeoutMs: VECTOR_MS };
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

function measureIn(thread: Worker, mutant: Mutant): Promise<Measured | Error> {
  return new Promise((resolve) => {
    const settle = (outcome: Measured | Error) => {
      clearTimeout(patience);
      thread.off("message", settle).off("error", failed).off("exit", ended);
      resolve(outcome);
    };
    const failed = (thrown: unknown) => settle(thrown instanceof Error ? thrown : new Error(String(thrown)));
    const ended = () => settle(new Error("its thread has ended"));
    const patience = setTimeout(() => settle(new Error(`it has not come back within ${PATIENCE_MS} ms`)), PATIENCE_MS);
    thread.on("message", settle).on("error", failed).on("exit", ended);
    thread.postMessage(mutant);
  });
}
