import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import { checkLoggingLevel, type ClientCapabilities, type Implementation } from "../wire/gen/mcp.ts";
import { HANDSHAKE_VERSIONS, META, PROTOCOL_VERSIONS, STATELESS_VERSIONS } from "../wire/versions.ts";

/** How a peer says what it speaks: once, by `initialize`, or in each request's `_meta` (revision 2026-07-28 and later). */
export type Era = "handshake" | "stateless";

/** The revisions that one side is willing to speak, newest first. */
export interface Versions {
  readonly handshake: readonly string[];
  readonly stateless: readonly string[];
  readonly all: readonly string[];
}

/** What a client has said about itself; nothing of it is verified. */
export interface ClientDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** A handshake that has been made on a connection. */
export interface Session extends ClientDescription {
  readonly version: string;
}

/** How a request is to be served. */
export type Admission =
  | { readonly kind: "initialize"; readonly session: Session }
  | { readonly kind: "request"; readonly era: Era; readonly version: string; readonly client: ClientDescription };

/** Fills in the default, all that this build speaks. Refuses an unknown revision, and an empty list. */
export function resolveVersions(wanted: readonly string[] = PROTOCOL_VERSIONS): Versions {
  const unknown = wanted.find((version) => !PROTOCOL_VERSIONS.includes(version));
  if (unknown !== undefined || wanted.length === 0) {
    throw new LocalError("invalid_argument", `versions takes some of ${PROTOCOL_VERSIONS.join(", ")}; got ${unknown ?? "none"}`);
  }
  const keep = (known: readonly string[]) => known.filter((version) => wanted.includes(version));
  return { handshake: keep(HANDSHAKE_VERSIONS), stateless: keep(STATELESS_VERSIONS), all: keep(PROTOCOL_VERSIONS) };
}

/**
 * Decides how a server serves a request, or throws the `RpcError` that answers it. A request opens either era by itself: with the
 * modern `_meta` it is served statelessly, `initialize` starts a session; both may go on side by side on one connection
 * (2026-07-28, basic/versioning). A server without stateless revisions behaves as the older ones do, and does not look at that `_meta`.
 */
export function admit(method: string, params: JsonObject, session: Session | undefined, versions: Versions): Admission {
  const meta = ownMember(params, "_meta");
  const modern = isObject(meta) && (Object.hasOwn(meta, META.protocolVersion) || Object.hasOwn(meta, META.clientCapabilities));
  // A stateless request by that name asks for what its revision does not have.
  if (method === "initialize" && !(modern && versions.stateless.length > 0)) {
    return { kind: "initialize", session: openSession(params, session, versions) };
  }
  if (versions.stateless.length > 0 && (modern || method === "server/discover" || versions.handshake.length === 0)) {
    return admitStateless(isObject(meta) ? meta : {}, versions);
  }
  if (session !== undefined) return { kind: "request", era: "handshake", version: session.version, client: session };
  // Either side may check the connection before the handshake (2025-11-25, basic/lifecycle).
  if (method === "ping") return { kind: "request", era: "handshake", version: versions.handshake[0] ?? "", client: NOBODY };
  const modernWay = `, or have ${META.protocolVersion} and ${META.clientCapabilities} in params._meta (${versions.stateless[0] ?? ""})`;
  const ways = `the first request must be initialize${versions.stateless.length > 0 ? modernWay : ""}`;
  throw new RpcError(ErrorCode.invalidRequest, `Not initialized: ${ways}`);
}

const NOBODY: ClientDescription = { info: undefined, capabilities: {} };

function openSession(params: JsonObject, session: Session | undefined, { handshake, all }: Versions): Session {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string") throw invalidParams("params.protocolVersion must be a string");
  // A client of the older kind has nothing to fall forward to, and shows its user this text at best.
  if (handshake.length === 0) throw unsupportedVersion(all, protocolVersion);
  if (session !== undefined) throw new RpcError(ErrorCode.invalidRequest, "Already initialized");
  if (!isObject(capabilities)) throw invalidParams("params.capabilities must be an object");
  if (!isImplementation(clientInfo)) throw invalidParams("params.clientInfo must have a name and a version");
  return { version: handshake.includes(protocolVersion) ? protocolVersion : (handshake[0] ?? ""), info: clientInfo, capabilities };
}

function admitStateless(meta: JsonObject, { stateless, all }: Versions): Admission {
  const version = ownMember(meta, META.protocolVersion);
  if (typeof version !== "string") throw invalidParams(`params._meta must have ${META.protocolVersion}, a string`);
  // Before anything else, as another revision may want other keys.
  if (!stateless.includes(version)) throw unsupportedVersion(all, version);
  const capabilities = ownMember(meta, META.clientCapabilities);
  if (!isObject(capabilities)) throw invalidParams(`params._meta must have ${META.clientCapabilities}, an object`);
  const info = ownMember(meta, META.clientInfo);
  if (info !== undefined && !isImplementation(info)) throw invalidParams(`${META.clientInfo} must have a name and a version`);
  const logLevel = ownMember(meta, META.logLevel);
  if (logLevel !== undefined && checkLoggingLevel(logLevel) !== undefined) throw invalidParams(`${META.logLevel} is no log level`);
  return { kind: "request", era: "stateless", version, client: { info, capabilities } };
}

export function invalidParams(reason: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`);
}

function unsupportedVersion(supported: readonly string[], requested: string): RpcError {
  const message = `Unsupported protocol version; this server speaks ${supported.join(", ")}`;
  return new RpcError(ErrorCode.unsupportedProtocolVersion, message, { supported: [...supported], requested });
}

export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

/** The versions that an error of code -32022 names; `undefined` where it is no such error, or names none. */
export function supportedVersionsIn(error: unknown): readonly string[] | undefined {
  if (!(error instanceof RpcError) || error.code !== ErrorCode.unsupportedProtocolVersion || !isObject(error.data)) return undefined;
  return stringList(error.data["supported"]);
}

/** A list of strings, or `undefined`. */
export function stringList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item): item is string => typeof item === "string") ? value : undefined;
}

/** Whether arguments that miss a tool's schema are told in a result, which models can read, rather than an error (SEP-1303). */
export function invalidInputIsResult(version: string): boolean {
  return version >= "2025-11-25";
}

/** Whether structured content and output schemas may be of any type; before revision 2026-07-28 they are objects. */
export function anyStructuredContent(version: string): boolean {
  return version >= "2026-07-28";
}
