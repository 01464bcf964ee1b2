import { EVENTS } from "./events.ts";
import type { Hook, Phase } from "./gen/interceptors.ts";

// What a hook may name: an exact event, `*` (all events), or `ns/*` (all events under `ns/`). Names compare by exact code points: no case
// folding, no normalisation.

/** An event has a name, and no `*` in it. */
export function isEvent(text: unknown): text is string {
  return typeof text === "string" && text !== "" && !text.includes("*");
}

/** What a hook may name. Any other `*` is refused. */
export function isPattern(text: unknown): text is string {
  return text === "*" || isEvent(namespaceOf(text) ?? text);
}

export function matchesPattern(pattern: string, event: string): boolean {
  if (pattern === event || pattern === "*") return true;
  const namespace = namespaceOf(pattern);
  return namespace !== undefined && event.length > namespace.length + 1 && event.startsWith(`${namespace}/`);
}

/** Whether all that `inner` matches is matched by `outer` too: a pattern covers itself and what lies under it. */
export function coversPattern(outer: string, inner: string): boolean {
  return outer === inner || matchesPattern(outer, namespaceOf(inner) === undefined ? inner : inner.slice(0, -1));
}

/** Whether one of the hooks names this event in this phase. */
export function hooksMatch(hooks: readonly Hook[], event: string, phase: Phase): boolean {
  // Asked for each invocation: loops take a third of what closures do.
  for (const hook of hooks) {
    if (hook.phase !== phase) continue;
    for (const pattern of hook.events) if (matchesPattern(pattern, event)) return true;
  }
  return false;
}

/**
 * The events of a hook as a server lists them: as declared, without doubles, and each `ns/*` followed by the SEP's events under it, since
 * other implementations compare names literally.
 */
export function listedEvents(events: readonly string[]): string[] {
  const listed = new Set<string>();
  for (const event of events) {
    listed.add(event);
    if (namespaceOf(event) === undefined) continue;
    for (const known of EVENTS) if (matchesPattern(event, known)) listed.add(known);
  }
  return [...listed];
}

// `ns` of `ns/*`, else undefined.
function namespaceOf(pattern: unknown): string | undefined {
  return typeof pattern === "string" && pattern.endsWith("/*") ? pattern.slice(0, -2) : undefined;
}
