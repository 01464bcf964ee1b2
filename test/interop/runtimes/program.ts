// What the core has to do on every runtime, as one program that names no platform: all vectors of the conformance kit behind a connection in memory, those
// that a server answers behind an HTTP handler too (of either era, without a socket), the program of `test/vm`, and ready-made interceptors in a chain.
import { runVectors } from "../../../src/conformance/kit.ts";
import type { FixtureDeclaration, Vector } from "../../../src/conformance/vector.ts";
import { detectHost } from "../../../src/core/base/host.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { rateLimit, redact, sizeLimit, toolFilter } from "../../../src/library.ts";
import { memory, targetOver, type Seam } from "../../conformance/connected-target.ts";
import { http } from "../../conformance/http-seam.ts";
import { run } from "../../vm/program.ts";

/** What the program is handed, as JSON: it reads no file. */
export interface Inputs {
  readonly vectors: readonly Vector[];
  readonly fixtures: readonly FixtureDeclaration[];
}

export interface Findings {
  /** By connection. */
  readonly vectors: Readonly<Record<string, { readonly passed: number; readonly failed: readonly string[] }>>;
  /** Of `test/vm/program.ts`. */
  readonly core: unknown;
  readonly library: unknown;
}

const SEAMS: readonly (readonly [name: string, seam: Seam])[] = [
  ["memory", memory],
  ["http-handshake", http("handshake")],
  ["http-stateless", http("stateless")],
];

/** JSON of {@link Findings}, from JSON of {@link Inputs}. */
export async function measure(inputs: string): Promise<string> {
  const { vectors, fixtures } = JSON.parse(inputs) as Inputs;
  const findings: Record<string, Findings["vectors"][string]> = {};
  for (const [name, seam] of SEAMS) findings[name] = await runOver(seam, vectors.filter(({ kind }) => name === "memory" || ON_CONNECTIONS.has(kind)), fixtures);
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const core: unknown = JSON.parse(await run({ parse: (text) => JSON.parse(text) as unknown, later: async (value) => value, fail, globals: globalThis }));
  return JSON.stringify({ vectors: findings, core, library: await runLibrary() } satisfies Findings);
}

const ON_CONNECTIONS: ReadonlySet<string> = new Set(["list", "invoke", "chain"]);

async function runOver(seam: Seam, vectors: readonly Vector[], fixtures: readonly FixtureDeclaration[]) {
  const { target, close } = await targetOver(seam, fixtures);
  const outcomes = await runVectors(vectors, target, { host: detectHost() });
  await close();
  const failed = outcomes.filter(({ status }) => status !== "passed").map(({ id, status, actual, reason }) => `${id} ${status}: ${actual ?? reason ?? ""}`);
  return { passed: outcomes.length - failed.length, failed };
}

/** What ready-made interceptors make of three calls and a result. */
async function runLibrary(): Promise<unknown> {
  const chain = createChain();
  chain.add([redact(), ...toolFilter({ deny: ["write_*"] }), rateLimit({ scope: "global", burst: 2, perMinute: 1 }), ...sizeLimit({ maxBytes: 1_000 })]);
  const call = async (name: string, text = "") => (await chain.execute({ event: "tools/call", phase: "request", payload: { name, arguments: { text } } })).abortedAt?.interceptor ?? "passed";
  const calls = [await call("write_file"), await call("echo", "a".repeat(1_000)), await call("echo")];
  const content = [{ type: "text", text: "write to ann@example.com" }];
  const { finalPayload } = await chain.execute({ event: "tools/call", phase: "response", payload: { content } });
  return { calls, finalPayload };
}
