import { ErrorCode, RpcError } from "../base/errors.ts";
import { detectHost } from "../base/host.ts";
import { resolveLimits } from "../base/limits.ts";
import { checkOptions } from "../base/options.ts";
import { createQueue } from "../base/queue.ts";
import { safeLog } from "../jsonrpc/log.ts";
import { resolveVersions } from "../mcp/lifecycle.ts";
import type { Listener, Transport } from "../transport/transport.ts";
import { decodeFrame, type Decoded } from "../wire/frame.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import { isRequest } from "../wire/message.ts";
import { authenticate, principalKey, type Authenticate } from "./authentication.ts";
import { createClock } from "./clock.ts";
import { isStateless, refuseHandshake, refuseVersion, saysStateless } from "./eras.ts";
import type { HttpHandler, HttpRequest, HttpResponse, TextSource } from "./exchange.ts";
import { createHostCheck } from "./host-check.ts";
import { HTTP_SERVER_OPTIONS, resolveTimes, type HttpServerOptions, type ToolParams, type ToolSchemas } from "./http-server-options.ts";
import { badRequest, draining, emptyResponse, refuse, unavailable, type Refusing } from "./http-responses.ts";
import { accepts } from "./media-type.ts";
import { readPost, refusePost } from "./read-post.ts";
import { HEADER } from "./routing-headers.ts";
import type { StreamRules } from "./post.ts";
import { createSession, type Session } from "./session.ts";
import { createSessions } from "./sessions.ts";
import { createStatelessPosts } from "./stateless-posts.ts";

/** All 0 when nothing is going on, and the idle sessions have been swept. */
export interface HttpServerStats {
  readonly sessions: number;
  /** Stateless messages that are being served. */
  readonly stateless: number;
  /** HTTP requests that are being answered, open streams among them. */
  readonly requests: number;
  /** Connections that nobody has accepted yet. */
  readonly waiting: number;
}

/**
 * Streamable HTTP, the server's side, of all revisions at once: each message is served by the era that it says it is of. `accept` gives one
 * transport for each session of the handshake era, and one for each message of the stateless one.
 */
export interface HttpServer extends Listener {
  /** Answers requests to the MCP endpoint, whatever brings them; see `listenHttp` (Node) and `fetchHandler` (web). */
  readonly handle: HttpHandler;
  /** Holds headers that repeat arguments (`Mcp-Param-*`, 2026-07-28) to them; `serve` calls it. Until then they are not looked at. */
  describeTools(tools: ToolSchemas | ToolParams): void;
  /**
   * From now on each request is refused with 503, and with an error under its id whose `data.reason` is `draining`; what is being served goes on, and what
   * clients say in sessions without wanting an answer is taken. `gone`: requests of sessions get 404, as there is another server to open one at.
   */
  drain(gone?: boolean): void;
  /** Whether it has such a session. */
  holds(session: string): boolean;
  /** Drains, ends streams that belong to no request, gives answers on their way `closeGraceMs`, then ends all sessions. */
  close(): Promise<void>;
  stats(): HttpServerStats;
}

/**
 * Streamable HTTP without a socket: a handler of requests, and a listener of the connections that they open (MCP, Transports). Throws `invalid_argument`
 * for wrong options. Timers end with `close`.
 */
