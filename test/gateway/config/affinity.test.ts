import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChain } from "../../../src/core/chain/chain.ts";
import { affinities, formatAffinities } from "../../../src/gateway/config/affinity.ts";
import type { UpstreamFacts } from "../../../src/gateway/config/probe.ts";
import type { GatewayPlan, UpstreamPlan } from "../../../src/gateway/plan.ts";

const plan = (more: Partial<GatewayPlan>, ...upstreams: (Pick<UpstreamPlan, "name"> & Partial<UpstreamPlan>)[]): GatewayPlan => ({
  upstreams: upstreams.map((upstream) => ({ target: { url: "https://x.example/mcp" }, ...upstream })),
  chain: () => createChain(),
  http: {},
  ...more,
});
const fact = (era: UpstreamFacts["era"], capabilities: UpstreamFacts["capabilities"] = { tools: {} }): UpstreamFacts => ({ era, capabilities, protocolVersion: undefined, info: undefined, tools: undefined });

describe("what a balancer has to keep together", () => {
  it("is sessions for clients that have them, and parked calls where an upstream asks in the middle of a call", () => {
    const facts = new Map([
      ["new", fact("stateless")],
      ["old", fact("handshake")],
      ["lists", fact("handshake", { logging: {}, completions: {} })],
      ["prompts", fact("handshake", { prompts: {} })],
      ["odd", fact("handshake", { extensions: { "com.example/asks": {} } })],
      ["bare", fact("handshake", { extensions: {}, experimental: {} })],
    ]);
    const rows = affinities(plan({}, ...[...facts.keys()].map((name) => ({ name }))), facts);
    assert.deepEqual(rows.map(({ name, stateless, handshake }) => [name, stateless, handshake]), [
      ["new", "none", "sessions"],
      ["old", "parked calls", "sessions"],
      ["lists", "none", "sessions"],
      ["prompts", "parked calls", "sessions"],
      ["odd", "parked calls", "sessions"],
      ["bare", "none", "sessions"],
    ]);
  });

  it("goes by what the plan says where an upstream was not asked, and by which revisions are spoken", () => {
    const upstreams = [{ name: "new", era: "stateless" }, { name: "old", era: "handshake" }, { name: "who" }] as const;
    const of = (more: Partial<GatewayPlan>) => affinities(plan(more, ...upstreams), new Map()).map(({ stateless, handshake }) => `${stateless}, ${handshake}`);
    assert.deepEqual(of({}), ["none, sessions", "parked calls, sessions", "unknown, sessions"]);
    assert.deepEqual(of({ versions: ["2026-07-28"] }), ["none, not served", "parked calls, not served", "unknown, not served"]);
    assert.deepEqual(of({ versions: ["2025-11-25"] }), ["not served, sessions", "not served, sessions", "not served, sessions"]);
    // Nothing is parked, so servers are told that nobody can be asked.
    assert.deepEqual(of({ parking: { maxParked: 0 } }), ["none, sessions", "none, sessions", "none, sessions"]);
    const { http: _none, ...without } = plan({}, ...upstreams);
    assert.deepEqual(affinities(without, new Map()), []);
  });

  it("is told as a table, with the words that it uses", () => {
    const text = formatAffinities([
      { name: "files", stateless: "parked calls", handshake: "sessions" },
      { name: "a-long-name", stateless: "none", handshake: "sessions" },
    ]);
    assert.deepEqual(text.split("\n"), [
      "               2026-07-28    older revisions",
      "  files        parked calls  sessions",
      "  a-long-name  none          sessions",
      "  (none: any replica may have any request)",
      "  (sessions: requests with an Mcp-Session-Id go to the replica that gave it out)",
      "  (parked calls: the retry that answers a question goes to the replica that asked it, where the client can be asked)",
    ]);
  });
});
