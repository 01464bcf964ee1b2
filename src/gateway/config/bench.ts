import { utf8Length } from "../../core/base/bytes.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Chain } from "../../core/chain/chain.ts";
import type { ChainResult } from "../../core/chain/result.ts";
import type { Phase, Principal } from "../../core/wire/gen/interceptors.ts";
import { directionAtFace } from "./trial.ts";

/** A message to measure with. */
export interface BenchMessage {
  /** For a table. */
  readonly name: string;
  readonly event: string;
  readonly phase: Phase;
  readonly payload: JsonObject;
  /** The payload is `{ error }`. */
  readonly error?: boolean;
  /** Of a response. */
  readonly request?: { readonly method: string; readonly params?: JsonObject };
}

export interface InterceptorCost {
  readonly address: string;
  /** Microseconds a message, 0 where it does not run. Validators run together, so that what waits counts in each. */
  readonly p50Us: number;
  /** Of the chain's p50, from 0; all together more than 1 where some ran meanwhile. */
  readonly share: number;
}

export interface BenchRow {
  readonly message: string;
  /** Of the payload's JSON text, in UTF-8. */
  readonly bytes: number;
  readonly runs: number;
  /** Runs in which the chain did not let it pass: they may cost less than others. */
  readonly refused: number;
  /** Runs in which an interceptor failed. */
  readonly failed: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly meanUs: number;
  /** One after the other. */
  readonly perSecond: number;
  readonly interceptors: readonly InterceptorCost[];
}

export interface BenchOptions {
  /** Milliseconds of measuring, after a quarter of that to warm up. */
  readonly runMs: number;
  readonly principal: Principal;
  readonly signal: Signal;
}

const MAX_RUNS = 200_000;
// Others of this process, signals among them, get their turn so often.
const TURN_MS = 20;

/**
 * Measures what a chain takes for a message as a guard would run it: not reading and writing of the message, which cost the same without interceptors.
 * Each run is a session of its own, so that what is limited by session is not refused. Rejects with the signal's reason.
 */
export async function benchMessage(chain: Chain, message: BenchMessage, { runMs, principal, signal }: BenchOptions): Promise<BenchRow> {
  const { event, phase, payload, request, error } = message;
  let session = 0;
  const run = () =>
    chain.execute({
      event,
      phase,
      payload,
      // As a guard does where nothing of the message outlives its judgement.
      owned: true,
      direction: directionAtFace(event, phase),
      revalidate: "if-modified",
      context: { sessionId: `bench-${++session}`, principal },
      signal,
      ...(request === undefined ? {} : { request }),
      ...(error === true ? { error } : {}),
    });
  await repeat(run, { forMs: runMs / 4, signal, took: () => {} });
  const times: number[] = [];
  const own = new Map(chain.entries.map(({ address }) => [address, [] as number[]]));
  let refused = 0;
  let failed = 0;
  await repeat(run, {
    forMs: runMs,
    signal,
    took(elapsedMs, result) {
      times.push(elapsedMs);
      if (result.status !== "success") refused++;
      if (result.results.some((one) => one.error !== undefined)) failed++;
      for (const one of result.results) own.get(one.address)?.push(one.elapsedMs);
    },
  });
  const totalMs = times.reduce((sum, time) => sum + time, 0);
  const us = (ms: number) => ms * 1000;
  const p50Ms = quantile(times, 0.5);
  return {
    message: message.name,
    bytes: utf8Length(JSON.stringify(payload)),
    runs: times.length,
    refused,
    failed,
    p50Us: us(p50Ms),
    p99Us: us(quantile(times, 0.99)),
    meanUs: us(totalMs / times.length),
    perSecond: (times.length / totalMs) * 1000,
    interceptors: [...own].map(([address, each]) => {
      const ms = quantile(each, 0.5);
      return { address, p50Us: us(ms), share: ms / p50Ms };
    }),
  };
}

interface Repetition {
  readonly forMs: number;
  readonly signal: Signal;
  took(elapsedMs: number, result: ChainResult): void;
}

// Once at least.
async function repeat(run: () => Promise<ChainResult>, { forMs, signal, took }: Repetition): Promise<void> {
  const end = performance.now() + forMs;
  let turn = performance.now() + TURN_MS;
  for (let count = 0; count < MAX_RUNS; count++) {
    const started = performance.now();
    const result = await run();
    const ended = performance.now();
    // What audits has its share as well, and is out of the way of the next run.
    took(ended - started, await result.settled);
    if (ended >= end) return;
    if (ended < turn) continue;
    await new Promise(setImmediate);
    if (signal.aborted) throw signal.reason;
    turn = performance.now() + TURN_MS;
  }
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const SIZES_KIB = [1, 4, 16, 64, 256];

/** A list of tools, a call of `tool`, and its results from 1 to 256 KiB of prose. */
export function representativeMessages(tool: string): readonly BenchMessage[] {
  const inputSchema = { type: "object", properties: { path: { type: "string", description: "Where to look" }, query: { type: "string" } }, required: ["path"] };
  const tools = Array.from({ length: 20 }, (_, index) => ({ name: index === 0 ? tool : `tool_${index}`, description: "Finds the files below a folder that have the words in them.", inputSchema }));
  const request = { method: "tools/call", params: { name: tool, arguments: { path: "/srv/reports/2026", query: "quarterly figures of the northern branch", limit: 25 } } };
  return [
    { name: "list of 20", event: "tools/list", phase: "response", payload: { tools }, request: { method: "tools/list", params: {} } },
    { name: "call", event: "tools/call", phase: "request", payload: request.params },
    ...SIZES_KIB.map((kib): BenchMessage => ({ name: `result ${kib} KiB`, event: "tools/call", phase: "response", payload: { content: [{ type: "text", text: prose(kib * 1024) }] }, request })),
  ];
}

const SENTENCES = [
  "The figures of the northern branch came in later than those of the others, and nobody had asked for them.",
  "Of 1,204 orders that were placed between March and June, 37 were sent back; see section 4.2 for the reasons.",
  "It was agreed to look at the matter again once the report is out, and to leave everything else as it is.",
];

function prose(length: number): string {
  const once = `${SENTENCES.join(" ")}\n`;
  return once.repeat(Math.ceil(length / once.length)).slice(0, length);
}
