import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Signal, SignalLike } from "../base/signal.ts";
import type { Log } from "../jsonrpc/log.ts";
import type { Peer } from "../jsonrpc/peer.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../wire/gen/mcp.ts";
import { META } from "../wire/versions.ts";
import { isImplementation, stringList, supportedVersionsIn, type Era, type Versions } from "./lifecycle.ts";

/** What a client knows of the server once they have found a common revision. */
export interface ServerDescription {
  readonly era: Era;
  readonly version: string;
  /** What the server says of itself; nothing of it is verified. A stateless one need not say its name. */
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

export interface ConnectParts {
  readonly peer: Pick<Peer, "request" | "notify">;
  readonly log: Log;
  readonly versions: Versions;
  readonly clientInfo: Implementation;
  capabilities(era: Era): ClientCapabilities;
  /** How long a server may be silent before it is taken for one of the older kind. */
  readonly probeTimeoutMs: number;
  readonly signal?: Signal | SignalLike;
}

/**
 * Finds out what the server speaks: `server/discover` first, and `initialize` where the server does not know it or is silent
 * (2026-07-28, basic/transports/stdio, Backward Compatibility). Rejects with `unsupported` where there is no common revision.
 */
export async function findServer(parts: ConnectParts): Promise<ServerDescription> {
  const { versions, log } = parts;
  if (versions.stateless.length === 0) return await initialize(parts);
  const found = await probe(parts, versions.stateless[0] ?? "");
  if (found.server !== undefined) return found.server;
  if (versions.handshake.length === 0) throw noCommonVersion(versions, found.supported, found.error);
  log({ level: "debug", message: "the server opens with a handshake", error: found.error });
  try {
    return await initialize(parts);
  } catch (error) {
    // A server that was too slow for the probe, and turns out to be of the newer kind.
    const named = error instanceof LocalError ? supportedVersionsIn(error.cause) : undefined;
    const common = versions.stateless.find((version) => named?.includes(version));
    if (common === undefined) throw error;
    const again = await probe(parts, common);
    if (again.server === undefined) throw error;
    return again.server;
  }
}

/**
 * Whether an attempt may have failed for its probe alone, so that one without it, on a new connection, is worth while: the server ended or
 * fell silent on us. Its errors, and those of starting it, would come again.
 */
export function blamesProbe(error: unknown, { handshake, stateless }: Versions): boolean {
  if (!(error instanceof LocalError) || handshake.length === 0 || stateless.length === 0) return false;
  if (error.cause instanceof LocalError && error.cause.code === "spawn_failed") return false;
  return error.code === "closed" || error.code === "timeout";
}

/** `supported`: what the server named where none of our stateless revisions is among it. */
interface Probed {
  readonly server?: ServerDescription;
  readonly supported?: readonly string[];
  readonly error?: unknown;
}

async function probe(parts: ConnectParts, version: string, tried: ReadonlySet<string> = new Set()): Promise<Probed> {
  const { peer, versions, probeTimeoutMs, signal } = parts;
  let result: JsonObject;
  try {
    const params = { _meta: requestMeta(version, parts.clientInfo, parts.capabilities("stateless")) };
    // Where no handshake may follow, silence tells nothing, and the server has as long as for any other request.
    const timeout = versions.handshake.length === 0 ? {} : { timeoutMs: probeTimeoutMs };
    result = await peer.request("server/discover", params, { ...timeout, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    const supported = supportedVersionsIn(error);
    if (supported !== undefined) return await settleOn(supported, error);
    if (refusesVersion(error)) throw noCommonVersion(versions, undefined, error);
    const outOfReach = asOutOfReach(error);
    if (outOfReach !== undefined) throw outOfReach;
    const silent = error instanceof LocalError && error.code === "timeout" && versions.handshake.length > 0;
    if (silent || (error instanceof RpcError && !isModern(error))) return { error };
    throw error;
  }
  const supported = stringList(ownMember(result, "supportedVersions"));
  const capabilities = ownMember(result, "capabilities");
  // Whatever answered so has no idea what it was asked.
  if (supported === undefined || !isObject(capabilities)) {
    return { error: new LocalError("invalid_message", "the answer to server/discover is no discovery") };
  }
  if (!supported.includes(version)) return await settleOn(supported, undefined);
  const meta = ownMember(result, "_meta");
  const named = isObject(meta) ? ownMember(meta, META.serverInfo) : undefined;
  const info = isImplementation(named) ? named : undefined;
  return { server: { era: "stateless", version, info, capabilities, instructions: instructionsIn(result) } };

  // The newest common revision that the server has not refused yet. One that it names in the very refusal is tried once more: replicas of
  // a server that is being replaced contradict each other so.
  async function settleOn(named: readonly string[], error: unknown): Promise<Probed> {
    const refused = new Set([...tried, version]);
    const other = versions.stateless.find((ours) => named.includes(ours) && !refused.has(ours));
    const common = other ?? (error !== undefined && named.includes(version) && !tried.has(version) ? version : undefined);
    if (common !== undefined) return await probe(parts, common, refused);
    // A server of both kinds says so, and then the handshake is open to us; else it is no use to try.
    if (versions.handshake.some((ours) => named.includes(ours))) return { supported: named, error };
    throw noCommonVersion(versions, named, error);
  }
}

/** Errors that only a server of the newer kind gives: falling back would hide them. */
function isModern({ code }: RpcError): boolean {
  return code === ErrorCode.headerMismatch || code === ErrorCode.missingClientCapability;
}

/** Where a transport's stand-in says that the server was not reached, or lets nobody in: another request would fare no better. */
function asOutOfReach(error: unknown): LocalError | undefined {
  if (!(error instanceof RpcError) || !isObject(error.data) || error.data["delivery"] !== "none") return undefined;
  const { httpStatus } = error.data;
  const details = { ...error.data };
  if (httpStatus === undefined) return new LocalError("closed", `the server cannot be reached: ${error.message}`, { details, cause: error });
  return httpStatus === 401 || httpStatus === 403 ? new LocalError("refused", error.message, { details, cause: error }) : undefined;
}

/** Whatever data it has: the code alone is one of the newer kind's (2026-07-28, basic/transports/stdio, Backward Compatibility). */
function refusesVersion(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.unsupportedProtocolVersion;
}

async function initialize({ peer, versions, clientInfo, capabilities, signal }: ConnectParts): Promise<ServerDescription> {
  const params = { protocolVersion: versions.handshake[0], capabilities: capabilities("handshake"), clientInfo };
  const result = await peer.request("initialize", params, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    const named = supportedVersionsIn(error);
    throw named === undefined ? (asOutOfReach(error) ?? error) : noCommonVersion(versions, named, error);
  });
  const { protocolVersion: version, capabilities: offered, serverInfo: info } = result;
  if (typeof version !== "string" || !isObject(offered) || !isImplementation(info)) {
    throw new LocalError("invalid_message", "the answer to initialize lacks protocolVersion, capabilities or serverInfo");
  }
  if (!versions.handshake.includes(version)) throw noCommonVersion(versions, [version], undefined);
  await peer.notify("notifications/initialized");
  return { era: "handshake", version, info, capabilities: offered, instructions: instructionsIn(result) };
}

/** What a stateless request carries in `_meta` (2026-07-28, basic/index). */
export function requestMeta(version: string, clientInfo: Implementation, capabilities: ClientCapabilities): JsonObject {
  return { [META.protocolVersion]: version, [META.clientInfo]: clientInfo, [META.clientCapabilities]: capabilities };
}

function instructionsIn(result: JsonObject): string | undefined {
  const instructions = ownMember(result, "instructions");
  return typeof instructions === "string" ? instructions : undefined;
}

function noCommonVersion({ handshake, stateless }: Versions, named: readonly string[] | undefined, cause: unknown): LocalError {
  const unnamed = refusesVersion(cause) ? "refuses ours, but named no versions that it speaks" : "names none, and seems to want a handshake";
  const theirs = named === undefined ? unnamed : `speaks ${named.join(", ")}`;
  const ours = [...stateless, ...handshake];
  return new LocalError("unsupported", `no common protocol version: we speak ${ours.join(", ")}, the server ${theirs}`, {
    details: { ours, theirs: named === undefined ? null : [...named] },
    ...(cause === undefined ? {} : { cause }),
  });
}
