import { describeError, ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson } from "../base/json.ts";
import { createSignal, type Signal } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import { entryFact } from "../chain/entry-facts.ts";
import { interceptorMethod } from "../wire/dialects.ts";
import { errorFrame, type Frame } from "../wire/frame.ts";
import {
  classify,
  isErrorResponse,
  isNotification,
  isRequest,
  isResult,
  type ErrorMessage,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResultMessage,
} from "../wire/message.ts";
import { answerTo, overloaded, unjudgeable } from "./answer.ts";
import type { BlockReason } from "./decision.ts";
import { concerns, judge, unseenBy, type Judgement } from "./judge.ts";
import type { FrameKind } from "./lane.ts";
import type { Exchange, Initiator } from "./ledger.ts";
import { createdTask, paramsOf } from "./parts.ts";
import { asksForInput, checkUnjudged, LIFECYCLE_METHODS, PLAIN_NOTIFICATIONS, requestCases, responseCases, notificationCases, type Case } from "./routes.ts";
import type { GuardState } from "./state.ts";
import { calledTool, learnTools } from "./tool-result.ts";
import { traceOf } from "./trace.ts";
import { createTurns, DROP, type Outcome, type Sinks, type Waypoint } from "./turns.ts";
import { contextOf, decide, isWatched, type Subject } from "./verdict.ts";

/** One direction of a guard. */
export interface Flow {
  /** Settles when the frame has been forwarded, answered or dropped: at once, where it gives no promise. Rejects as `forward` does, and never throws. */
  accept(frame: Frame, at: Waypoint): Promise<void> | void;
}

const asksForRequests = entryFact((entries) => entries.some(({ withRequest }) => withRequest));

