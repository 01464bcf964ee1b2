import { nearest } from "../base/nearest.ts";
import { EVENTS, MCP_REQUESTS } from "./events.ts";

const REQUESTS: ReadonlySet<string> = new Set([...MCP_REQUESTS, ...EVENTS]);

/**
 * The method, or the pattern of some, that a hook may have been meant for: it is close to one that is known without being it. It may be meant as it is, since
 * any text is an event, so this is for warnings.
 */
export function nearEvent(text: string, known: ReadonlySet<string> = REQUESTS): string | undefined {
  const names = text.endsWith("*") ? new Set(["*", ...[...known].filter((event) => event.includes("/")).map((event) => `${event.slice(0, event.lastIndexOf("/"))}/*`)]) : known;
  return names.has(text) ? undefined : nearest(text, names);
}
