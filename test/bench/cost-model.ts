// What a guard does for one request, in numbers that do not depend on the machine: measured by counters, and said by a formula.
// npm run bench writes the table into README.md.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A chain, and where its interceptors live. With `changes` the first mutator changes the payload. */
export interface Shape {
  readonly validators: number;
  readonly mutators: number;
  readonly changes: boolean;
  readonly mode: "active" | "audit";
  readonly where: "in process" | "remote";
  /** Handlers in this process answer by a promise. */
  readonly promised: boolean;
}

export interface Cost {
  /** Calls of handlers. */
  readonly invocations: number;
  /** Frames between the chain and the interceptors' server, both ways. */
  readonly messages: number;
  /** Copies of a JSON value; of the guard and the interceptors' server together, where that is in the same process as here. */
  readonly clones: number;
  /** Objects and lists in all these copies: an allocation each. */
  readonly containers: number;
  /** Timers set. */
  readonly timers: number;
}

const COUNTS = [0, 1, 2, 4, 8];

const PLACES = [
  { where: "in process", promised: false },
  { where: "in process", promised: true },
  { where: "remote", promised: false },
] as const;

export const SHAPES: readonly Shape[] = PLACES.flatMap((place) =>
  (["active", "audit"] as const).flatMap((mode) =>
    COUNTS.flatMap((validators) =>
      COUNTS.flatMap((mutators) => (mutators === 0 ? [false] : [false, true]).map((changes): Shape => ({ validators, mutators, changes, mode, ...place }))),
    ),
  ),
);

/** Objects in the params of the request that is measured, and in the context that its interceptors get. */
const PAYLOAD = 2;
const CONTEXT = 1;

/** The formula, as README.md explains it. */
export function predictCost({ validators, mutators, changes, mode, where, promised }: Shape): Cost {
  // A payload that was changed on its way in is judged again.
  const validated = mode === "active" && changes ? 2 * validators : validators;
  const invocations = validated + mutators;
  // Audit reads on when the message has gone: what it reads is copied, once for all.
  const audits = mode === "audit" && invocations > 0;
  const remote = where === "remote";
  return {
    invocations,
    messages: remote ? 2 * invocations : 0,
    clones: validated + 2 * mutators + (audits ? 2 : 0) + (remote ? 3 * invocations : 0),
    containers: (remote ? 19 * validated + 23 * mutators : PAYLOAD * (validated + 2 * mutators)) + (audits ? PAYLOAD + CONTEXT : 0),
    timers: remote || promised ? invocations : 0,
  };
}

export type Measured = readonly { readonly shape: Shape; readonly cost: Cost }[];

/** Guards a request with a chain of each shape, in a process of its own. */
export function measureCosts(): Measured {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", "tsx", "--import", file("cost-hooks.mjs"), file("cost-worker.ts")], { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`cost-worker.ts has failed: ${stderr}`);
  return JSON.parse(stdout) as Measured; // what cost-worker.ts writes
}

const SHOWN = [
  [1, 0],
  [0, 1],
  [4, 2],
] as const;

/** The table for README.md: of all that is measured, some. */
export function renderCosts(measured: Measured): string {
  const rows = measured
    .filter(({ shape }) => SHOWN.some(([validators, mutators]) => shape.validators === validators && shape.mutators === mutators))
    .filter(({ shape }) => !shape.promised && (!shape.changes || shape.mode === "active"))
    .map(({ shape: { validators, mutators, changes, mode, where }, cost: { invocations, messages, clones, containers, timers } }) =>
      `| ${where} | ${mode} | ${validators} | ${mutators} | ${changes ? "yes" : "no"} | ${invocations} | ${messages} | ${clones} | ${containers} | ${timers} |`,
    );
  return ["| where | mode | n | m | changes | runs | messages | copies | objects in them | timers |", "|---|---|--:|--:|---|--:|--:|--:|--:|--:|", ...rows].join("\n");
}

const BLOCK = /<!-- cost -->[\s\S]*<!-- \/cost -->/;

/** README.md's text with this table in it. */
export function withCosts(readme: string, measured: Measured): string {
  return readme.replace(BLOCK, () => `<!-- cost -->\n${renderCosts(measured)}\n<!-- /cost -->`);
}