/** What becomes of each frame of one connection: judged, answered in its place, or let through as it came. */
export function createFlow(state: GuardState, sinks: Sinks): Flow {
  const { ledger } = state;
  const { host, limits, log, observer, policy } = state.shared;
  // Over the cap a frame that would have to be held is refused: the pump goes on pulling, and nothing grows.
  const turns = createTurns(sinks, limits.maxIncomingRequests, (message) => log("warn", message));
  const answerer: Initiator = sinks.initiator === "peer" ? "app" : "peer";

  // A request as the interceptors of its response will see it: whoever gets the message may edit it, so they get a copy where any asks.
  const kept = (chain: Chain, message: RequestMessage): RequestMessage =>
    asksForRequests(chain.entries) ? cloneJson(message, limits.maxDepth, limits.maxMessageBytes) : message;

  // Asking the chain about its own methods would never end.
  const hosted = ({ initiator, method }: Exchange) =>
    initiator === "peer" && policy.hostsChain === true && interceptorMethod(method) !== undefined;

  // Whoever answered the question may not have seen what it is an answer for.
  const comparedWithFirstTry = (request: Message) => {
    if (!state.retries.differs(request)) return;
    const method = isRequest(request) ? request.method : "";
    log("warn", `a retry of ${shown(method)} goes on with other params than the first try`);
  };

  // Nobody is answered, so nobody else would know.
  const dropped = ({ event, kind }: Subject, reason: BlockReason, by?: string) => {
    if (kind === "notification") log("warn", `the notification ${shown(event)} was dropped${by === undefined ? "" : ` by ${shown(by)}`}: ${reason}`);
  };

  const refuse = async (subject: Subject, reason: BlockReason, error: RpcError, recorded = true): Promise<Outcome> => {
    dropped(subject, reason);
    await decide(state, subject, { verdict: subject.kind === "notification" ? "dropped" : "blocked", reason, code: error.code }, recorded);
    if (subject.id === undefined) return DROP;
    const frame = errorFrame(subject.id, error.toJson());
    return subject.kind === "request" ? { reply: frame } : { go: frame };
  };

  const onRequest = (frame: Frame, message: RequestMessage, at: Waypoint): Promise<void> | void => {
    const { id, method } = message;
    const subject = subjectOf("request", method, at, message, id);
    const turn = (outcome: Outcome | Promise<Outcome>) => turns.take("request", message, at, outcome);
    const chain = state.chainOrNone();
    if (chain === undefined) return turn(refuse(subject, "failed", unjudgeable()));
    const task = state.tasks.originOf(sinks.initiator, message);
    const exchange: Exchange = {
      initiator: sinks.initiator,
      id,
      method,
      chain,
      version: state.versionOf(message),
      from: at.from,
      stop: createSignal(),
      original: message,
      final: kept(chain, message),
      responseEvent: method === "tasks/result" ? task?.method : method,
      task,
      tool: calledTool(message),
      state: "in-line",
    };
    if (!ledger.open(exchange)) {
      const error = new RpcError(ErrorCode.invalidRequest, `Request id ${JSON.stringify(id)} is in flight already; use a new one`);
      return turn(refuse(subject, "duplicate_id", error));
    }
    const end = (reason: BlockReason, error: RpcError) => {
      ledger.end(exchange);
      return turn(refuse(subject, reason, error));
    };
    if (LIFECYCLE_METHODS.has(method)) {
      const wrong = checkUnjudged(method, "request", paramsOf(message));
      return wrong === undefined ? turn({ go: frame, exchange }) : end("invalid_message", new RpcError(ErrorCode.invalidParams, `Invalid ${method}: ${wrong}`));
    }
    if (hosted(exchange)) return turn({ go: frame, exchange });
    // It would have been carried out by the time that its answer could not be written down.
    if (!state.canRecord()) {
      ledger.end(exchange);
      void decide(state, subject, { verdict: "blocked", reason: "record_failed" });
      return turn({ reply: errorFrame(id, unjudgeable({ delivery: "none" }).toJson()) });
    }
    let cases: readonly Case[];
    try {
      cases = chain.entries.length === 0 ? [] : requestCases(message, method, exchange.version);
    } catch (thrown) {
      return end("invalid_message", asRpcError(thrown));
    }
    const unseen = unseenBy(chain, cases, subject);
    if (unseen !== undefined) return end("invalid_message", new RpcError(ErrorCode.invalidParams, unseen));
    const concerned = concerns(chain, cases);
    if (turns.full(at, concerned)) return end("overloaded", overloaded());
    if (!concerned) {
      comparedWithFirstTry(message);
      return turn({ go: frame, exchange });
    }

    exchange.state = "judging-request";
    return turn(
      unlessStopped(exchange.stop.signal, run(subject, frame, cases, exchange)).then((outcome) => {
        if (exchange.state === "ended") return DROP;
        if (outcome.go === undefined) {
          ledger.end(exchange);
          return outcome;
        }
        exchange.state = "in-line";
        comparedWithFirstTry(outcome.go.message);
        // What goes on is the request itself, as the chain has left it.
        if (outcome.go !== frame) exchange.final = kept(chain, outcome.go.message as RequestMessage);
        return { go: outcome.go, exchange };
      }),
    );
  };

  const onResponse = (frame: Frame, message: ResultMessage | ErrorMessage, at: Waypoint): Promise<void> | void => {
    const turn = (outcome: Outcome | Promise<Outcome>) => turns.take("response", message, at, outcome);
    const id = message.id ?? undefined;
    const exchange = id === undefined ? undefined : ledger.find(answerer, id);
    if (exchange === undefined) {
      if (id !== undefined) ledger.answered(answerer, id);
      // Nobody knows what it answers, so nobody can judge it. Where no response is ever judged there is nothing to miss, but for the requests
      // that it may embed.
      const chain = state.chainOrNone();
      if (!at.synthetic && chain !== undefined && !chain.hooksResponses && (chain.entries.length === 0 || !asksForInput(message))) return turn({ go: frame });
    }
    if (exchange === undefined || exchange.state !== "open") {
      // Also a second answer, or one to a request that has not gone on yet.
      log("warn", `a response to ${JSON.stringify(id ?? null)}, which is not in flight, was dropped`);
      void decide(state, subjectOf("response", exchange?.method ?? "", at, message, id), { verdict: "dropped", reason: "unknown_exchange" });
      return;
    }
    const event = exchange.responseEvent ?? exchange.method;
    const subject = subjectOf("response", event, at, message, exchange.id);
    const end = (outcome: Outcome | Promise<Outcome>) => {
      ledger.end(exchange);
      return turn(outcome);
    };
    const invalid = (why: string) => end(refuse(subject, "invalid_message", new RpcError(ErrorCode.internalError, why)));

    if (LIFECYCLE_METHODS.has(exchange.method) && isResult(message)) {
      const wrong = checkUnjudged(exchange.method, "response", message.result);
      if (wrong !== undefined) return invalid(`Invalid answer to ${exchange.method}: ${wrong}`);
      state.learn(exchange.method, message.result);
    }
    if (at.synthetic || LIFECYCLE_METHODS.has(exchange.method)) return end({ go: frame });
    if (hosted(exchange)) return end({ go: frame });
    let cases: readonly Case[];
    try {
      cases = exchange.chain.entries.length === 0 ? [] : responseCases(message, exchange);
    } catch (thrown) {
      return invalid(describeError(thrown));
    }
    const unseen = unseenBy(exchange.chain, cases, subject);
    if (unseen !== undefined) return invalid(unseen);
    state.tasks.note(exchange.initiator, createdTask(message), { method: exchange.method, params: paramsOf(exchange.final), tool: exchange.tool });
    state.retries.note(exchange.final, message);
    const concerned = concerns(exchange.chain, cases);
    if (turns.full(at, concerned)) return end(refuse(subject, "overloaded", overloaded()));
    if (!concerned) {
      learnTools(exchange.method, message, state.tools);
      return end({ go: frame });
    }

    exchange.state = "judging-response";
    return turn(
      unlessStopped(exchange.stop.signal, run(subject, frame, cases, exchange)).then((outcome) => {
        if (exchange.state === "ended") return DROP;
        ledger.end(exchange);
        // As it was advertised: after mutation.
        if (outcome.go !== undefined) learnTools(exchange.method, outcome.go.message, state.tools);
        return outcome;
      }),
    );
  };

  const onNotification = (frame: Frame, message: NotificationMessage, at: Waypoint): Promise<void> | void => {
    const turn = (outcome: Outcome | Promise<Outcome>) => turns.take("notification", message, at, outcome);
    const version = state.versionOf(message);
    const subject = subjectOf("notification", message.method, at, message, undefined);
    const asItself = policy.interceptNotifications === true && !PLAIN_NOTIFICATIONS.has(message.method);
    const chain = state.chainOrNone();
    if (chain === undefined) return turn(asItself ? refuse(subject, "failed", unjudgeable()) : { go: frame });
    let cases: readonly Case[] = [];
    // Its task was asked for by the side that hears of it.
    const task = state.tasks.originOf(answerer, message);
    try {
      if (chain.entries.length > 0) cases = notificationCases(message, { asItself, task, version, chain });
    } catch (thrown) {
      return turn(refuse(subject, "invalid_message", asRpcError(thrown)));
    }
    if (cases.length === 0) return turn({ go: frame });
    const unseen = unseenBy(chain, cases, subject);
    if (unseen !== undefined) return turn(refuse(subject, "invalid_message", new RpcError(ErrorCode.invalidParams, unseen)));
    const concerned = concerns(chain, cases);
    if (turns.full(at, concerned)) return turn(refuse(subject, "overloaded", overloaded()));
    if (!concerned) return turn({ go: frame });
    const stop = createSignal();
    const untrack = state.track(stop);
    const judged = unlessStopped(stop.signal, run(subject, frame, cases, { chain, stop, version, task }));
    return turn(judged.finally(untrack));
  };

  // A cancellation overtakes everything in its lane.
  const onCancelled = (frame: Frame, message: NotificationMessage, at: Waypoint): Promise<void> | void => {
    const requestId = message.params?.["requestId"];
    const id = typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined;
    // A subscription ends when whoever serves it cancels it: no answer will come (2026-07-28, basic/patterns/cancellation).
    const served = id === undefined ? undefined : ledger.find(answerer, id);
    if (served?.method === "subscriptions/listen" && served.state === "open") ledger.end(served);
    const exchange = id === undefined ? undefined : ledger.find(sinks.initiator, id);
    if (exchange === undefined || exchange.method === "initialize") return sinks.forward(frame, at);
    const was = exchange.state;
    const unseen = was === "judging-request" || was === "in-line";
    if (was === "judging-request" || was === "judging-response") {
      const kind = unseen ? "request" : "response";
      const event = unseen ? exchange.method : (exchange.responseEvent ?? exchange.method);
      void decide(state, subjectOf(kind, event, at, exchange.original, exchange.id), { verdict: "dropped", reason: "cancelled" });
    }
    exchange.stop.abort(new LocalError("aborted", "the request was cancelled"));
    ledger.end(exchange);
    // Whoever serves it may not heed that. A subscription has no answer worth the name.
    if (was === "open" && exchange.chain.hooksResponses && exchange.method !== "subscriptions/listen") ledger.abandon(exchange);
    // A request that has not gone on is nothing that the other side could cancel.
    if (!unseen) return sinks.forward(frame, at);
  };

  type Scope = Pick<Exchange, "chain" | "stop" | "version" | "trace" | "tool" | "task"> & { readonly original?: RequestMessage; readonly final?: RequestMessage };

  // Judges one frame. Never rejects: whatever fails inside is a refusal, unless its exchange was stopped.
  const run = async (subject: Subject, frame: Frame, cases: readonly Case[], scope: Scope): Promise<Outcome> => {
    const started = host.now();
    let judgement: Judgement;
    try {
      scope.trace ??= traceOf(scope.original ?? subject.message, state.shared.randomHex);
      const given = contextOf(state, subject, scope.trace, scope.version);
      const context = given instanceof Promise ? await given : given;
      if (context === undefined) return await refuse(subject, "context_failed", unjudgeable());
      // What the application sends without text may still be in its hands, and what is judged must be what is sent. An arrival is ours alone.
      const own = sinks.direction === "sending" && frame.text === undefined ? { message: cloneJson(frame.message, limits.maxDepth, limits.maxMessageBytes) } : frame;
      judgement = await judge({
        frame: own,
        cases,
        chain: scope.chain,
        direction: sinks.direction,
        version: scope.version,
        context,
        policy,
        keepsError: isErrorResponse(frame.message) && policy.keepsError?.(frame.message.error) === true,
        signal: scope.stop.signal,
        explain: isWatched(state),
        tool: scope.tool,
        tools: state.tools,
        immutable: state.shared.immutable,
        tell: observer?.tell,
        task: scope.task,
        request: scope.final === undefined || subject.kind !== "response" ? undefined : { method: scope.final.method, params: paramsOf(scope.final) },
      });
      const recorded = !isWatched(state) || (await decide(state, subject, { started, judgement, context, trace: scope.trace, tool: scope.tool, before: own.message }));
      if (!recorded && judgement.refusal === undefined) return await refuse(subject, "record_failed", unjudgeable(), false);
    } catch (thrown) {
      if (scope.stop.signal.aborted) return DROP;
      log("error", `${subject.event} could not be judged: ${describeError(thrown)}`);
      return await refuse(subject, "failed", unjudgeable());
    }
    if (judgement.refusal === undefined) return { go: judgement.frame };
    const { why } = judgement.refusal;
    if (why !== undefined) log("error", `a result of the tool ${shown(scope.tool ?? scope.task?.tool ?? "")} was refused: ${why}`);
    if (scope.original === undefined) {
      dropped(subject, judgement.refusal.reason, judgement.refusal.by);
      return DROP;
    }
    const answer = answerTo(scope.original, judgement.refusal, policy, scope.version, (message) => log("error", message));
    return subject.kind === "request" ? { reply: answer } : { go: answer };
  };

  // A message without its text has not come through a decoder, and may be anything. True where it has been dealt with.
  const malformed = (frame: Frame, at: Waypoint): Promise<void> | void | false => {
    if (frame.text !== undefined) return false;
    const classified = classify(frame.message);
    if (classified.kind !== "invalid") return false;
    const { error, id, answers } = classified;
    log("warn", `a malformed message was refused: ${error.message}`);
    if (id === undefined) return;
    if (answers !== true) return sinks.reply(errorFrame(id, error), id, at);
    // Whoever waits for this answer gets one.
    const exchange = ledger.find(answerer, id);
    if (exchange !== undefined) ledger.end(exchange);
    return sinks.forward(errorFrame(id, { ...error, code: ErrorCode.internalError }), at);
  };

  const subjectOf = (kind: FrameKind, event: string, at: Waypoint, message: Message, id: RequestId | undefined): Subject => ({
    direction: sinks.direction,
    kind,
    event,
    phase: kind === "response" ? "response" : "request",
    id,
    from: at.from,
    message,
  });

  return {
    accept(frame, at) {
      const { message } = frame;
      try {
        const refused = malformed(frame, at);
        if (refused !== false) return refused;
        if (isRequest(message)) return onRequest(frame, message, at);
        if (!isNotification(message)) return onResponse(frame, message, at);
        return message.method === "notifications/cancelled" ? onCancelled(frame, message, at) : onNotification(frame, message, at);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
  };
}

/** What comes of it, or nothing at once when it is stopped: whatever it waits for then, nobody else has to. */
function unlessStopped(signal: Signal, outcome: Promise<Outcome>): Promise<Outcome> {
  return new Promise((resolve) => {
    const off = signal.onAbort(() => resolve(DROP));
    // Never rejects: see `run`.
    void outcome.then((settled) => {
      off();
      resolve(settled);
    });
  });
}

// A name of somebody else's choice, on its way into a log.
function shown(name: string): string {
  const text = JSON.stringify(name).slice(1, -1);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

function asRpcError(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : unjudgeable();
}
