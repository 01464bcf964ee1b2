import { ErrorCode, LocalError, RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import { createRandomHex } from "../core/base/random-hex.ts";
import { createSignal, type Signal, type SignalSource } from "../core/base/signal.ts";
import { principalKey } from "../core/http/authentication.ts";
import { createSealedStates, type Binding } from "../core/mcp/sealed-state.ts";
import { isServerRequest } from "../core/wire/events.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { formatPointer } from "../core/base/json.ts";
import type { ErrorMessage, ResultMessage } from "../core/wire/message.ts";
import type { Frame } from "../core/wire/frame.ts";
import { canBeAsked } from "./capabilities.ts";
import { unanswerable, type Answer, type Call, type Caller, type CallHooks, type Outcome, type Question } from "./call.ts";
import { composed, keepRaw, type RawTexts } from "./frame-text.ts";
import { asOwnError, gatewayError } from "./own-errors.ts";
import type { ParkingPlan } from "./plan.ts";

/** What a try of a call came to: it ended, or it waits for the caller's answers, or the state of a retry is not taken. */
export type Tried =
  | Outcome
  | {
      readonly kind: "parked";
      readonly message: ResultMessage;
      readonly source: Frame;
      /** The caller has not got the state, and so will not come back: gives the call up. */
      lost(): void;
    }
  | { readonly kind: "refused"; readonly message: ErrorMessage };

/**
 * Calls of stateless callers on upstreams that ask in the middle of a call. Each try is a request of its own, and the call goes on between them: parked, for
 * a bounded time, under a state that the caller keeps. Only the same caller gets on with it, by the same request, at the same upstream of
 * this replica: what is parked at one has not been seen by the interceptors of another.
 */
export interface Parking {
  readonly size: number;
  /** Makes a call at an upstream, by name, that may have to wait for its caller. `signal` is of this try alone. */
  run(upstream: string, call: Call, hooks: CallHooks, signal: Signal, make: (hooks: CallHooks, signal: Signal) => Promise<Outcome>): Promise<Tried>;
  /** Goes on with a call that is parked at the upstream. */
  resume(upstream: string, state: string, call: Call, hooks: CallHooks, signal: Signal): Promise<Tried>;
  /** Gives up all that is parked. */
  close(): void;
}

interface Waiting {
  readonly question: Question;
  readonly answer: (answer: Answer) => void;
}

interface Parked {
  readonly id: string;
  readonly upstream: string;
  /** Whose share it is of; nobody's for a caller who was not verified. */
  readonly owner: string | undefined;
  readonly source: SignalSource;
  /** Unanswered, by the key that the caller knows them by. */
  readonly waiting: Map<string, Waiting>;
  /** Of the try that is here now; a parked call has none. */
  hooks: CallHooks | undefined;
  outcome: Outcome | undefined;
  asked: number;
  /** How many times it was parked. */
  turns: number;
  /** Calls back the try that is here, once there is something to say. */
  wake: () => void;
  cancelTimer: () => void;
}

const STATE = /^parked1\.([A-Za-z0-9_-]{1,64})\.(.+)$/s;
const ABSENT: CallHooks = { onNotification() {} };

// A state is told from one that never was for so much longer than its call waits.
const KNOWN_MS = 24 * 3_600_000;

/** The replica that a state says it is of; nobody has vouched for that yet. */
export function replicaOfState(state: string): string | undefined {
  return STATE.exec(state)?.[1];
}

/** Throws `invalid_argument` for what cannot stand in a state. */
export function checkReplica(replica: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(replica)) throw new LocalError("invalid_argument", "parking.replica has letters, digits, _ and -, 64 at most");
}

