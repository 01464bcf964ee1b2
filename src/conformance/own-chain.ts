import { LocalError } from "../core/base/errors.ts";
import { compareCodePoints } from "../core/base/compare-code-points.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { createChain } from "../core/chain/chain.ts";
import { interceptorSource } from "../core/chain/in-process.ts";
import { chainError } from "../core/chain/outcome.ts";
import type { ChainResult, ChainResultEntry } from "../core/chain/result.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { fixtureInterceptor, type RecordedCall } from "./behaviours.ts";
import { scriptedHost, type ScriptedHost } from "./clock.ts";
import { scriptedSource } from "./scripted-source.ts";
import type { ChainVector } from "./vector.ts";

/** Makes a source of hosted interceptors: in process, or behind a connection. */
export type OpenSource = (interceptors: readonly Interceptor[], options: { readonly label: string; readonly host: Host }) => InterceptorSource | Promise<InterceptorSource>;

/**
 * Runs a chain vector on the engine of this package, on a clock of its own, and gives what the vectors expect: `{ refused: true }` where an
 * interceptor or its settings are not taken, `{ rejected: true }` where the execution's parameters are wrong, else what it came to.
 */
export async function runOwnChain(input: ChainVector["input"], open: OpenSource = interceptorSource): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  return await host.run(runOn(host, input, open));
}

async function runOn(host: ScriptedHost, { servers, execute }: ChainVector["input"], open: OpenSource): Promise<JsonObject> {
  const calls: RecordedCall[] = [];
  const chain = createChain({ host });
  try {
    for (const { label, interceptors: declarations, overrides = {}, config = {} } of servers) {
      const made = declarations.map((declaration) => fixtureInterceptor(declaration, { host, record: (call) => calls.push(call) }));
      const source = scriptedSource(await open(made, { label, host }), declarations);
      await chain.addSource(source, { overrides, config });
    }
  } catch (thrown) {
    if (!(thrown instanceof LocalError)) throw thrown;
    return { refused: true };
  }
  const given = cloneJson(execute);
  let result: ChainResult;
  try {
    result = await chain.execute(given);
  } catch (thrown) {
    if (!(thrown instanceof LocalError)) throw thrown;
    return { rejected: true };
  }
  const complete = await result.settled;
  const error = chainError(result);
  // As text would have it: without members that are undefined.
  return cloneJson({
    status: result.status,
    calls: inOrder(calls),
    results: complete.results.map(visible),
    validationSummary: complete.validationSummary,
    abortedAt: result.abortedAt && { interceptor: result.abortedAt.interceptor, reason: result.abortedAt.reason, type: result.abortedAt.type },
    ...("finalPayload" in result && { finalPayload: result.finalPayload }),
    payloadAfterwards: given.payload,
    error: error && { code: error.code, message: error.message, data: error.data },
  });
}

// Validators of a step start together, so the order among them says nothing: by name.
function inOrder(calls: readonly RecordedCall[]): { readonly interceptor: string; readonly payload: unknown }[] {
  const ordered: RecordedCall[] = [];
  let from = 0;
  for (const [at, call] of calls.entries()) {
    if (call.type === "mutation") from = at + 1;
    ordered.push(call);
    if (calls[at + 1]?.type === "validation") continue;
    const step = ordered.splice(from).sort((a, b) => compareCodePoints(a.interceptor, b.interceptor));
    ordered.push(...step);
  }
  return ordered.map(({ interceptor, payload }) => ({ interceptor, payload }));
}

// All but times, addresses and texts for this side.
function visible({ durationMs: _duration, elapsedMs: _elapsed, address: _address, error, ...rest }: ChainResultEntry): JsonObject {
  if (error === undefined) return rest;
  const { code, reason, timeoutMs } = error;
  return { ...rest, error: { code, reason, timeoutMs } };
}
