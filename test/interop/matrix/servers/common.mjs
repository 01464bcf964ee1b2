// What the three servers have in common.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const starting = (words) => (value) => words.filter((word) => word.toLowerCase().startsWith(value.toLowerCase()));
export const completeName = starting(["Ada", "Alan", "Grace"]);
export const completeTopic = starting(["birds", "bees", "trees"]);

export const LEVELS = ["debug", "info", "warning", "error"];
export const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
export const prompted = (prompt) => ({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 50 });
export const named = (roots) => roots.map(({ uri, name }) => `${name}=${uri}`).join();
export const text = (value) => ({ content: [{ type: "text", text: value }] });
export const message = (value) => ({ messages: [{ role: "user", content: { type: "text", text: value } }] });
export const GREET = [{ name: "name", required: true }, { name: "mood", required: false }];

/** A page of two, for SDKs that give every list on one page. */
export function page(items, cursor) {
  const from = Number(cursor ?? 0);
  return { items: items.slice(from, from + 2), next: from + 2 < items.length ? { nextCursor: String(from + 2) } : {} };
}

/** What a call waits for until another call lets it go on. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
}

/** Whether node was started with this module. */
export const isMain = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
