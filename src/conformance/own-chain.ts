import { LocalError } from "../core/base/errors.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { createSignal } from "../core/base/signal.ts";
import { compareCodePoints } from "../core/base/compare-code-points.ts";
import { createChain, type Chain, type RefreshOptions } from "../core/chain/chain.ts";
import { interceptorSource } from "../core/chain/in-process.ts";
import { chainError } from "../core/chain/outcome.ts";
import type { ChainLog } from "../core/chain/report.ts";
import type { ChainResult, ChainResultEntry } from "../core/chain/result.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { fixtureInterceptor } from "./behaviours.ts";
import { inOrder, type RecordedCall } from "./calls.ts";
import { editAt } from "./edit.ts";
import { scriptedHost, type ScriptedHost } from "./clock.ts";
import { scriptedSource } from "./scripted-source.ts";
import type { ChainVector, FixtureDeclaration, VectorServer } from "./vector.ts";

/** Makes a source of hosted interceptors: in process, or behind a connection. */
export type OpenSource = (interceptors: readonly Interceptor[], options: { readonly label: string; readonly host: Host }) => InterceptorSource | Promise<InterceptorSource>;

/**
 * Runs a chain vector on the engine of this package, on a clock of its own, and gives what the vectors expect: `{ refused: true }` where an
 * interceptor or its settings are not taken, `{ rejected: true }` where the execution's parameters are wrong, `{ aborted: true, calls }` where
 * the caller gave up in time, else what it came to.
 */
export async function runOwnChain(input: ChainVector["input"], open: OpenSource = interceptorSource): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  return await host.run(runOn(host, input, open));
}

async function runOn(host: ScriptedHost, input: ChainVector["input"], open: OpenSource): Promise<JsonObject> {
  const { servers, maxDetached, refresh, execute, waitMs } = input;
  const calls: RecordedCall[] = [];
  const cancelled: string[] = [];
  const logged: ChainLog[] = [];
  const chain = createChain({ host, log: (line) => logged.push(line), ...(maxDetached !== undefined && { maxDetached }) });
  const stage: Stage = { current: "first" };
  try {
    for (const server of servers) {
      const { overrides = {}, config = {}, ignoreUnknownTypes = false } = server;
      const source = await openServer(server, { host, open, stage, record: (call) => calls.push(call), onCancel: (name) => cancelled.push(name) });
      await chain.addSource(source, { overrides, config, ignoreUnknownTypes });
    }
  } catch (thrown) {
    if (!(thrown instanceof LocalError)) throw thrown;
    return { refused: true };
  }
  const refreshed = refresh === undefined ? undefined : await runRefresh(chain, refresh, stage);
  const { abortAfterMs, edit, ...given } = cloneJson(execute);
  const caller = createSignal();
  if (abortAfterMs !== undefined) host.setTimer(() => caller.abort(GAVE_UP), abortAfterMs);
  if (edit !== undefined) host.setTimer(() => void editAt(given.payload, edit.path, () => edit.value), edit.afterMs);
  let result: ChainResult;
  try {
    result = await chain.execute({ ...given, signal: caller.signal });
  } catch (thrown) {
    if (thrown === GAVE_UP) return { aborted: true, calls: shown(calls), cancelled: cancelled.sort(compareCodePoints) };
    if (!(thrown instanceof LocalError)) throw thrown;
    return { rejected: true };
  }
  const complete = await result.settled;
  if (waitMs !== undefined) await new Promise<void>((resolve) => void host.setTimer(resolve, waitMs));
  const error = chainError(result);
  // As text would have it: without members that are undefined.
  return cloneJson({
    refresh: refreshed,
    status: result.status,
    calls: shown(calls),
    results: complete.results.map(visible),
    unfinished: complete.results.filter(({ address }) => !result.results.some((early) => early.address === address)).map(({ interceptor }) => interceptor),
    lateAnswers: chain.stats().lateAnswers,
    cancelled: cancelled.sort(compareCodePoints),
    logged: logged.filter(({ reason }) => reason !== undefined).map(({ level, address, reason }) => ({ level, address, reason })),
    validationSummary: complete.validationSummary,
    abortedAt: result.abortedAt && { interceptor: result.abortedAt.interceptor, reason: result.abortedAt.reason, type: result.abortedAt.type },
    ...("finalPayload" in result && { finalPayload: result.finalPayload }),
    payloadAfterwards: given.payload,
    error: error && { code: error.code, message: error.message, data: error.data },
  });
}

const GAVE_UP = new LocalError("aborted", "the caller of the vector gave up");

/** Which of its lists each server gives, and hosts. */
interface Stage {
  current: "first" | "later";
}

interface ServerOptions {
  readonly host: ScriptedHost;
  readonly open: OpenSource;
  readonly stage: Stage;
  readonly record: (call: RecordedCall) => void;
  readonly onCancel: (interceptor: string) => void;
}

async function openServer({ label, interceptors, later }: VectorServer, { host, open, stage, record, onCancel }: ServerOptions): Promise<InterceptorSource> {
  const hosting = async (declarations: readonly FixtureDeclaration[]) => {
    const made = declarations.map((declaration) => fixtureInterceptor(declaration, { host, record }));
    return scriptedSource(await open(made, { label, host }), declarations, { host, onCancel });
  };
  const first = await hosting(interceptors);
  if (later === undefined) return first;
  const second = await hosting(later);
  const now = () => (stage.current === "first" ? first : second);
  return { label, remote: first.remote, list: (signal) => now().list(signal), invoke: (params, signal) => now().invoke(params, signal) };
}

// Where the chain does not take in what is listed now, the servers go on as they were.
async function runRefresh(chain: Chain, options: RefreshOptions, stage: Stage): Promise<unknown> {
  stage.current = "later";
  try {
    const { added, removed, changed } = await chain.refresh(options);
    const addresses = (entries: readonly { readonly address: string }[]) => entries.map(({ address }) => address);
    return { added: addresses(added), removed: addresses(removed), changed: addresses(changed) };
  } catch (thrown) {
    if (!(thrown instanceof LocalError)) throw thrown;
    stage.current = "first";
    return "refused";
  }
}

function shown(calls: readonly RecordedCall[]): readonly JsonObject[] {
  return inOrder(calls).map(({ interceptor, payload }) => ({ interceptor, payload }));
}

// All but times, addresses and texts for this side.
function visible({ durationMs: _duration, elapsedMs: _elapsed, address: _address, error, ...rest }: ChainResultEntry): JsonObject {
  if (error === undefined) return rest;
  const { code, reason, timeoutMs } = error;
  return { ...rest, error: { code, reason, timeoutMs } };
}
