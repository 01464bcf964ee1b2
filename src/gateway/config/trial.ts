import { describeError, RpcError } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { resolveLimits } from "../../core/base/limits.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Chain } from "../../core/chain/chain.ts";
import type { Direction } from "../../core/chain/plan.ts";
import { currentOf } from "../../core/guard/chain-source.ts";
import { judge, unseenBy } from "../../core/guard/judge.ts";
import { immutableOf } from "../../core/guard/policy-checks.ts";
import { createdTask, metaOf } from "../../core/guard/parts.ts";
import { notificationCases, PLAIN_NOTIFICATIONS, requestCases, responseCases, type Case } from "../../core/guard/routes.ts";
import { createTaskTable, type TaskOrigin } from "../../core/guard/task-table.ts";
import { calledTool, learnTools } from "../../core/guard/tool-result.ts";
import { createToolSchemas } from "../../core/guard/tool-schemas.ts";
import type { InvocationContext, Phase } from "../../core/wire/gen/interceptors.ts";
import { isServerRequest } from "../../core/wire/events.ts";
import { isNotification, type ErrorObject, type Message, type RequestMessage } from "../../core/wire/message.ts";
import { METHODS } from "../../core/wire/methods.ts";
import { META, PROTOCOL_VERSIONS } from "../../core/wire/versions.ts";
import { FACE_POLICY } from "../served.ts";
import type { BuiltPlan } from "./build.ts";

/** A message that nobody has sent: a request or notification, or with `result` or `error` the answer to it. */
export interface TrialMessage {
  readonly method: string;
  readonly params?: JsonObject;
  /** For what belongs to a task: the request that created it. */
  readonly task?: TrialTask;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

/** A request that created a task; of `tools/call` unless it says otherwise. */
export interface TrialTask {
  readonly method?: string;
  readonly params?: JsonObject;
}

/** What a guard would make of a message. */
export interface TrialOutcome {
  /** What goes on: params, the result, or `{ error }`. Absent where it is refused. */
  readonly after?: JsonObject;
  readonly refusal?: { readonly address?: string; readonly interceptor?: string; readonly reason: string; readonly invalid: boolean };
}

/** The guard of one upstream's face, for messages that are made up, all of one session. */
export interface Trial {
  /** Rejects with the reason of the signal. */
  put(message: TrialMessage, context: InvocationContext, signal: Signal): Promise<TrialOutcome>;
}

/** The message as one of the wire. */
export function messageOf({ method, params = {}, result, error }: TrialMessage): Message {
  if (result !== undefined) return { jsonrpc: "2.0", id: 1, result };
  if (error !== undefined) return { jsonrpc: "2.0", id: 1, error };
  return method.startsWith("notifications/") ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", id: 1, method, params };
}

/**
 * What a guard judges of a message, what it embeds first. Without a version in the params it is one of the newest revision, which embeds the most. Throws
 * an `RpcError` where no guard would let it through.
 */
export function casesOf(made: TrialMessage, chain: Pick<Chain, "hooksResponses">): readonly Case[] {
  const { method } = made;
  const message = messageOf(made);
  const scope = { version: versionOf(made) ?? PROTOCOL_VERSIONS[0], chain, ...(made.task === undefined ? {} : { task: originOf(made.task) }) };
  if (isNotification(message)) return notificationCases(message, { asItself: !PLAIN_NOTIFICATIONS.has(method), ...scope });
  if ("method" in message) return requestCases(message, method, scope.version);
  return responseCases(message, { method, responseEvent: method === "tasks/result" ? scope.task?.method : method, ...scope });
}

function originOf({ method = "tools/call", params = {} }: TrialTask): TaskOrigin {
  return { method, params, tool: calledTool({ jsonrpc: "2.0", id: 1, method, params }) };
}

function versionOf({ method, params = {} }: TrialMessage): string | undefined {
  const declared = metaOf({ jsonrpc: "2.0", id: 1, method, params }, META.protocolVersion);
  return typeof declared === "string" ? declared : undefined;
}

/** The gateway's faces are servers: requests of clients arrive and answers leave; what a server asks of its client, or tells it, goes the other way. */
export function directionAtFace(method: string, phase: Phase): Direction {
  const { kind, client } = METHODS.get(method) ?? {};
  const fromServer = isServerRequest(method) || (kind === "notification" && client === undefined);
  return fromServer === (phase === "request") ? "sending" : "receiving";
}

export function createTrial(built: BuiltPlan, upstream: string): Trial {
  const chain = currentOf(built.plan.chain(upstream)).current();
  const policy = { ...FACE_POLICY, ...built.plan.policy };
  const immutable = immutableOf(policy);
  const limits = resolveLimits(built.loaded.config.limits);
  const tools = createToolSchemas(limits, () => {});
  const tasks = createTaskTable({ maxTasks: limits.maxPendingRequests, maxChars: limits.maxMessageBytes });
  return {
    async put(given, context, signal) {
      const { method, params = {} } = given;
      const request: RequestMessage = { jsonrpc: "2.0", id: 1, method, params };
      const tool = calledTool(request);
      // A client's: whoever means one of the server's own says which request created it.
      const task = given.task === undefined ? tasks.originOf("peer", request) : originOf(given.task);
      const made = task === undefined ? given : { ...given, task };
      const message = messageOf(made);
      const phase: Phase = "method" in message ? "request" : "response";
      if (isNotification(message) && policy.interceptNotifications !== true) return { after: params };
      let cases: readonly Case[];
      try {
        cases = casesOf(made, chain);
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) throw thrown;
        return { refusal: { reason: describeError(thrown), invalid: true } };
      }
      const unseen = unseenBy(chain, cases, { event: method, phase });
      if (unseen !== undefined) return { refusal: { reason: unseen, invalid: true } };
      tasks.note("peer", createdTask(message), { method, params, tool });
      const judged = await judge({
        frame: { message },
        cases,
        chain,
        direction: directionAtFace(method, phase),
        version: versionOf(made),
        context,
        policy,
        keepsError: false,
        signal,
        explain: false,
        tell: undefined,
        tool,
        tools,
        immutable,
        task,
        request: phase === "request" ? undefined : { method, params },
      });
      const { refusal } = judged;
      if (refusal === undefined) {
        learnTools(method, judged.frame.message, tools);
        return { after: partOf(judged.frame.message) };
      }
      const { status, abortedAt } = judged.results.at(-1) ?? {};
      const { address, interceptor = refusal.by, reason = refusal.why ?? refusal.error.message } = abortedAt ?? {};
      return { refusal: { ...(address === undefined ? {} : { address }), ...(interceptor === undefined ? {} : { interceptor }), reason, invalid: status === "validation_failed" } };
    },
  };
}

function partOf(message: Message): JsonObject {
  if ("method" in message) return message.params ?? {};
  return "result" in message ? message.result : { error: message.error };
}
