import type { JsonObject } from "../base/json.ts";
import type { Phase } from "./gen/interceptors.ts";
import type { McpPayloads } from "./payloads.ts";

/** The events that the SEP names (Hooks). The list is open: any method is an event, and programs may add their own. */
export const EVENTS = [
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "llm/completion",
] as const;

export type KnownEvent = (typeof EVENTS)[number];

/** Payloads whose shape we know. An event that is missing here has any JSON object for a payload. */
export type EventPayloads = McpPayloads;

/**
 * The payload of an event in a phase: `params` of the request, `result` of the response. Distributes over unions; patterns, events of one's
 * own and plain `string` give a JSON object.
 */
export type PayloadOf<Event extends string, P extends Phase> = Event extends keyof EventPayloads ? EventPayloads[Event][P] : JsonObject;

/** What a hook may name: an exact event, `*` (all), or `ns/*` (all under `ns/`). Any other `*` is refused. */
export function isEventPattern(text: unknown): text is string {
  if (typeof text !== "string" || text === "") return false;
  if (text === "*") return true;
  const exact = text.endsWith("/*") ? text.slice(0, -2) : text;
  return exact !== "" && !exact.includes("*");
}

/**
 * The events of a hook as a server lists them: as declared, without doubles, and each `ns/*` followed by the SEP's events under it, since
 * other implementations compare names literally.
 */
export function listedEvents(events: readonly string[]): string[] {
  const listed = new Set<string>();
  for (const event of events) {
    listed.add(event);
    if (event.endsWith("/*")) for (const known of EVENTS) if (known.startsWith(event.slice(0, -1))) listed.add(known);
  }
  return [...listed];
}