export function createHttpServer(options: HttpServerOptions = {}): HttpServer {
  checkOptions(options, "the options of an HTTP server", HTTP_SERVER_OPTIONS);
  const { host = detectHost(), eventStore, resourceMetadata, passOn } = options;
  const { sessionIdleMs, closeGraceMs, releaseAfterMs, keepAliveMs, streamAfterMs, stallMs, retryMs } = resolveTimes(options);
  const limits = resolveLimits(options.limits);
  const log = safeLog(options.log);
  const versions = resolveVersions(options.versions);
  const check = createHostCheck(options);
  const clock = createClock(host);
  const accepted = createQueue<Transport>();
  const sessions = createSessions(host, clock, limits.maxSessions, sessionIdleMs, options.sessionPrefix);
  const rules: StreamRules = {
    clock,
    maxChars: limits.maxStreamChars,
    keepAliveMs,
    streamAfterMs,
    stallMs,
    retryMs,
    releaseAfterMs: releaseAfterMs === undefined ? undefined : () => releaseAfterMs,
  };
  const stateless = createStatelessPosts({ limits, rules, ending: () => refusing !== undefined, accept: (transport) => accepted.push(transport) });
  let requests = 0;
  let closed: Promise<void> | undefined;
  /** What requests of sessions are refused with, once nothing new is taken. */
  let refusing: Refusing | undefined;
  let drained: (() => void) | undefined;

  const finished = () => {
    requests--;
    if (requests === 0) drained?.();
  };

  const principalOf = async (request: HttpRequest, check: Authenticate): Promise<{ principal?: Principal; refusal?: HttpResponse }> => {
    try {
      const { principal, refusal } = await authenticate(request, check, resourceMetadata);
      if (refusal === undefined) return { principal };
      return { refusal: badRequest(refusal.reason, undefined, refusal.status, refusal.headers) };
    } catch (error) {
      log({ level: "error", message: "the authentication hook failed; the request is refused", error });
      return { refusal: refuse(500, new RpcError(ErrorCode.internalError, "Internal error")) };
    }
  };

  // Somebody else's session looks like none: whether an id exists is for its owner to know.
  const find = (id: string, principal: Principal | undefined): Session | undefined => {
    const session = sessions.get(id);
    if (session === undefined || session.owner !== principalKey(principal)) return undefined;
    session.usedAt = clock.now;
    return session;
  };
  const noSession = () => badRequest("Session not found", undefined, 404);

  const openSession = (request: HttpRequest, text: string, decoded: Decoded, principal: Principal | undefined): HttpResponse | Promise<HttpResponse> => {
    const session: Session = createSession({
      id: sessions.newId(),
      principal,
      limits,
      rules,
      store: eventStore,
      speaks(version) {
        const known = versions.handshake.includes(version);
        if (!known) log({ level: "error", message: `a session was refused: the server agreed on ${version}, which is not among the endpoint's versions; give both the same` });
        return known;
      },
      refusing: () => refusing,
      ended: () => sessions.remove(session),
    });
    if (!sessions.add(session)) return unavailable("Too many sessions");
    // It accepts until it drains, and then no session is opened.
    accepted.push(session.transport);
    return session.post(request, text, decoded, principal);
  };

  const post = async (request: HttpRequest, principal: Principal | undefined): Promise<HttpResponse> => {
    const { headers } = request;
    const refused = refusePost(request, limits);
    if (refused !== undefined) return refused;
    const id = versions.handshake.length === 0 || saysStateless(headers, versions) ? undefined : headers.get(HEADER.session);
    const session = id === undefined ? undefined : find(id, principal);
    const lost = id !== undefined && session === undefined;
    if (lost && refusing === undefined) return noSession();
    const text = await readPost(request, limits, host);
    if (typeof text !== "string") return text;

    const decoded = decodeFrame(text, limits);
    const { frame, invalid } = decoded;
    // A body may take its time, so that this is looked at now.
    if (refusing !== undefined && session === undefined && frame !== undefined && isRequest(frame.message)) return draining([frame.message.id], lost ? 404 : 503);
    if (lost) return noSession();
    if (frame !== undefined && isStateless(headers, frame.message, versions)) {
      return refuseHandshake(headers, frame.message, versions) ?? (await (passOn?.(request, frame) ?? stateless.take(request, frame, principal)));
    }
    if (session !== undefined) return refuseVersion(headers, versions) ?? (await session.post(request, text, decoded, principal));
    if (invalid !== undefined) {
      const { code, message, data } = invalid.error;
      return refuse(400, new RpcError(code, message, data), invalid.answers === true ? null : invalid.id);
    }
    const asked = isRequest(frame.message) ? frame.message : undefined;
    if (asked?.method === "initialize") return await openSession(request, text, decoded, principal);
    const missing = "Mcp-Session-Id is missing, and the message does not say which revision it is of";
    return refuseVersion(headers, versions) ?? badRequest(missing, asked?.id);
  };

  const withSession = (request: HttpRequest, principal: Principal | undefined): Session | HttpResponse => {
    const { headers } = request;
    if (versions.handshake.length === 0 || saysStateless(headers, versions)) return notAllowed();
    const id = headers.get(HEADER.session);
    if (id === undefined) return badRequest("Mcp-Session-Id is missing");
    return find(id, principal) ?? noSession();
  };
  const notAllowed = () => badRequest("Only POST is served here", undefined, 405, [["allow", "POST"]]);

  const listen = (request: HttpRequest, principal: Principal | undefined): HttpResponse => {
    const found = withSession(request, principal);
    if ("status" in found) return found;
    if (!accepts(request.headers.get("accept"), "text/event-stream")) return badRequest("Accept must allow text/event-stream", undefined, 406);
    const from = request.headers.get(HEADER.lastEventId);
    // Whoever comes back for an answer gets it.
    if (refusing !== undefined && from === undefined) return draining([], refusing);
    return refuseVersion(request.headers, versions) ?? found.listen(from);
  };

  const end = (request: HttpRequest, principal: Principal | undefined): HttpResponse => {
    const found = withSession(request, principal);
    if ("status" in found) return found;
    const refusal = refuseVersion(request.headers, versions);
    if (refusal === undefined) found.dispose();
    return refusal ?? emptyResponse(204);
  };

  const answer = async (request: HttpRequest, check: Authenticate): Promise<HttpResponse> => {
    const { principal, refusal } = await principalOf(request, check);
    return refusal ?? (await answerTo(request, principal));
  };

  const answerTo = (request: HttpRequest, principal: Principal | undefined): HttpResponse | Promise<HttpResponse> => {
    switch (request.method) {
      case "POST":
        return post(request, principal);
      case "GET":
        return listen(request, principal);
      case "DELETE":
        return end(request, principal);
      default:
        return badRequest("The method is not one of this endpoint", undefined, 405, [["allow", "POST, GET, DELETE"]]);
    }
  };

  const handle: HttpHandler = async (request) => {
    const { headers } = request;
    const refusal = check.refusal(headers);
    if (refusal !== undefined) return badRequest(`Forbidden: ${refusal}`, undefined, 403);
    if (request.method === "OPTIONS") return emptyResponse(204, check.preflight(headers));
    const cors = check.cors(headers);
    let response: HttpResponse;
    if (requests >= limits.maxHttpRequests) response = unavailable("Too many requests at once");
    else {
      requests++;
      try {
        response = await (options.authenticate === undefined ? answerTo(request, undefined) : answer(request, options.authenticate));
      } catch (error) {
        log({ level: "error", message: "a request could not be answered", error });
        response = refuse(500, new RpcError(ErrorCode.internalError, "Internal error"));
      }
      if (typeof response.body === "object") response = { ...response, body: counted(response.body, finished) };
      else finished();
    }
    return cors.length === 0 ? response : { ...response, headers: [...response.headers, ...cors] };
  };

  const shutDown = async () => {
    refusing ??= 503;
    sessions.endListening();
    if (requests > 0) {
      let cancel = () => {};
      await new Promise<void>((resolve) => {
        drained = resolve;
        cancel = host.setTimer(resolve, closeGraceMs);
      });
      cancel();
    }
    accepted.close();
    sessions.disposeAll();
    await stateless.closeAll();
    clock.stop();
  };

  return {
    handle,
    drain: (gone = false) => void (refusing = gone ? 404 : 503),
    holds: (id) => sessions.get(id) !== undefined,
    describeTools: (tools) => stateless.describeTools(tools),
    accept: () => accepted.pull(),
    close: () => (closed ??= shutDown()),
    stats: () => ({ sessions: sessions.size, stateless: stateless.size, requests, waiting: accepted.size }),
  };
}

// A stream is being answered until its last piece is taken.
function counted(source: TextSource, finished: () => void): TextSource {
  let over = false;
  const finish = () => {
    if (!over) finished();
    over = true;
  };
  return {
    opened: (cut) =>
      source.opened(() => {
        finish();
        cut();
      }),
    async next() {
      const text = await source.next();
      if (text === undefined) finish();
      return text;
    },
    cancel() {
      finish();
      source.cancel();
    },
  };
}
