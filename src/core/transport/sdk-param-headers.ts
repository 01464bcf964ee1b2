import { equalJson, isObject, type JsonObject } from "../base/json.ts";
import { encodeHeaderValue } from "../wire/header-value.ts";
import type { Message } from "../wire/message.ts";
import type { SdkSendOptions } from "./sdk-shape.ts";

const PREFIX = "mcp-param-";

/**
 * The headers that mirror arguments of a tool call (2026-07-28, Custom Headers from Tool Parameters), for the message that goes out: their SDK has
 * written them for the one that it gave. A header follows the arguments that had its value. Where those are gone, or have become
 * different things, it is left out: no value may leave that was taken out of the message, and a server refuses what lacks a header.
 */
export function withParamHeaders(options: SdkSendOptions, given: Message | undefined, sent: Message): SdkSendOptions {
  const { headers } = options;
  const before = argumentsOf(given);
  const after = argumentsOf(sent);
  if (headers === undefined || before === undefined || equalJson(before, after)) return options;
  const written: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const now = name.toLowerCase().startsWith(PREFIX) ? following(value, before, after) : value;
    if (now !== undefined) written[name] = now;
  }
  return { ...options, headers: written };
}

function argumentsOf(message: Message | undefined): unknown {
  if (message === undefined || !("method" in message) || message.method !== "tools/call") return undefined;
  return message.params?.["arguments"];
}

function following(value: string, before: unknown, after: unknown): string | undefined {
  const became = new Set<string | undefined>();
  const look = (was: unknown, is: unknown): void => {
    // Headers mirror what objects lead to, never the items of a list.
    if (isObject(was)) {
      const now: JsonObject = isObject(is) ? is : {};
      for (const name of Object.keys(was)) look(was[name], Object.hasOwn(now, name) ? now[name] : undefined);
    } else if (mirrored(was) === value) {
      became.add(mirrored(is));
    }
  };
  look(before, after);
  return became.size === 1 ? [...became][0] : undefined;
}

function mirrored(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? encodeHeaderValue(String(value)) : undefined;
}
