// Builds the package, measures it against what README.md says, and writes results.json and the table in README.md. With the word `http`,
// `gateway` or `detect`, that part alone is measured anew.
import { withNumbers } from "./readme-numbers.ts";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { installInterop } from "../support/install-interop.ts";
import { compareOverHttp, type HttpComparison, type HttpEra, type HttpSubject, type HttpTimes } from "./compare-http.ts";
import { measureCosts, withCosts } from "./cost-model.ts";
import { compareGateway } from "./gateway-compare.ts";
import { compareGuards } from "./guard-compare.ts";
import { compareInMemory, compareOnStdio, ROOT } from "./compare.ts";
import { compareDetection } from "./detect-compare.ts";
import { LIBRARY_README_FILE, PROJECT_README_FILE, README_FILE, readResults, renderResults, RESULTS_FILE, withResults, type Measured, type Results } from "./results.ts";
import { PIN } from "./worker.ts";
import { compareWorkers } from "./workers-compare.ts";

function build(): void {
  const { status } = spawnSync(process.execPath, ["--import", "tsx", join(ROOT, "test", "tools", "build.ts")], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

function officialVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, "test/interop/node_modules/@modelcontextprotocol/client/package.json"), "utf8"));
    return String((manifest as { version?: unknown }).version); // any package has it
  } catch {
    console.error("the official SDK is not installed: test/interop/package.json must name @modelcontextprotocol/client and /server, 2.x");
    process.exit(1);
  }
}

const measured = (unit: Measured["unit"]) => (value: number, what: string): Measured => ({ value: Number(value.toPrecision(4)), unit, what });
const time = measured("µs");
const ratio = measured("×");

const load = Number((loadavg()[0] ?? 0).toFixed(1));
const [part] = process.argv.slice(2);
// The parts about the gateway have nothing of the official SDK's in them.
if (part !== "gateway" && part !== "workers") installInterop();
build();

/** The numbers of one era, under keys that begin with `prefix`. */
function httpNumbers(prefix: string, era: HttpEra, revision: string, compared: HttpComparison): Record<string, Measured> {
  const { 1: alone, 32: together } = compared[era];
  const rows = (key: string, { ours, official, bare }: Record<HttpSubject, HttpTimes>, of: keyof HttpTimes, what: string): Record<string, Measured> => ({
    [`${prefix}${key}`]: time(ours[of], `HTTP, ${revision}: ${what}`),
    [`${prefix}${key}Ratio`]: ratio(official[of] / ours[of], "the official server's / that"),
    [`${prefix}${key}BareRatio`]: ratio(bare[of] / ours[of], "that of `node:http` alone / that"),
  });
  return {
    ...rows("Alone", alone, "p50", "`tools/call`, one in flight"),
    ...rows("Call", together, "call", "32 in flight, from one answer to the next"),
    ...rows("Server", together, "server", "32 in flight, the server's processor time of a call"),
  };
}

async function measureHttp(): Promise<Record<string, Measured>> {
  console.log("over HTTP …");
  const compared = await compareOverHttp();
  return { ...httpNumbers("http", "stateless", "2026-07-28", compared), ...httpNumbers("httpSession", "handshake", "2025-11-25", compared) };
}

async function measureGateway(): Promise<Record<string, Measured>> {
  console.log("the gateway …");
  return await compareGateway();
}

async function measureWorkers(): Promise<Record<string, Measured>> {
  console.log("workers …");
  return await compareWorkers();
}

async function measureDetection(): Promise<Record<string, Measured>> {
  console.log("detection …");
  return await compareDetection();
}

const date = new Date().toISOString().slice(0, 10);

async function measureAll(): Promise<Results> {
  console.log("in memory …");
  const memory = await compareInMemory();
  console.log("on stdio …");
  const { direct, pipe, relay, redact } = await compareOnStdio();
  console.log("guards on the official SDK's servers …");
  const guards = await compareGuards();
  const added = (between: { readonly p50: number }) => between.p50 - direct.p50;
  return {
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      node: process.version,
      system: `${process.platform} ${process.arch}`,
      date,
      load,
      pinned: PIN.length > 0,
      officialSdk: officialVersion(),
    },
    numbers: {
      officialCall: time(memory.official, "official SDK, `tools/call` in memory"),
      peerRequest: time(memory.peer, "request between two peers in memory"),
      clientCall: time(memory.clientCall, "`McpClient.callTool` to `McpServer.tool` in memory, 2026-07-28"),
      handshakeCall: time(memory.handshakeCall, "the same in the handshake era, as the official call"),
      guardedCall: time(memory.guardedCall, "`callTool`, 2026-07-28, to a server guarded by a validator and a mutator"),
      chain: time(memory.chain, "chain of a validator and a mutator that changes the call"),
      roundTripRatio: ratio(memory.official / memory.peer, "official call / request between peers"),
      clientRatio: ratio(memory.official / memory.clientCall, "official call / `callTool`, 2026-07-28"),
      handshakeRatio: ratio(memory.official / memory.handshakeCall, "official call / `callTool`, handshake era"),
      guardedRatio: ratio(memory.official / memory.guardedCall, "official call, not guarded / guarded `callTool`"),
      chainRatio: ratio(memory.official / memory.chain, "official call / chain"),
      directP50: time(direct.p50, "server alone on stdio, p50"),
      directP99: time(direct.p99, "server alone, p99"),
      pipeP50: time(pipe.p50, "byte pipe before it, p50"),
      pipeP99: time(pipe.p99, "byte pipe, p99"),
      relayP50: time(relay.p50, "`wrap` without interceptors, p50"),
      relayP99: time(relay.p99, "`wrap`, p99"),
      redactP50: time(redact.p50, "`wrap --use redact`, p50"),
      redactP99: time(redact.p99, "`wrap --use redact`, p99"),
      pipeAddedP50: time(added(pipe), "added by the byte pipe at p50"),
      relayAddedP50: time(added(relay), "added by `wrap` at p50"),
      redactAddedP50: time(added(redact), "added by `wrap --use redact` at p50"),
      relayRatio: ratio(added(relay) / added(pipe), "added by `wrap` / by the byte pipe"),
      redactRatio: ratio(added(redact) / added(pipe), "added by `wrap --use redact` / by the byte pipe"),
      ...(await measureHttp()),
      ...(await measureDetection()),
      ...guards,
      ...(await measureGateway()),
      ...(await measureWorkers()),
    },
  };
}

const PARTS = { http: measureHttp, gateway: measureGateway, workers: measureWorkers, detect: measureDetection };

/** The numbers of the last run, those of one part apart. */
async function measureAgain(part: keyof typeof PARTS): Promise<Results> {
  const { machine, numbers } = readResults();
  return { machine: { ...machine, [part]: { date, load } }, numbers: { ...numbers, ...(await PARTS[part]()) } };
}

const results = part === "http" || part === "gateway" || part === "workers" || part === "detect" ? await measureAgain(part) : await measureAll();
writeFileSync(RESULTS_FILE, `${JSON.stringify(results, undefined, 2)}\n`);
writeFileSync(README_FILE, withCosts(withResults(readFileSync(README_FILE, "utf8"), results), measureCosts()));
for (const file of [PROJECT_README_FILE, LIBRARY_README_FILE]) writeFileSync(file, withNumbers(readFileSync(file, "utf8"), results.numbers));
console.log(`\n${renderResults(results)}`);
