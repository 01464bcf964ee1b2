import { ErrorCode, LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { createSignal, type Signal, type SignalSource } from "../base/signal.ts";
import type { Frame } from "../wire/frame.ts";
import { isErrorResponse, isRequest, isResult, type RequestId, type RequestMessage } from "../wire/message.ts";
import { drain, readOutcome } from "./client-exchange.ts";
import { JSON_POST, STREAM_GET } from "./client-headers.ts";
import { listen, type ListenParts } from "./client-listen.ts";
import { failureOf, type Outcome } from "./client-outcome.ts";
import type { HeaderList, HttpAnswer } from "./exchange.ts";
import { timedSignal } from "./pause.ts";
import { HEADER } from "./routing-headers.ts";

export interface SessionParts extends Omit<ListenParts, "arrive" | "lost"> {
  /** A message of the server, in the exchange of a request of ours or on its own. */
  arrive(frame: Frame, related?: RequestId): Promise<void>;
  /** There is another session in the place of one that was lost; `failure`: and there cannot be, as the server speaks another revision now. */
  renewed(failure?: LocalError): void;
}

/** The handshake revisions over Streamable HTTP. */
export interface SessionClient {
  /** POSTs `initialize`. Its answer says which revision and which session all that follows names in its headers. */
  initialize(message: RequestMessage, body: string, signal: Signal): Promise<Outcome>;
  request(message: RequestMessage, body: string, signal: Signal): Promise<Outcome>;
  /** POSTs a notification, or the response to a request of the server's. Never rejects: what becomes of it goes to the log. */
  tell(method: string, body: string, signal: Signal, answers?: RequestId): Promise<void>;
  /** Ends the session at the server, within a bounded time. */
  end(): Promise<void>;
}

interface Session {
  readonly id: string | undefined;
  readonly version: string;
}

const RENEW_MS = 30_000;
/** All else waits for `notifications/initialized`, but not for ever. */
const ANNOUNCE_MS = 10_000;
const END_MS = 2_000;
/** What a server that has no handshake any more says of it. */
const OTHER_REVISION: ReadonlySet<number> = new Set([ErrorCode.unsupportedProtocolVersion, ErrorCode.methodNotFound]);
const INITIALIZED = "notifications/initialized";

export function createSessionClient(parts: SessionParts): SessionClient {
  const { call, host, log, closing } = parts;
  /** `initialize` and `notifications/initialized` as they were sent, to be sent again where the server has lost the session. */
  let opening: { readonly message: RequestMessage; readonly body: string } | undefined;
  let initialized: string | undefined;
  let session: Session | undefined;
  let renewing: Promise<Session> | undefined;
  /** Settles when the server has taken `notifications/initialized`: nothing may overtake it. */
  let ready: Promise<unknown> | undefined;
  let listening: SignalSource | undefined;
  // The server's requests that wait for our answer, with the session that they came in: in another one their ids mean something else.
  const asked = new Map<RequestId, Session | undefined>();

  const arrive = (frame: Frame, of: Session | undefined, related?: RequestId): Promise<void> => {
    const { message } = frame;
    if (isRequest(message)) {
      asked.delete(message.id);
      asked.set(message.id, of);
      // Those that the server has cancelled are not answered.
      for (const oldest of asked.keys()) if (asked.size > parts.limits.maxIncomingRequests) asked.delete(oldest);
    }
    return parts.arrive(frame, related);
  };

  const headersOf = (of: Session | undefined): HeaderList => {
    if (of === undefined) return [];
    const version: readonly [string, string] = [HEADER.version, of.version];
    return of.id === undefined ? [version] : [[HEADER.session, of.id], version];
  };

  const post = (body: string, of: Session | undefined, signal: Signal) =>
    call({ method: "POST", headers: [...JSON_POST, ...headersOf(of)], body, signal });

  const open = async ({ id }: RequestMessage, body: string, signal: Signal): Promise<Outcome & { session?: Session }> => {
    let answer: HttpAnswer;
    let outcome: Outcome;
    try {
      answer = await post(body, undefined, signal);
      outcome = await readOutcome({ id, signal, passing: (frame) => arrive(frame, undefined, id) }, answer, parts);
    } catch (thrown) {
      return { failure: failureOf(thrown) };
    }
    const { frame } = outcome;
    if (frame === undefined || !isResult(frame.message)) return outcome;
    const version = frame.message.result["protocolVersion"];
    const given = answer.headers.get(HEADER.session);
    const usable = given !== undefined && /^[\x21-\x7e]{1,1024}$/.test(given);
    if (given !== undefined && !usable) log({ level: "warning", message: "the server's session id cannot be sent back; it is ignored" });
    // Whoever asked judges the version; one that is no text names nothing.
    return typeof version === "string" ? { ...outcome, session: { id: usable ? given : undefined, version } } : outcome;
  };

  const announce = async (body: string, of: Session | undefined, signal: Signal): Promise<void> => {
    const limit = timedSignal(host, ANNOUNCE_MS, signal);
    try {
      const answer = await post(body, of, limit.signal);
      drain(answer.body, parts);
      if (answer.status > 299) log({ level: "warning", message: `the server refused ${INITIALIZED}`, details: { httpStatus: answer.status } });
    } catch (error) {
      if (!signal.aborted) log({ level: "warning", message: `${INITIALIZED} could not be sent`, error });
    } finally {
      limit.abort("done");
    }
    if (closing.aborted) return;
    listening?.abort("another stream takes its place");
    listening = createSignal(closing);
    const lost = async () => {
      if (of !== undefined) await replace(of).catch((error: unknown) => log({ level: "debug", message: "the session is lost", error }));
    };
    void listen(headersOf(of), listening.signal, { ...parts, arrive: (frame) => arrive(frame, of), lost });
  };

  const renew = async (): Promise<Session> => {
    const lost = session;
    const limit = timedSignal(host, RENEW_MS, closing);
    try {
      if (opening === undefined || lost === undefined) throw renewalFailed("there was no handshake to repeat");
      const opened = await open(opening.message, opening.body, limit.signal);
      if (opened.failure !== undefined) throw renewalFailed(opened.failure.message);
      const { message } = opened.frame;
      if (isErrorResponse(message) && !OTHER_REVISION.has(message.error.code)) throw renewalFailed(message.error.message);
      if (opened.session?.version !== lost.version) {
        const failure = renewalFailed("the server speaks another revision now");
        parts.renewed(failure);
        throw failure;
      }
      session = opened.session;
      log({ level: "warning", message: "the server had lost the session; a new one is open" });
      if (initialized !== undefined) await announce(initialized, session, limit.signal);
      parts.renewed();
      return session;
    } finally {
      limit.abort("done");
    }
  };

  // All that find the same session lost share one handshake; who comes late finds a session that is not the one that it lost.
  const replace = (lost: Session): Promise<Session> => {
    if (session !== lost && session !== undefined && renewing === undefined) return Promise.resolve(session);
    return (renewing ??= renew().finally(() => {
      renewing = undefined;
    }));
  };

  const attempt = async (message: RequestMessage, body: string, of: Session | undefined, signal: Signal): Promise<Outcome & { lost?: Lost }> => {
    const { id } = message;
    const resume = (lastEventId: string, within: Signal) =>
      call({ method: "GET", headers: [...STREAM_GET, ...headersOf(of), [HEADER.lastEventId, lastEventId]], signal: within });
    try {
      const answer = await post(body, of, signal);
      const outcome = await readOutcome({ id, signal, passing: (frame) => arrive(frame, of, id), resume }, answer, parts);
      const lost = answer.status === 404 && of?.id !== undefined ? lossBy(outcome) : undefined;
      return lost === undefined ? outcome : { ...outcome, lost };
    } catch (thrown) {
      return { failure: failureOf(thrown) };
    }
  };

  return {
    async initialize(message, body, signal) {
      const { session: opened, ...outcome } = await open(message, body, signal);
      if (opened !== undefined && !signal.aborted) {
        opening = { message, body };
        session = opened;
        initialized = ready = undefined;
        listening?.abort("there is a new session");
      }
      return outcome;
    },
    async request(message, body, signal) {
      if (ready !== undefined) await ready;
      if (renewing !== undefined) await renewing.catch(() => {});
      const used = session;
      const { lost, ...outcome } = await attempt(message, body, used, signal);
      if (lost === undefined || used === undefined || signal.aborted) return outcome;
      if (lost === "answered") {
        replace(used).catch((error: unknown) => log({ level: "debug", message: "the session is lost", error }));
        return outcome;
      }
      // The server knows no such session, so that it has not served the request: this one may be sent again, once.
      try {
        const again = await replace(used);
        if (signal.aborted) return outcome;
        const { lost: _twice, ...second } = await attempt(message, body, again, signal);
        return second;
      } catch (thrown) {
        return { failure: failureOf(thrown) };
      }
    },
    async tell(method, body, signal, answers) {
      if (method === INITIALIZED) {
        initialized = body;
        await (ready = announce(body, session, signal));
        ready = undefined;
        return;
      }
      if (ready !== undefined) await ready;
      const used = answers === undefined ? session : (asked.get(answers) ?? session);
      if (answers !== undefined) asked.delete(answers);
      try {
        const answer = await post(body, used, signal);
        drain(answer.body, parts);
        if (answer.status < 300) return;
        log({ level: "warning", message: "the server refused a message that has no answer", details: { method, httpStatus: answer.status } });
        // It was about something in the old session. A new one is opened all the same, for what comes next.
        if (answer.status === 404 && used?.id !== undefined) await replace(used);
      } catch (error) {
        if (!signal.aborted) log({ level: "warning", message: "a message that has no answer could not be sent", details: { method }, error });
      }
    },
    async end() {
      listening?.abort("the connection is closed");
      if (session?.id === undefined) return;
      const limit = timedSignal(host, END_MS);
      try {
        const answer = await call({ method: "DELETE", headers: headersOf(session), signal: limit.signal });
        answer.body.cancel();
      } catch {
        // A server need not let clients end sessions; it ends idle ones by itself.
      } finally {
        limit.abort("done");
      }
    },
  };
}

/** `unserved`: the server has not looked at the request. `answered`: it may have acted on it, and its error is the answer. */
type Lost = "unserved" | "answered";

/**
 * What a 404 says in a session: that the session is gone (2025-11-25, basic/transports, Session Management), so that there has to be another one. Not where the server
 * has evidently served the request in it: a result, or an error for its method, which later revisions send with 404. An error under the request's own id may
 * be what came of it all the same, so only one about the session, or the request as such, has it sent again.
 */
function lossBy({ frame, named, failure }: Outcome & { readonly named?: boolean }): Lost | undefined {
  if (failure !== undefined) return failure.malformed === undefined ? "unserved" : undefined;
  if (named !== true || !isErrorResponse(frame.message)) return "unserved";
  const { code, message, data } = frame.message.error;
  if (code === ErrorCode.methodNotFound) return undefined;
  const refused = code === ErrorCode.invalidRequest || /session/i.test(message) || (isObject(data) && data["delivery"] === "none");
  return refused ? "unserved" : "answered";
}

function renewalFailed(why: string): LocalError {
  return new LocalError("closed", `the server has lost the session, and a new one could not be opened: ${why}`, { details: { delivery: "none" } });
}
