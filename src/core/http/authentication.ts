import { isThenable } from "../base/thenable.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import type { HeaderList, HttpRequest } from "./exchange.ts";

/** What there is to judge a caller by, before the body is read. */
export interface AuthenticationRequest extends Pick<HttpRequest, "method" | "path" | "headers" | "signal"> {
  /** The token of `Authorization: Bearer …`, the one place where MCP has it. */
  readonly token: string | undefined;
}

/** Why a caller is turned away: no or a bad token is answered 401, `insufficient_scope` 403, `invalid_request` 400 (RFC 6750, section 3.1). */
export interface Challenge {
  readonly error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  readonly description?: string;
  /** What a token would have to be good for, separated by spaces. */
  readonly scope?: string;
}

/**
 * Says who calls. The principal is taken for verified: a session belongs to the one that opened it, told apart by `type`, `claims.iss` (the issuer)
 * and `id` (the subject), so that a fresh token for the same subject goes on with it. What is thrown is answered 500, and never let through.
 */
export type Authenticate = (request: AuthenticationRequest) => Authentication | Promise<Authentication>;
/** What `authenticate` found out: who calls, or what to tell a caller who is turned away. */
export type Authentication = { readonly principal: Principal } | { readonly challenge: Challenge };

export type AuthenticationOutcome =
  | { readonly principal: Principal; readonly refusal?: undefined }
  | { readonly refusal: { readonly status: number; readonly headers: HeaderList; readonly reason: string }; readonly principal?: undefined };

/** `resourceMetadata`: the URL of the Protected Resource Metadata (RFC 9728), which tells clients where tokens are to be had. */
export async function authenticate(request: HttpRequest, check: Authenticate, resourceMetadata: string | undefined): Promise<AuthenticationOutcome> {
  const { method, path, headers, signal } = request;
  const given = check({ method, path, headers, signal, token: bearerToken(headers.get("authorization")) });
  const answer = isThenable(given) ? await given : given;
  if ("principal" in answer) return { principal: answer.principal };
  const { error, description, scope } = answer.challenge;
  const parameters = [
    ...(error === undefined ? [] : [`error=${quote(error)}`]),
    ...(description === undefined ? [] : [`error_description=${quote(description)}`]),
    ...(scope === undefined ? [] : [`scope=${quote(scope)}`]),
    ...(resourceMetadata === undefined ? [] : [`resource_metadata=${quote(resourceMetadata)}`]),
  ];
  const status = error === "insufficient_scope" ? 403 : error === "invalid_request" ? 400 : 401;
  const reason = description ?? (status === 403 ? "the token is not good for this" : "a valid bearer token is needed");
  return { refusal: { status, reason, headers: [["www-authenticate", `Bearer ${parameters.join(", ")}`.trim()]] } };
}

/** Whose a session is: equal texts are the same issuer's same subject. */
export function principalKey(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  return JSON.stringify([principal.type, principal.claims?.["iss"] ?? null, principal.id ?? null]);
}

function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > 65_536) return undefined;
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1];
}

// A quoted-string of RFC 9110; what it cannot hold is left out, so that no line can be begun in a header.
function quote(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, "").replace(/["\\]/g, "\\$&")}"`;
}
