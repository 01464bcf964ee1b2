import { LocalError } from "../../base/errors.ts";
import { isObject, ownMember } from "../../base/json.ts";
import type { ServerCapabilities } from "../../wire/gen/mcp.ts";

/** What a server must have announced before it is asked, by method: a capability, or a setting inside one. */
const NEEDED: ReadonlyMap<string, readonly [capability: string, setting?: string]> = new Map([
  ["tools/list", ["tools"]],
  ["tools/call", ["tools"]],
  ["prompts/list", ["prompts"]],
  ["prompts/get", ["prompts"]],
  ["resources/list", ["resources"]],
  ["resources/templates/list", ["resources"]],
  ["resources/read", ["resources"]],
  ["resources/subscribe", ["resources", "subscribe"]],
  ["resources/unsubscribe", ["resources", "subscribe"]],
  ["completion/complete", ["completions"]],
  ["logging/setLevel", ["logging"]],
]);

/** Throws `unsupported`, with the name of what is missing, where the server has not announced what a method needs. */
export function requireCapability(method: string, version: string, capabilities: ServerCapabilities): void {
  const needed = NEEDED.get(method);
  if (needed === undefined) return;
  const [capability, setting] = needed;
  // Revision 2024-11-05 has completion, and no capability to announce it by.
  if (capability === "completions" && version === "2024-11-05") return;
  const announced = ownMember(capabilities, capability);
  const full = setting === undefined || (isObject(announced) && announced[setting] === true);
  if (announced !== undefined && full) return;
  const missing = announced === undefined ? capability : `${capability}.${setting}`;
  throw new LocalError("unsupported", `${method} cannot be asked: the server has not announced the capability ${missing}`, {
    details: { method, capability: missing, delivery: "none" },
  });
}
