import { describeError } from "../base/errors.ts";
import { createTimestamp, detectHost, type Host } from "../base/host.ts";
import { ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { createRandomHex, type RandomHex } from "../base/random-hex.ts";
import type { SignalSource } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import { harmless } from "../chain/report.ts";
import { isRequest, type Message } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import { observerOf, type Observer } from "../chain/observer.ts";
import type { GuardEvent } from "./events.ts";
import { createLedger, type Initiator, type Ledger } from "./ledger.ts";
import type { GuardOptions, GuardPolicy } from "./options.ts";
import { createRetries, type Retries } from "./retries.ts";
import type { ImmutableCheck } from "./immutable.ts";
import { readPolicy } from "./policy-checks.ts";
import { metaOf, paramsOf } from "./routes.ts";
import { createToolSchemas, type ToolSchemas } from "./tool-schemas.ts";

/** What the two directions of a guard share. */
export interface GuardState {
  readonly options: GuardOptions;
  readonly policy: GuardPolicy;
  readonly host: Host;
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly tasks: TaskTable;
  readonly retries: Retries;
  readonly tools: ToolSchemas;
  /** The policy's word on what no mutator may change. */
  readonly immutable: ImmutableCheck | undefined;
  readonly randomHex: RandomHex;
  /** The time now, as ISO 8601 text. */
  timestamp(): string;
  /** A name that we mint for the connection; never the transport's own id. */
  readonly sessionId: string;
  log(level: "info" | "warn" | "error", message: string): void;
  /** Cannot break anything, whatever it throws or rejects with. */
  readonly observer: Observer<GuardEvent> | undefined;
  /** The revision that a message is of: its own word, else what the handshake settled. */
  versionOf(message: Message): string | undefined;
  /** Takes note of the handshake's result. */
  learn(method: string, result: JsonObject): void;
  /** The current chain, or `undefined` where it cannot be had. */
  chainOrNone(): Chain | undefined;
  /** Signals of notifications being judged; aborted when the guard closes. */
  track(stop: SignalSource): SignalSource;
  untrack(stop: SignalSource): void;
  /** Aborts all that runs. */
  stopAll(reason: unknown): void;
}

/**
 * Which method created a task, so that its result is judged as that method's. By who asked for it: each side names its own tasks. Bounded:
 * the oldest are forgotten. A task that two methods claim to have created is nobody's, so that none can lend its result to the other.
 */
interface TaskTable {
  note(initiator: Initiator, taskId: string | undefined, method: string): void;
  /** The method that created the task which a message of the methods and notifications of tasks is about. */
  creatorOf(initiator: Initiator, message: Message): string | undefined;
}

/** `toolSchemas`: what other connections to the same server have been told. */
export function createGuardState(options: GuardOptions, toolSchemas?: ToolSchemas): GuardState {
  const host = options.host ?? detectHost();
  const limits = resolveLimits(options.limits);
  const ledger = createLedger(limits.maxPendingRequests);
  const randomHex = createRandomHex(host);
  const running = new Set<SignalSource>();
  const log = harmless(options.log);
  const { immutable } = readPolicy(options.policy ?? {});
  let negotiated: string | undefined;
  return {
    options,
    policy: options.policy ?? {},
    host,
    limits,
    ledger,
    tasks: createTaskTable(limits.maxPendingRequests),
    retries: createRetries(limits.maxPendingRequests),
    tools: createToolSchemas(limits, (message) => log?.({ level: "warn", message }), toolSchemas),
    immutable: immutable && ((event, before, after) => {
      try {
        immutable(event, before, after);
      } catch (thrown) {
        // The peer is told a reason code alone, and the decision by whom.
        log?.({ level: "error", message: `a mutation of ${JSON.stringify(event.slice(0, 80))} was refused: ${describeError(thrown)}` });
        throw thrown;
      }
    }),
    randomHex,
    timestamp: createTimestamp(host),
    sessionId: `s-${randomHex(8)}`,
    log: (level, message) => log?.({ level, message }),
    observer: observerOf(options.observe, limits.maxQueuedEvents),
    versionOf(message) {
      const declared = metaOf(message, META.protocolVersion);
      if (typeof declared === "string") return declared;
      const requested = isRequest(message) && message.method === "initialize" ? ownMember(paramsOf(message), "protocolVersion") : undefined;
      return typeof requested === "string" ? requested : negotiated;
    },
    learn(method, result) {
      if (method === "initialize" && typeof result["protocolVersion"] === "string") negotiated = result["protocolVersion"];
    },
    chainOrNone() {
      try {
        return options.chain.current();
      } catch {
        return undefined;
      }
    },
    track(stop) {
      running.add(stop);
      return stop;
    },
    untrack(stop) {
      running.delete(stop);
      stop.dispose();
    },
    stopAll(reason) {
      ledger.abortAll(reason);
      for (const stop of running) stop.abort(reason);
      running.clear();
    },
  };
}

function createTaskTable(limit: number): TaskTable {
  const creators: Record<Initiator, Map<string, string | undefined>> = { peer: new Map(), app: new Map() };
  return {
    note(initiator, taskId, method) {
      if (taskId === undefined || method.startsWith("tasks/")) return;
      const methods = creators[initiator];
      if (methods.has(taskId)) {
        if (methods.get(taskId) !== method) methods.set(taskId, undefined);
        return;
      }
      if (methods.size >= limit) {
        const oldest = methods.keys().next();
        if (oldest.done !== true) methods.delete(oldest.value);
      }
      methods.set(taskId, method);
    },
    creatorOf(initiator, message) {
      if (!("method" in message) || !/^(?:notifications\/)?tasks(?:\/|$)/.test(message.method)) return undefined;
      const taskId = ownMember(paramsOf(message), "taskId");
      return typeof taskId === "string" ? creators[initiator].get(taskId) : undefined;
    },
  };
}
