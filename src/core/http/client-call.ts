import { LocalError } from "../base/errors.ts";
import type { Signal } from "../base/signal.ts";
import { resolveUri } from "../schema/uri.ts";
import { parseChallenges, type AuthChallenge } from "./challenge.ts";
import type { HeaderList, HttpAnswer, HttpCall, HttpSend } from "./exchange.ts";
import { originOf } from "./origin.ts";
import { HEADER } from "./routing-headers.ts";

/** Headers by name, as a program writes them down. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** What `authorize` is asked. `challenges` is there after a refusal: those of the WWW-Authenticate header, none where it has none. */
export interface AuthorizationRequest {
  readonly url: string;
  readonly refused?: { readonly status: 401 | 403; readonly challenges: readonly AuthChallenge[] };
}

/**
 * Gives the headers that authorize a request, `Authorization` as a rule. Asked before each request, so it keeps its tokens itself, and once more
 * after an answer 401, or 403 for a scope that is missing; calls that are refused at the same time share that. Nothing given then means that the
 * refusal stands. What it throws fails the request, which was not delivered.
 */
export type Authorize = (request: AuthorizationRequest) => HeaderRecord | undefined | Promise<HeaderRecord | undefined>;

export interface CallerOptions {
  readonly url: string;
  readonly send: HttpSend;
  readonly headers: HeaderRecord | undefined;
  readonly authorize: Authorize | undefined;
}

/** One request, without the headers that every one has. */
export interface ClientCall {
  readonly method: HttpCall["method"];
  readonly headers: HeaderList;
  readonly body?: string;
  readonly signal: Signal;
  /** The server's own where it names another one (HTTP+SSE). */
  readonly url?: string;
}

/** Sends a request under the headers and the authorization that its owner gave. Rejects as `HttpSend` does. */
export type Caller = (call: ClientCall) => Promise<HttpAnswer>;

const MAX_HOPS = 3;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Those that follow from what is sent. One set by hand would contradict it.
const OURS: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"],
  ...Object.values(HEADER),
]);

export function createCaller({ url, send, headers, authorize }: CallerOptions): Caller {
  const fixed = checkHeaders(headers ?? {});
  let asking: Promise<HeaderRecord | undefined> | undefined;

  const attempt = async (call: ClientCall, credentials: HeaderList): Promise<HttpAnswer> => {
    // A header of the credentials replaces one that is fixed.
    const own = credentials.length === 0 ? fixed : [...new Map([...fixed, ...credentials])];
    // Member by member, as in `createHttpSend`.
    const { method, body, signal } = call;
    const request: HttpCall = { method, url: call.url ?? url, headers: own.length === 0 ? call.headers : [...own, ...call.headers], body, signal };
    const answer = await send(request);
    return answer.status === 307 || answer.status === 308 ? await follow(request, answer) : answer;
  };

  // Some servers redirect `/mcp` to `/mcp/`. Within the origin that is safe to follow: credentials stay where they belong, and a redirect
  // says that the request was not served.
  const follow = async (request: HttpCall, answer: HttpAnswer): Promise<HttpAnswer> => {
    let { url: at } = request;
    let last = answer;
    for (let hop = 0; hop < MAX_HOPS && (last.status === 307 || last.status === 308); hop++) {
      const location = last.headers.get("location");
      const target = location === undefined ? at : resolveUri(at, location);
      if (target === at || originOf(target) !== originOf(at)) return last;
      last.body.cancel();
      at = target;
      last = await send({ ...request, url: at });
    }
    return last;
  };
  if (authorize === undefined) return (call) => attempt(call, []);

  const ask = async (request: AuthorizationRequest): Promise<HeaderRecord | undefined> => {
    try {
      return await authorize(request);
    } catch (cause) {
      throw new LocalError("refused", "the request could not be authorized", { details: { delivery: "none" }, cause });
    }
  };
  const askAgain = (request: AuthorizationRequest) =>
    (asking ??= ask(request).finally(() => {
      asking = undefined;
    }));

  return async (call) => {
    const { signal } = call;
    const given = await unlessAborted(ask({ url }), signal);
    const answer = await attempt(call, checkHeaders(given ?? {}));
    const refused = refusalIn(answer);
    if (refused === undefined) return answer;
    // The refused request was not served, so that it may be sent again.
    const again = await unlessAborted(askAgain({ url, refused }), signal);
    if (again === undefined) return answer;
    answer.body.cancel();
    return attempt(call, checkHeaders(again));
  };
}

function refusalIn({ status, headers }: HttpAnswer): AuthorizationRequest["refused"] {
  if (status !== 401 && status !== 403) return undefined;
  const challenges = parseChallenges(headers.get("www-authenticate") ?? "");
  // A plain 403 is final; one that names a scope can be mended (2026-07-28, basic/authorization, Scope Challenge Handling).
  if (status === 403 && !challenges.some(({ parameters }) => parameters.get("error") === "insufficient_scope")) return undefined;
  return { status, challenges };
}

/** As a list with lower-case names. Refuses with `invalid_argument` what is no header, and those that are ours to write. */
export function checkHeaders(headers: HeaderRecord): HeaderList {
  return Object.entries(headers).map(([name, value]) => {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name) || typeof value !== "string" || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new LocalError("invalid_argument", `the header ${JSON.stringify(name)} cannot be sent`, { details: { delivery: "none" } });
    }
    if (OURS.has(lower) || lower.startsWith(HEADER.paramPrefix)) {
      throw new LocalError("invalid_argument", `the header ${name} follows from what is sent, and cannot be set`, { details: { delivery: "none" } });
    }
    return [lower, value];
  });
}

// The hook may take as long as it likes, a user who logs in included; a request does not wait for it once it is given up.
function unlessAborted<T>(answer: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = signal.onAbort((cause) => {
      reject(new LocalError("aborted", "the request was given up before it was sent", { details: { delivery: "none" }, cause }));
    });
    answer.then(resolve, reject).finally(() => unlink());
  });
}
