import { ErrorCode, isInstance, LocalError, RpcError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { cloneJson } from "../core/base/json.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { Signal } from "../core/base/signal.ts";
import { isThenable } from "../core/base/thenable.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import type { InvokeParams } from "../core/wire/gen/interceptors.ts";
import { createCircuit, type Circuit, type CircuitOptions, type CircuitState } from "./breaker-circuit.ts";
import { createSlots, type Slots } from "./breaker-slots.ts";

/** When a circuit opens, and how many calls one interceptor gets at a time. */
export interface BreakerOptions extends CircuitOptions {
  /** Invocations of one interceptor at a time. Default 100. */
  readonly maxConcurrent?: number;
  /** Invocations of one interceptor that wait for their turn. Above: they fail at once. Default 1,000. */
  readonly maxWaiting?: number;
  /** How long one waits for its turn at most; never longer than its own timeout. Default 1,000 ms. */
  readonly maxWaitMs?: number;
  readonly host?: Host;
  /** Told of each change of a circuit, for logs. What it throws is dropped. */
  onChange?(change: { readonly source: string; readonly interceptor: string; readonly state: CircuitState }): void;
}

const OPTIONS: OptionTable<BreakerOptions> = {
  failures: "any",
  ratio: "any",
  window: "any",
  openMs: "any",
  longestOpenMs: "any",
  probes: "any",
  maxConcurrent: "any",
  maxWaiting: "any",
  maxWaitMs: "any",
  host: "an object",
  onChange: "a function",
};

/** How one interceptor of a source stands. */
export interface BreakerStats {
  readonly interceptor: string;
  readonly state: CircuitState;
  readonly running: number;
  readonly waiting: number;
  /** Invocations that failed here, and never came to the source: while the circuit was open, and for want of a turn. */
  readonly refused: { readonly open: number; readonly busy: number };
}

/** A source whose failing interceptors are left alone for a while. */
export interface BreakerSource extends InterceptorSource {
  /** Of each interceptor that was invoked so far. */
  stats(): readonly BreakerStats[];
}

interface Gate {
  readonly circuit: Circuit;
  readonly slots: Slots;
  refusedOpen: number;
  refusedBusy: number;
}

// More interceptors than any chain takes (`limits.maxInterceptors`).
const MAX_GATES = 10_000;

/**
 * A source with a circuit breaker and a cap on concurrent invocations for each of its interceptors. While a circuit is open, and where no turn is to be had,
 * an invocation fails at once with `refused`, which a chain takes for `unavailable`: the entry's `failOpen` decides what becomes of the message. Crashes,
 * timeouts and lost connections count as failures; verdicts do not, nor invocations that the caller gave up.
 */
export function withBreaker(source: InterceptorSource, options: BreakerOptions = {}): BreakerSource {
  checkOptions(options, "the options of a breaker", OPTIONS);
  const { maxConcurrent = 100, maxWaiting = 1_000, maxWaitMs = 1_000, host = detectHost(), onChange } = options;
  const gates = new Map<string, Gate>();
  const circuit = (tell: (state: CircuitState) => void) => createCircuit(host, options, tell);
  const slots = () => createSlots(host, { maxConcurrent, maxWaiting, maxWaitMs });
  // Options that make no sense throw now, and not at the first invocation.
  circuit(() => {});
  slots();

  const gateOf = (name: string): Gate => {
    const known = gates.get(name);
    if (known !== undefined) return known;
    if (gates.size >= MAX_GATES) throw new LocalError("limit_exceeded", `more than ${MAX_GATES} interceptors were invoked at ${source.label}`);
    const tell = (state: CircuitState) => {
      try {
        onChange?.({ source: source.label, interceptor: name, state });
      } catch {
        // A listener of the owner's has no say in what goes on.
      }
    };
    const gate: Gate = { circuit: circuit(tell), slots: slots(), refusedOpen: 0, refusedBusy: 0 };
    gates.set(name, gate);
    return gate;
  };

  // One invocation that has its turn. The turn ends with the answer, or when the caller no longer waits for one.
  const run = (gate: Gate, params: InvokeParams, signal: Signal): unknown => {
    const settle = gate.circuit.admit();
    if (settle === undefined) {
      gate.slots.release();
      gate.refusedOpen++;
      throw new LocalError("refused", `the circuit of ${JSON.stringify(params.name)} is open`);
    }
    let over = false;
    let unlink = () => {};
    const end = (outcome: "success" | "failure" | "unknown") => {
      if (over) return;
      over = true;
      unlink();
      settle(outcome);
      gate.slots.release();
    };
    unlink = signal.onAbort((reason) => end(isInstance(reason, LocalError) && reason.code === "timeout" ? "failure" : "unknown"));

    try {
      const answer = source.invoke(params, signal);
      if (!isThenable(answer)) {
        end("success");
        return answer;
      }
      return new Promise((resolve) => resolve(answer)).then(
        (value) => {
          end("success");
          return value;
        },
        (thrown: unknown) => {
          end(outcomeOf(thrown));
          throw thrown;
        },
      );
    } catch (thrown) {
      end(outcomeOf(thrown));
      throw thrown;
    }
  };

  const wait = async (gate: Gate, params: InvokeParams, signal: Signal): Promise<unknown> => {
    // The caller's payload is the caller's again once `invoke` has returned.
    const own = cloneJson(params);
    const begun = host.now();
    const longest = Math.min(maxWaitMs, own.timeoutMs ?? maxWaitMs);
    if (!(await gate.slots.wait(longest, signal))) {
      gate.refusedBusy++;
      throw new LocalError("refused", `${JSON.stringify(own.name)} had no turn within ${longest} ms`);
    }
    if (signal.aborted) {
      gate.slots.release();
      throw signal.reason;
    }
    if (own.timeoutMs !== undefined) own.timeoutMs = Math.max(1, Math.floor(own.timeoutMs - (host.now() - begun)));
    return run(gate, own, signal);
  };

  return {
    label: source.label,
    remote: source.remote,
    answerAs: (name) => source.answerAs?.(name),
    list: (signal) => source.list(signal),
    invoke(params, signal) {
      const gate = gateOf(params.name);
      if (gate.circuit.state() === "open") {
        gate.refusedOpen++;
        throw new LocalError("refused", `the circuit of ${JSON.stringify(params.name)} is open`);
      }
      if (gate.slots.take()) return run(gate, params, signal);
      if (gate.slots.full()) {
        gate.refusedBusy++;
        throw new LocalError("refused", `${JSON.stringify(params.name)} has ${maxConcurrent} invocations in flight and ${maxWaiting} that wait`);
      }
      return wait(gate, params, signal);
    },
    stats: () =>
      [...gates].map(([interceptor, { circuit, slots, refusedOpen, refusedBusy }]) => ({
        interceptor,
        state: circuit.state(),
        ...slots.counts(),
        refused: { open: refusedOpen, busy: refusedBusy },
      })),
  };
}

// An answer that says the question was wrong is proof of life: it speaks about one message, and would come again for it.
function outcomeOf(thrown: unknown): "success" | "failure" {
  return isInstance(thrown, RpcError) && thrown.code === ErrorCode.invalidParams ? "success" : "failure";
}

