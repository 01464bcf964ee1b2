import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";
import type { Era } from "../core/mcp/lifecycle.ts";
import { completeResult, resolveCache } from "../core/mcp/results.ts";
import type { Implementation } from "../core/wire/gen/mcp.ts";
import type { ErrorMessage, ResultMessage } from "../core/wire/message.ts";
import { META } from "../core/wire/versions.ts";
import type { Outcome } from "./call.ts";
import { gatewayError } from "./own-errors.ts";

const NO_CACHE = resolveCache();
/** What results of a stateless revision say about themselves. */
const STATELESS_MEMBERS: ReadonlySet<string> = new Set(["resultType", "ttlMs", "cacheScope"]);

/** The name that a face gives its server. */
export function serverInfoOf({ info }: ServerDescription, upstream: string): Implementation {
  return info ?? { name: upstream, version: "0" };
}

/** A complete result in the terms of the face's era; unchanged where the upstream is of the same. */
function resultFor(face: Era, server: ServerDescription, upstream: string, method: string, message: ResultMessage): ResultMessage | ErrorMessage {
  if (face === server.era) return message;
  if (face === "stateless") {
    return { ...message, result: completeResult(method, { ...message.result, resultType: "complete" }, serverInfoOf(server, upstream), NO_CACHE) };
  }
  const resultType = ownMember(message.result, "resultType");
  if (resultType !== undefined && resultType !== "complete") {
    return gatewayError("unsupported", "The upstream answered with a type of result that the revision of this session does not have");
  }
  const result: JsonObject = Object.fromEntries(Object.entries(message.result).filter(([member]) => !STATELESS_MEMBERS.has(member)));
  const meta = ownMember(result, "_meta");
  if (isObject(meta) && Object.hasOwn(meta, META.serverInfo)) {
    const { [META.serverInfo]: _server, ...rest } = meta;
    if (Object.keys(rest).length === 0) delete result["_meta"];
    else result["_meta"] = rest;
  }
  return { ...message, result };
}

/** An outcome whose result is in the terms of the face's era. */
export function completed<Given extends Outcome>(face: Era, server: ServerDescription, upstream: string, method: string, outcome: Given): Given | Completed {
  if (outcome.kind !== "result") return outcome;
  const message = resultFor(face, server, upstream, method, outcome.message);
  return "result" in message ? { kind: "result", message, source: outcome.source } : { kind: "error", message, source: undefined };
}

type Completed = Extract<Outcome, { kind: "result" | "error" }>;

/** A result that says nothing but that it is done. */
export function emptyResult(face: Era, server: ServerDescription, upstream: string, method: string): ResultMessage {
  const message: ResultMessage = { jsonrpc: "2.0", id: 0, result: {} };
  return face === "handshake" ? message : { ...message, result: completeResult(method, {}, serverInfoOf(server, upstream), NO_CACHE) };
}

/** The same result, for its reader alone to keep (2026-07-28, server/utilities/caching). */
export function privately(message: ResultMessage): ResultMessage {
  return ownMember(message.result, "cacheScope") === "public" ? { ...message, result: { ...message.result, cacheScope: "private" } } : message;
}
