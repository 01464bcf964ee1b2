// What runs in the worker of a `workerInterceptor`: it loads the module, says what it holds, and runs what it is asked to.
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { describeError, isInstance, RpcError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { createSignal, type SignalSource } from "../core/base/signal.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { isFailureReason } from "../core/interceptor/failure.ts";
import { invokeInterceptor } from "../core/interceptor/invoke.ts";
import { nodeHost } from "./host.ts";
import { loadInterceptors } from "./load-module.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./worker-protocol.ts";

// Only ever started as a worker, by worker-thread.ts.
const port = parentPort as MessagePort;
const start = workerData as WorkerStart;
const post = (message: FromWorker) => port.postMessage(message);
const running = new Map<number, SignalSource>();

// What is printed goes by our own port: the streams that Node has for it would keep an idle process alive.
let printing = 0;
function print(text: unknown): boolean {
  const chunk = typeof text === "string" ? Buffer.from(text) : text;
  if (!(chunk instanceof Uint8Array) || printing + chunk.length > start.maxPrintedBytes) return true;
  printing += chunk.length;
  post({ type: "printed", chunk: Uint8Array.from(chunk) });
  return true;
}
for (const stream of [process.stdout, process.stderr]) {
  const write = (text: unknown, encoding?: unknown, done?: unknown) => {
    const callback = typeof encoding === "function" ? encoding : done;
    if (typeof callback === "function") queueMicrotask(() => callback());
    return print(text);
  };
  // An own property in front of the inherited method.
  Object.defineProperty(stream, "write", { value: write, writable: true, configurable: true });
}

async function run(byName: ReadonlyMap<string, Interceptor>, { id, params, caller }: ToWorker & { type: "run" }): Promise<void> {
  const stop = createSignal();
  running.set(id, stop);
  try {
    const interceptor = byName.get(params.name);
    if (interceptor === undefined) return post({ type: "error", id, reason: "unavailable", message: `the module has no interceptor ${params.name}` });
    const { maxDepth, maxMessageBytes } = start;
    const options = { host: nodeHost(), signal: stop.signal, maxDepth, maxMessageBytes, clock: "caller", ...(caller === undefined ? {} : { caller }) } as const;
    post({ type: "result", id, result: await invokeInterceptor(interceptor, params, options) });
  } catch (thrown) {
    const data = isInstance(thrown, RpcError) && isObject(thrown.data) ? thrown.data : {};
    const reason = isFailureReason(data["reason"]) ? data["reason"] : "crashed";
    const cause = isInstance(thrown, RpcError) && thrown.cause !== undefined ? thrown.cause : thrown;
    post({ type: "error", id, reason, message: describeError(cause) });
  } finally {
    running.delete(id);
  }
}

async function main(): Promise<void> {
  let byName: Map<string, Interceptor>;
  try {
    const interceptors = await loadInterceptors(start.module);
    byName = new Map(interceptors.map((interceptor) => [interceptor.descriptor.name, interceptor]));
    post({ type: "ready", descriptors: interceptors.map(({ descriptor }) => descriptor) });
  } catch (thrown) {
    return post({ type: "failed", message: describeError(thrown) });
  }
  port.on("message", (message: ToWorker) => {
    if (message.type === "run") void run(byName, message);
    else if (message.type === "ping") post({ type: "pong" });
    else if (message.type === "seen") printing -= message.bytes;
    else running.get(message.id)?.abort(undefined);
  });
}

await main();
