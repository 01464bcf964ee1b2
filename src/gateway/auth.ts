import { LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { Authenticate, Authentication, AuthenticationRequest, Challenge } from "../core/http/authentication.ts";
import type { HttpHandler } from "../core/http/exchange.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { claimedIssuer, createJwtVerifier, type JwtOptions } from "./auth-jwt.ts";
import { hasScopes } from "./auth-rules.ts";
import { createTokenList, type StaticToken } from "./auth-tokens.ts";

/** Which bearer tokens are good (RFC 6750), and what they have to allow. */
export interface AuthenticateOptions {
  /** Tokens that were handed out by hand. They are looked at first. */
  readonly tokens?: readonly StaticToken[];
  /** Issuers whose tokens are good here, each with keys and demands of its own. */
  readonly jwt?: readonly JwtOptions[];
  /** Lets callers without any token in, as `{ type: "anonymous" }`. A token that is not good is refused all the same. Default false. */
  readonly anonymous?: boolean;
  /** Scopes that a token needs, all of them; of a path, where it is a function. Callers without are answered 403. */
  readonly scopes?: readonly string[] | ((request: AuthenticationRequest) => readonly string[]);
  readonly host?: Host;
  /** Why callers are turned away, for the log: nothing of a token is in it, and ten lines a second at most. */
  log?(message: string): void;
}

const OPTIONS: OptionTable<AuthenticateOptions> = { tokens: "a list", jwt: "a list", anonymous: "a boolean", scopes: "any", host: "an object", log: "a function" };

/**
 * Says who calls, for `listenHttp` and `HttpFacePlan.authenticate`: by a token of the list, or by one that an issuer has signed. Throws `invalid_argument`
 * where nobody could ever get in. The principal of a token of the list is as given there; of a JWT it is its subject, with the claims that are allowed out.
 */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  checkOptions(options, "the options of createAuthenticate", OPTIONS);
  const { tokens = [], jwt = [], anonymous = false, scopes = [], host = detectHost(), log } = options;
  if (tokens.length === 0 && jwt.length === 0 && !anonymous) throw new LocalError("invalid_argument", "no token would be good: give tokens or jwt");
  const listed = createTokenList(tokens);
  const verifiers = jwt.map((issuer) => createJwtVerifier({ host, ...(log !== undefined && { log: log.bind(undefined) }), ...issuer }));
  const tell = limited(host, log);
  const refuse = (challenge: Challenge): Authentication => {
    if (challenge.description !== undefined) tell(`a caller was turned away: ${challenge.description}`);
    return { challenge };
  };
  const wantedBy = (request: AuthenticationRequest) => (typeof scopes === "function" ? scopes(request) : scopes);
  const admit = (principal: Principal, request: AuthenticationRequest): Authentication => {
    const wanted = wantedBy(request);
    if (hasScopes(principal, wanted)) return { principal };
    return refuse({ error: "insufficient_scope", description: "the token lacks a scope that is needed here", scope: wanted.join(" ") });
  };

  return async (request) => {
    const { token } = request;
    if (token === undefined) {
      // A header that holds no bearer token is an attempt, and not nobody.
      const wanted = wantedBy(request);
      if (anonymous && wanted.length === 0 && !request.headers.has("authorization")) return { principal: { type: "anonymous" } };
      return refuse(wanted.length === 0 ? {} : { scope: wanted.join(" ") });
    }
    const found = listed(token, host.wallTime());
    if (found !== undefined) return admit(found, request);
    const issuer = verifiers.length === 0 ? undefined : claimedIssuer(token);
    let description = "the token is not known";
    for (const verifier of verifiers) {
      if (verifier.issuer !== issuer) continue;
      const { principal, problem } = await verifier.verify(token);
      if (principal !== undefined) return admit(principal, request);
      description = problem;
    }
    return refuse({ error: "invalid_token", description });
  };
}

const LINES_A_SECOND = 10;

// Anybody may be turned away as often as he likes, and must not fill a log by it.
function limited(host: Host, log: ((message: string) => void) | undefined): (message: string) => void {
  let begun = -Infinity;
  let lines = 0;
  return (message) => {
    if (host.now() - begun >= 1_000) {
      if (lines > LINES_A_SECOND) log?.(`${lines - LINES_A_SECOND} more callers were turned away`);
      begun = host.now();
      lines = 0;
    }
    if (++lines <= LINES_A_SECOND) log?.(message);
  };
}

/** What clients are told of where tokens come from (RFC 9728). */
export interface ResourceMetadata {
  /** The origin under which clients reach this gateway, such as `https://mcp.example.com`. */
  readonly resource: string;
  /** Issuers that clients get tokens from. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[];
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/**
 * Serves Protected Resource Metadata (RFC 9728), for `otherwise` of a listener whose `resourceMetadata` is `<resource>/.well-known/oauth-protected-resource`:
 * of the gateway there, and of an upstream behind its path. Everything else is answered 404.
 */
export function resourceMetadata({ resource, authorizationServers, scopes }: ResourceMetadata): HttpHandler {
  const origin = resource.replace(/\/+$/, "");
  return ({ method, path }) => {
    const suffix = path.slice(WELL_KNOWN.length);
    const there = path.startsWith(WELL_KNOWN) && (suffix === "" || /^(?:\/[A-Za-z0-9._~-]+)+$/.test(suffix)) && suffix.length <= 1_024;
    if (!there) return Promise.resolve({ status: 404, headers: [] });
    if (method !== "GET" && method !== "HEAD") return Promise.resolve({ status: 405, headers: [["allow", "GET, HEAD"]] });
    const body = JSON.stringify({
      resource: suffix === "" ? `${origin}/` : `${origin}${suffix}`,
      authorization_servers: authorizationServers,
      bearer_methods_supported: ["header"],
      ...(scopes !== undefined && { scopes_supported: scopes }),
    });
    const headers: [string, string][] = [["content-type", "application/json"], ["access-control-allow-origin", "*"]];
    return Promise.resolve({ status: 200, headers, ...(method === "GET" && { body }) });
  };
}
