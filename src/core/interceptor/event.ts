import type { Hook } from "../wire/gen/interceptors.ts";

/** The events that SEP-2624 names (Hooks). Any other name may be hooked as well. */
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

// Requests that only a client sends. Without a direction a chain takes them from the server's side (semantics, section 4).
const SERVER_FEATURES: ReadonlySet<string> = new Set([
  ...EVENTS.slice(0, 7),
  "completion/complete",
  "logging/setLevel",
  "resources/templates/list",
  "resources/unsubscribe",
  "subscriptions/listen",
]);

const MCP_EVENTS: ReadonlySet<string> = new Set([...SERVER_FEATURES, "sampling/createMessage", "elicitation/create", "roots/list"]);

/** An event has a name, and no `*` in it. */
export function isEvent(text: unknown): text is string {
  return typeof text === "string" && text !== "" && !text.includes("*");
}

/** An exact name, `*` (all events), or `ns/*` (all events under `ns/`). */
export function isPattern(text: unknown): text is string {
  return text === "*" || isEvent(namespaceOf(text) ?? text);
}

/** Exact code points: no case folding, no normalisation. */
export function matchesPattern(pattern: string, event: string): boolean {
  if (pattern === event || pattern === "*") return true;
  const namespace = namespaceOf(pattern);
  return namespace !== undefined && event.length > namespace.length + 1 && event.startsWith(`${namespace}/`);
}

/** Whether all that `inner` matches is matched by `outer` too: a pattern covers itself and what lies under it. */
export function coversPattern(outer: string, inner: string): boolean {
  return outer === inner || matchesPattern(outer, namespaceOf(inner) === undefined ? inner : inner.slice(0, -1));
}

/** What a server lists: each `ns/*` is followed by the SEP's events under it, since other SDKs compare literally. */
export function expandForWire(events: readonly string[]): string[] {
  const listed = new Set<string>();
  for (const event of events) {
    listed.add(event);
    if (namespaceOf(event) === undefined) continue;
    for (const known of EVENTS) if (matchesPattern(event, known)) listed.add(known);
  }
  return [...listed];
}

/** Whether one of the hooks names this event in this phase. */
export function hooksMatch(hooks: readonly Hook[], event: string, phase: string): boolean {
  // Asked for each invocation: loops take a third of what closures do.
  for (const hook of hooks) {
    if (hook.phase !== phase) continue;
    for (const pattern of hook.events) if (matchesPattern(pattern, event)) return true;
  }
  return false;
}

/** Sampling, elicitation, roots, `llm/completion` and custom events go both ways: a chain must be told which. */
export function needsDirection(event: string): boolean {
  return !SERVER_FEATURES.has(event);
}

/** Events whose payload MCP defines, and defines as an object. */
export function isMcpEvent(event: string): boolean {
  return MCP_EVENTS.has(event);
}

// `ns` of `ns/*`, else undefined.
function namespaceOf(pattern: unknown): string | undefined {
  return typeof pattern === "string" && pattern.endsWith("/*") ? pattern.slice(0, -2) : undefined;
}
