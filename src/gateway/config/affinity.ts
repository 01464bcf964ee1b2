import { resolveVersions, type Era } from "../../core/mcp/lifecycle.ts";
import { mayAskInCalls } from "../capabilities.ts";
import type { GatewayPlan, UpstreamPlan } from "../plan.ts";
import type { UpstreamFacts } from "./probe.ts";

/**
 * What a balancer in front of several replicas has to send to the same one. `none`: any replica may have any request. `sessions`: requests with the
 * `Mcp-Session-Id` that a replica has given out. `parked calls`: the retry that answers what a replica has asked. `unknown`: the upstream was not asked.
 * `not served`: its clients' revisions are not spoken.
 */
export type Affinity = "none" | "sessions" | "parked calls" | "unknown" | "not served";

/** By the kind of its clients: of 2026-07-28, and of the revisions before it. */
export interface UpstreamAffinity {
  readonly name: string;
  readonly stateless: Affinity;
  readonly handshake: Affinity;
}

/** For each upstream that is served over HTTP. `facts` are of those that could be asked. */
export function affinities(plan: GatewayPlan, facts: ReadonlyMap<string, UpstreamFacts>): readonly UpstreamAffinity[] {
  if (plan.http === undefined) return [];
  const versions = resolveVersions(plan.versions);
  return plan.upstreams.map((upstream) => ({
    name: upstream.name,
    stateless: versions.stateless.length === 0 ? "not served" : ofStateless(plan, upstream, facts.get(upstream.name)),
    // A session is in the memory of the replica that opened it, whatever is behind.
    handshake: versions.handshake.length === 0 ? "not served" : "sessions",
  }));
}

function ofStateless({ parking }: GatewayPlan, upstream: UpstreamPlan, facts: UpstreamFacts | undefined): Affinity {
  const era: Era | undefined = upstream.era ?? facts?.era;
  // What a stateless upstream asks is in its results, and its state goes with the client.
  if (era === "stateless" || parking?.maxParked === 0) return "none";
  if (facts === undefined) return era === undefined ? "unknown" : "parked calls";
  return mayAskInCalls(facts.capabilities) ? "parked calls" : "none";
}

const HEAD = ["", "2026-07-28", "older revisions"] as const;

/** A small table, with what its words mean. */
export function formatAffinities(rows: readonly UpstreamAffinity[]): string {
  const cells = [HEAD, ...rows.map(({ name, stateless, handshake }) => [name, stateless, handshake] as const)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const lines = cells.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
  const used = new Set(rows.flatMap(({ stateless, handshake }) => [stateless, handshake]));
  return [...lines, ...[...MEANINGS].filter(([word]) => used.has(word)).map(([word, meaning]) => `  (${word}: ${meaning})`)].join("\n");
}

const MEANINGS: ReadonlyMap<Affinity, string> = new Map([
  ["none", "any replica may have any request"],
  ["sessions", "requests with an Mcp-Session-Id go to the replica that gave it out"],
  ["parked calls", "the retry that answers a question goes to the replica that asked it, where the client can be asked"],
  ["unknown", "the upstream was not asked; as none if it speaks 2026-07-28, else as parked calls"],
]);
