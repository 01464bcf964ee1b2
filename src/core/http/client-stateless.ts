import { ErrorCode } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Signal } from "../base/signal.ts";
import { isErrorResponse, isRequest, isResult, type NotificationMessage, type RequestMessage } from "../wire/message.ts";
import type { Frame } from "../wire/frame.ts";
import type { Caller } from "./client-call.ts";
import { drain, readOutcome, type ExchangeParts } from "./client-exchange.ts";
import { failureOf, type Outcome } from "./client-outcome.ts";
import { createMirroredTools } from "./client-tools.ts";
import { JSON_POST } from "./client-headers.ts";
import type { HeaderList } from "./exchange.ts";
import type { ParamHeader } from "./param-headers.ts";
import { timedSignal } from "./pause.ts";
import { HEADER, routingHeaders, versionInBody } from "./routing-headers.ts";

export interface StatelessParts extends ExchangeParts {
  readonly call: Caller;
  /** A notification in the exchange of a request. */
  arrive(frame: Frame, related: RequestMessage["id"]): Promise<void>;
}

/** Revision 2026-07-28 over HTTP: each message is a POST of its own, under headers that follow from it, and nothing lasts beyond it. */
export interface StatelessClient {
  request(message: RequestMessage, body: string, signal: Signal): Promise<Outcome>;
  notify(message: NotificationMessage, body: string, signal: Signal): Promise<void>;
}

const REFRESH_MS = 30_000;

export function createStatelessClient(parts: StatelessParts): StatelessClient {
  const { call, host, limits, log, closing } = parts;
  const tools = createMirroredTools(limits.maxMirroredTools, log);
  let refreshing: Promise<void> | undefined;
  /** Of the last request; for notifications, which need not carry it. */
  let version: string | undefined;

  const post = (headers: HeaderList, body: string, signal: Signal) =>
    call({ method: "POST", headers: [...JSON_POST, ...headers], body, signal });

  const passing = async (frame: Frame, id: RequestMessage["id"]) => {
    // A stateless server asks by its results, and there is nowhere to send an answer (2026-07-28, Receiving Messages).
    if (!isRequest(frame.message)) return await parts.arrive(frame, id);
    log({ level: "warning", message: "the server sent a request, which this revision does not have; it is dropped", details: { method: frame.message.method } });
  };

  const attempt = async (message: RequestMessage, body: string, params: readonly ParamHeader[], signal: Signal): Promise<Outcome> => {
    const { id } = message;
    try {
      const answer = await post(routingHeaders(message, params), body, signal);
      return await readOutcome({ id, signal, passing: (frame) => passing(frame, id) }, answer, parts);
    } catch (thrown) {
      return { failure: failureOf(thrown) };
    }
  };

  const refresh = async (meta: JsonObject) => {
    const limit = timedSignal(host, REFRESH_MS, closing);
    try {
      let params: JsonObject = { _meta: meta };
      for (let page = 1; page <= limits.maxPages; page++) {
        const message: RequestMessage = { jsonrpc: "2.0", id: `mcp-interceptors-tools-${page}`, method: "tools/list", params };
        const { frame } = await attempt(message, JSON.stringify(message), [], limit.signal);
        if (frame === undefined || !isResult(frame.message)) return;
        tools.learn(frame);
        const cursor = ownMember(frame.message.result, "nextCursor");
        if (typeof cursor !== "string") return;
        params = { cursor, _meta: meta };
      }
    } finally {
      limit.abort("done");
    }
  };

  // The server refused the headers before it looked at the call, so that it may be sent again. Its tools may have changed since they were
  // listed, or have never been (2026-07-28, Client Behavior).
  const mend = async (message: RequestMessage, body: string, used: readonly ParamHeader[], outcome: Outcome, signal: Signal): Promise<Outcome> => {
    const given = ownMember(message.params ?? {}, "_meta");
    const { progressToken: _not, ...meta } = isObject(given) ? given : {};
    await (refreshing ??= refresh(meta).finally(() => {
      refreshing = undefined;
    }));
    const params = tools.of(message);
    const same = JSON.stringify(routingHeaders(message, params)) === JSON.stringify(routingHeaders(message, used));
    return same || signal.aborted ? outcome : await attempt(message, body, params, signal);
  };

  return {
    async request(message, body, signal) {
      version = versionInBody(message) ?? version;
      const params = tools.of(message);
      const outcome = await attempt(message, body, params, signal);
      if (outcome.frame === undefined) return outcome;
      if (message.method === "tools/list") return { frame: tools.learn(outcome.frame) };
      const { message: response } = outcome.frame;
      const mismatch = isErrorResponse(response) && response.error.code === ErrorCode.headerMismatch;
      return mismatch && message.method === "tools/call" ? await mend(message, body, params, outcome, signal) : outcome;
    },
    async notify(message, body, signal) {
      const named = versionInBody(message) === undefined && version !== undefined ? [[HEADER.version, version] as const] : [];
      const answer = await post([...routingHeaders(message), ...named], body, signal);
      drain(answer.body, parts);
      if (answer.status < 200 || answer.status > 299) {
        log({ level: "warning", message: "the server refused a notification", details: { method: message.method, httpStatus: answer.status } });
      }
    },
  };
}
