import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Era } from "../core/mcp/lifecycle.ts";
import type { ServerCapabilities } from "../core/wire/gen/mcp.ts";
import { METHODS } from "../core/wire/methods.ts";

// What a peer can do travels as it is, members that nobody here knows included: features are opaque. Only what an era does not have stays behind.

/** Tasks of revision 2025-11-25 are a matter of one session; in 2026-07-28 they are an extension with other messages. */
const HANDSHAKE_ONLY: readonly string[] = ["tasks"];

/** What a face announces of its upstream. `shared`: by a connection that others have too, whose tasks would be everybody's. */
export function mirrored(capabilities: ServerCapabilities, upstream: Era, face: Era, shared: boolean): ServerCapabilities {
  return upstream === face && !(shared && upstream === "handshake") ? capabilities : without(capabilities, HANDSHAKE_ONLY);
}

/** What an upstream is told of a caller. */
export function clientCapabilitiesFor(capabilities: JsonObject, face: Era, upstream: Era): JsonObject {
  return upstream === face ? capabilities : without(capabilities, HANDSHAKE_ONLY);
}

function without(object: JsonObject, members: readonly string[]): JsonObject {
  if (!members.some((member) => Object.hasOwn(object, member))) return object;
  return Object.fromEntries(Object.entries(object).filter(([member]) => !members.includes(member)));
}

const NEEDS: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["tools/call", "tools"],
  ["prompts/list", "prompts"],
  ["prompts/get", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resources"],
  ["resources/read", "resources"],
  ["resources/subscribe", "resources"],
  ["resources/unsubscribe", "resources"],
  ["completion/complete", "completions"],
  ["logging/setLevel", "logging"],
  ["tasks/get", "tasks"],
  ["tasks/result", "tasks"],
  ["tasks/list", "tasks"],
  ["tasks/cancel", "tasks"],
]);

/** Whether an upstream that announces these has an answer for the method; of methods that no capability names it alone can say. */
export function serves(capabilities: ServerCapabilities, method: string): boolean {
  const needed = NEEDS.get(method);
  if (needed === undefined) return true;
  const announced = ownMember(capabilities, needed);
  // Revisions before 2025-03-26 have no `completions`.
  if (announced === undefined) return needed === "completions" && ownMember(capabilities, "prompts") !== undefined;
  return method !== "resources/subscribe" || announces(capabilities, "resources", "subscribe");
}

/** Whether a server that announces these may ask in the middle of calls that a stateless client can make. What an extension does nobody knows. */
export function mayAskInCalls(capabilities: ServerCapabilities): boolean {
  if ([capabilities.extensions, capabilities.experimental].some((more) => more !== undefined && Object.keys(more).length > 0)) return true;
  return [...NEEDS.keys()].some((method) => {
    const known = METHODS.get(method);
    return known?.kind === "request" && known.asksForInput !== undefined && serves(capabilities, method);
  });
}

export function announces(capabilities: ServerCapabilities, feature: "tools" | "prompts" | "resources", flag: "listChanged" | "subscribe"): boolean {
  const settings = capabilities[feature];
  return isObject(settings) && settings[flag] === true;
}

/** What a client must have announced to be asked. */
const ASKING: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "elicitation"],
  ["sampling/createMessage", "sampling"],
  ["roots/list", "roots"],
]);

/** Whether a client that announces these can be asked so; of methods that no capability names it alone can say. */
export function canBeAsked(capabilities: JsonObject, method: string): boolean {
  const needed = ASKING.get(method);
  return needed === undefined || ownMember(capabilities, needed) !== undefined;
}

/** Whether a server may have questions for such a client at all. */
export function mayBeAsked(capabilities: JsonObject): boolean {
  return [...ASKING.values()].some((needed) => ownMember(capabilities, needed) !== undefined);
}
