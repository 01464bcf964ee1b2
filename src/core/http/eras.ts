import { ErrorCode, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Versions } from "../mcp/lifecycle.ts";
import { isRequest, type Message } from "../wire/message.ts";
import { isHandshakeVersion, isStatelessVersion, META } from "../wire/versions.ts";
import type { HeaderMap, HttpResponse } from "./exchange.ts";
import { trimOws } from "../wire/header-value.ts";
import { badRequest, refuse } from "./http-responses.ts";
import { HEADER } from "./routing-headers.ts";

/** What the version header says, without white space; `undefined` where there is none. */
export function versionHeader(headers: HeaderMap): string | undefined {
  const header = headers.get(HEADER.version);
  return header === undefined ? undefined : trimOws(header);
}

/** Whether a request says in its headers alone that it is of a stateless revision. */
export function saysStateless(headers: HeaderMap, { stateless }: Versions): boolean {
  return stateless.length > 0 && isStatelessVersion(versionHeader(headers));
}

/**
 * Whether a message is of the stateless era (2026-07-28, basic/versioning: a request that carries its version is served by that revision). As in
 * `admit`, to which it then comes; there is no reading of a message by which it has no era.
 */
export function isStateless(headers: HeaderMap, message: Message, versions: Versions): boolean {
  if (versions.stateless.length === 0) return false;
  if (versions.handshake.length === 0) return true;
  const asks = "method" in message && message.method !== undefined;
  // A handshake has no version yet: no header may veto it.
  if (asks && message.method === "initialize") return isModern(message.params);
  if (saysStateless(headers, versions)) return true;
  return saysStatelessItself(message);
}

/** Whether a message says by itself, without the headers that it comes with, that it is of a stateless revision. */
export function saysStatelessItself(message: Message): boolean {
  if (!("method" in message) || message.method === undefined) return false;
  return message.method === "server/discover" || isModern(message.params);
}

function isModern(params: JsonObject | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && (Object.hasOwn(meta, META.protocolVersion) || Object.hasOwn(meta, META.clientCapabilities));
}

/** Whether `_meta` has what every stateless request must have, of the right types. */
export function hasCompleteMeta(params: JsonObject | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && typeof ownMember(meta, META.protocolVersion) === "string" && isObject(ownMember(meta, META.clientCapabilities));
}

function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params === undefined ? undefined : ownMember(params, "_meta");
  return isObject(meta) ? meta : undefined;
}

/** A request of an older client's at a server that has no handshake, its `initialize` or what it sends in a session from before: it is told what there is. */
export function refuseHandshake(headers: HeaderMap, message: Message, versions: Versions): HttpResponse | undefined {
  if (versions.handshake.length > 0 || !isRequest(message) || saysStatelessItself(message)) return undefined;
  const opens = message.method === "initialize";
  const requested = opens ? message.params?.["protocolVersion"] : versionHeader(headers);
  if (!opens && !isHandshakeVersion(requested)) return undefined;
  return refuse(400, unsupportedVersion(versions, typeof requested === "string" ? requested : ""), message.id);
}

/** What is wrong with the version header of a request of the handshake era. Without one the session knows (2025-11-25, basic/transports). */
export function refuseVersion(headers: HeaderMap, versions: Versions): HttpResponse | undefined {
  const version = versionHeader(headers);
  if (version === undefined || versions.handshake.includes(version)) return undefined;
  // The code is one of the stateless revisions: where there are none, a client that tries them must not take it for such a server's.
  if (versions.stateless.length === 0) return badRequest("MCP-Protocol-Version names no revision that this server speaks");
  return refuse(400, unsupportedVersion(versions, version));
}

function unsupportedVersion({ all }: Versions, requested: string): RpcError {
  const message = `Unsupported protocol version; this server speaks ${all.join(", ")}`;
  return new RpcError(ErrorCode.unsupportedProtocolVersion, message, { supported: [...all], requested: requested.slice(0, 100) });
}
