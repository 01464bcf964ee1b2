import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { isReservedMetaKey } from "../core/wire/meta.ts";
import { isTypedBinary } from "./typed-binary.ts";

/**
 * Which members of an MCP payload hold the protocol's own words, not somebody's text. In the protocol's zone (the payload, content
 * blocks, list entries) the members listed here are left alone, since a changed tool name or cursor breaks the exchange. Below a member
 * of `DATA_MEMBERS` lies data in a shape of its own, where a `name` or `uri` is as private as any other member. `meta` is the object under
 * `_meta`, where the protocol owns some members and everybody else the others.
 */
type Zone = "protocol" | "data" | "meta";

const DATA_MEMBERS: ReadonlySet<string> = new Set([
  "arguments",
  "structuredContent",
  "data",
  "input",
  "metadata",
  "inputSchema",
  "outputSchema",
  "requestedSchema",
]);

const PROTOCOL_MEMBERS: ReadonlySet<string> = new Set([
  "jsonrpc",
  "method",
  "type",
  "mimeType",
  "uri",
  "uriTemplate",
  "cursor",
  "nextCursor",
  "progressToken",
  "requestId",
  "requestState",
  "resultType",
  "taskId",
  "toolUseId",
]);

/** Where an object stands: its zone, and the member that holds it, or the list that it is an entry of; the root has none. */
export interface Place {
  readonly zone: Zone;
  readonly holder: string | undefined;
}

export interface Exchange {
  readonly event: string;
  readonly phase: Phase;
}

/** The zone of a member's value, or nothing if the value is to be left as it is. */
export function zoneOf(member: string, object: JsonObject, place: Place, exchange: Exchange): Zone | undefined {
  if (place.zone === "meta") return isReservedMetaKey(member) ? undefined : "data";
  if (place.zone === "data") return "data";
  if (member === "_meta") return "meta";
  const isScalar = typeof object[member] !== "object";
  if (isScalar && (PROTOCOL_MEMBERS.has(member) || isTypedBinary(member, object) || isCallName(member, object, place, exchange))) return undefined;
  return DATA_MEMBERS.has(member) || isFormAnswer(member, object, exchange) ? "data" : "protocol";
}

/** A name that one side calls the other's tool, prompt or model by. Names of resources and roots are for people. */
function isCallName(member: string, object: JsonObject, { holder }: Place, { event, phase }: Exchange): boolean {
  if (member === "model") return holder === undefined && (event === "llm/completion" || event === "sampling/createMessage");
  if (member === "id") return object["type"] === "tool_use";
  if (member !== "name") return false;
  if (holder === undefined) return phase === "request" && (event === "tools/call" || event === "prompts/get");
  return holder === "tools" || holder === "prompts" || holder === "ref" || object["type"] === "tool_use";
}

/** What a person filled in; elsewhere `content` is blocks. */
function isFormAnswer(member: string, object: JsonObject, { event, phase }: Exchange): boolean {
  return member === "content" && event === "elicitation/create" && phase === "response" && isObject(object["content"]);
}