/** `key`: what seals the states, at least 32 bytes; processes that have it know each other's. Random unless given. */
export function createParking(host: Host, maxAsks: number, plan: ParkingPlan = {}, key?: Uint8Array): Parking {
  const { replica = createRandomHex(host)(8), maxParked = 1_000, maxParkedPerPrincipal: share = Math.ceil(maxParked / 10), parkMs = 600_000 } = plan;
  checkReplica(replica);
  if (!(maxParked >= 0 && share >= 0 && parkMs > 0)) throw new LocalError("invalid_argument", "parking.maxParked, maxParkedPerPrincipal and parkMs are positive numbers");
  const states = createSealedStates({ host, ttlMs: parkMs + KNOWN_MS, ...(key === undefined ? {} : { keys: key }) });
  const randomHex = createRandomHex(host);
  const parked = new Map<string, Parked>();
  // How many of them each verified principal has.
  const shares = new Map<string, number>();

  const binding = async (upstream: string, { message: { method }, sentParams, caller }: Call): Promise<Binding> => {
    const { _meta, inputResponses: _answers, requestState: _state, ...rest } = sentParams;
    return { principal: principalKey(caller.principal satisfies Principal | undefined), method, params: await states.digest([upstream, rest]) };
  };

  const end = (one: Parked) => {
    if (parked.delete(one.id) && one.owner !== undefined) {
      const left = (shares.get(one.owner) ?? 1) - 1;
      if (left > 0) shares.set(one.owner, left);
      else shares.delete(one.owner);
    }
    one.cancelTimer();
    for (const { answer } of one.waiting.values()) answer(unanswerable("The call has ended", "not_asked"));
    one.waiting.clear();
    one.source.dispose();
  };
  const finished = (one: Parked, outcome: Outcome): Outcome => {
    end(one);
    return outcome;
  };
  const giveUp = (one: Parked, why: string) => {
    one.source.abort(new LocalError("aborted", why));
    end(one);
  };

  /** What the server is told where there is no place. */
  const takePlace = (one: Parked): Answer | undefined => {
    const mine = one.owner === undefined ? 0 : (shares.get(one.owner) ?? 0) + 1;
    if (mine > share) return unanswerable("Too many calls of this caller wait for it", "overloaded", { limit: "parking.maxParkedPerPrincipal", max: share });
    if (parked.size >= maxParked) return unanswerable("Too many calls wait for their callers", "overloaded", { limit: "parking.maxParked", max: maxParked });
    parked.set(one.id, one);
    if (one.owner !== undefined) shares.set(one.owner, mine);
    return undefined;
  };

  const ask = (one: Parked, { capabilities }: Caller, question: Question, signal: Signal): Promise<Answer> => {
    const { method } = question.message;
    // Unlike a session, a result can ask for nothing else (2026-07-28, basic/patterns/mrtr).
    if (!isServerRequest(method) || !canBeAsked(capabilities, method)) return Promise.resolve(unanswerable("The caller cannot be asked this", "cannot_ask"));
    if (one.asked >= maxAsks) return Promise.resolve(unanswerable("Too many questions in one call (maxAsks)", "overloaded"));
    const full = parked.has(one.id) ? undefined : takePlace(one);
    if (full !== undefined) return Promise.resolve(full);
    const key = `ask-${++one.asked}`;
    return new Promise((resolve) => {
      const off = signal.onAbort(() => answer(unanswerable("The question was withdrawn", "not_asked")));
      const answer = (given: Answer) => {
        one.waiting.delete(key);
        off();
        resolve(given);
      };
      one.waiting.set(key, { question, answer });
      one.wake();
    });
  };

  const park = async (one: Parked, call: Call): Promise<Tried> => {
    one.wake = () => {};
    const requestState = `parked1.${replica}.${await states.seal({ id: one.id }, await binding(one.upstream, call))}`;
    // A server may ask beside its call, and not wait for the answer.
    if (one.outcome !== undefined) return finished(one, one.outcome);
    one.hooks = undefined;
    one.cancelTimer = host.setTimer(() => giveUp(one, "nobody came back with the answers"), parkMs, true);
    const raws: RawTexts = new Map();
    const inputRequests: JsonObject = {};
    for (const [key, { question }] of one.waiting) {
      const { method, params } = question.message;
      keepRaw(raws, params, question.source, "/params");
      inputRequests[key] = params === undefined ? { method } : { method, params };
    }
    const message: ResultMessage = { jsonrpc: "2.0", id: 0, result: { resultType: "input_required", inputRequests, requestState } };
    const turn = ++one.turns;
    const lost = () => {
      if (parked.get(one.id) === one && one.turns === turn && one.hooks === undefined) giveUp(one, "the question has not reached the caller");
    };
    return { kind: "parked", message, source: composed(message, raws), lost };
  };

  /** One try: until the call has ended, asks something, or its caller leaves. */
  const next = async (one: Parked, call: Call, hooks: CallHooks, signal: Signal): Promise<Tried> => {
    one.hooks = hooks;
    await new Promise<void>((resolve) => {
      if (one.outcome !== undefined || one.waiting.size > 0 || signal.aborted) return resolve();
      const off = signal.onAbort(() => resolve());
      one.wake = () => {
        off();
        resolve();
      };
    });
    if (one.outcome !== undefined) return finished(one, one.outcome);
    if (!signal.aborted) return await park(one, call);
    giveUp(one, "the caller has cancelled");
    return { kind: "cancelled" };
  };

  const answerWaiting = (one: Parked, call: Call) => {
    const responses = ownMember(call.message.params ?? {}, "inputResponses");
    if (!isObject(responses)) return;
    for (const [key, { answer }] of [...one.waiting]) {
      const result = ownMember(responses, key);
      if (!isObject(result)) continue;
      const raws: RawTexts = new Map();
      keepRaw(raws, result, call.frame, formatPointer(["params", "inputResponses", key]));
      const message: ResultMessage = { jsonrpc: "2.0", id: 0, result };
      answer({ message, source: composed(message, raws) });
    }
  };

  return {
    get size() {
      return parked.size;
    },
    run(upstream, call, hooks, signal, make) {
      const one: Parked = {
        id: randomHex(16),
        upstream,
        owner: call.caller.principal === undefined ? undefined : principalKey(call.caller.principal),
        source: createSignal(),
        waiting: new Map(),
        hooks,
        outcome: undefined,
        asked: 0,
        turns: 0,
        wake() {},
        cancelTimer() {},
      };
      const through: CallHooks = {
        ...(hooks.onProgress === undefined ? {} : { onProgress: (frame, message) => one.hooks?.onProgress?.(frame, message) }),
        onNotification: (frame, message) => (one.hooks ?? ABSENT).onNotification(frame, message),
        ask: (question, asking) => ask(one, call.caller, question, asking),
      };
      void make(through, one.source.signal).then((outcome) => {
        one.outcome = outcome;
        one.wake();
      });
      return next(one, call, hooks, signal);
    },
    async resume(upstream, state, call, hooks, signal) {
      const [, named, sealed] = STATE.exec(state) ?? [];
      if (named === undefined || sealed === undefined) {
        return refused(new RpcError(ErrorCode.invalidParams, "params.requestState is not what this server gave out"));
      }
      if (named !== replica) {
        const message = "The call waits at another replica of this gateway; send the retry there";
        return { kind: "refused", message: gatewayError("parked_elsewhere", message, { delivery: "none" }) };
      }
      let content: JsonObject;
      try {
        content = await states.open(sealed, await binding(upstream, call));
      } catch (thrown) {
        if (thrown instanceof RpcError) return refused(thrown);
        throw thrown;
      }
      const one = parked.get(String(content["id"]));
      if (one === undefined) {
        return { kind: "refused", message: gatewayError("parked_gone", "The call does not wait any more; start it anew", { delivery: "none" }) };
      }
      if (one.hooks !== undefined) return refused(new RpcError(ErrorCode.invalidRequest, "Another retry of this call is being served"));
      if (signal.aborted) return { kind: "cancelled" };
      one.cancelTimer();
      one.hooks = hooks;
      answerWaiting(one, call);
      return await next(one, call, hooks, signal);
    },
    close() {
      for (const one of [...parked.values()]) {
        // A try that is here ends as all calls do.
        if (one.hooks === undefined) giveUp(one, "the gateway has ended");
      }
    },
  };
}

function refused(error: RpcError): Tried {
  return { kind: "refused", message: asOwnError(error) };
}
