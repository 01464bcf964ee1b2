import { createTimestamp, detectHost, type Host } from "../base/host.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { SignalSource } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import { isRequest, type Message } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import type { GuardOptions, GuardPolicy } from "./options.ts";
import { paramsOf } from "./routes.ts";
import { createRandomHex, type RandomHex } from "./trace.ts";

/** What the two directions of a guard share. */
export interface GuardState {
  readonly options: GuardOptions;
  readonly policy: GuardPolicy;
  readonly host: Host;
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly tasks: TaskTable;
  readonly randomHex: RandomHex;
  /** The time now, as ISO 8601 text. */
  timestamp(): string;
  /** A name that we mint for the connection; never the transport's own id. */
  readonly sessionId: string;
  log(level: "info" | "warn" | "error", message: string): void;
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

/** Which method created a task, so that its result is judged as that method's. Bounded: the oldest are forgotten. */
export interface TaskTable {
  note(taskId: string | undefined, method: string): void;
  /** For a request for a task's result: the event of its response. For any other request: its method. */
  eventOf(message: Message): string | undefined;
}

export function createGuardState(options: GuardOptions): GuardState {
  const host = options.host ?? detectHost();
  const limits = resolveLimits(options.limits);
  const ledger = createLedger();
  const randomHex = createRandomHex(host);
  const running = new Set<SignalSource>();
  let negotiated: string | undefined;
  return {
    options,
    policy: options.policy ?? {},
    host,
    limits,
    ledger,
    tasks: createTaskTable(limits.maxPendingRequests),
    randomHex,
    timestamp: createTimestamp(host),
    sessionId: `s-${randomHex(8)}`,
    log: (level, message) => options.log?.({ level, message }),
    versionOf(message) {
      const params = paramsOf(message);
      const meta = ownMember(params, "_meta");
      const declared = isObject(meta) ? ownMember(meta, META.protocolVersion) : undefined;
      if (typeof declared === "string") return declared;
      const requested = isRequest(message) && message.method === "initialize" ? ownMember(params, "protocolVersion") : undefined;
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
  const methods = new Map<string, string>();
  return {
    note(taskId, method) {
      if (taskId === undefined || method.startsWith("tasks/") || methods.has(taskId)) return;
      if (methods.size >= limit) {
        const oldest = methods.keys().next();
        if (oldest.done !== true) methods.delete(oldest.value);
      }
      methods.set(taskId, method);
    },
    eventOf(message) {
      if (!isRequest(message)) return undefined;
      if (message.method !== "tasks/result") return message.method;
      const taskId = ownMember(paramsOf(message), "taskId");
      return typeof taskId === "string" ? methods.get(taskId) : undefined;
    },
  };
}
