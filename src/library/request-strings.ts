import { isObject, ownMember } from "../core/base/json.ts";
import { type AlsoLook, firstOf, type FoundString } from "./strings.ts";

/** Requests by which a client hands a server values of a caller's: arguments, and URIs of resources. */
export const REQUESTS_WITH_ARGUMENTS = ["tools/call", "prompts/get", "completion/complete", "resources/read", "resources/subscribe", "resources/unsubscribe"] as const;

/** The first answer that is not undefined, of `judge` for each such value, and for what `also` says, in the params of one of these requests. */
export function firstInRequest<T>(event: string, params: unknown, judge: (found: FoundString) => T | undefined, also: AlsoLook = {}): T | undefined {
  if (!isObject(params)) return undefined;
  if (event.startsWith("resources/")) return firstOf(ownMember(params, "uri"), ["uri"], judge);
  if (event !== "completion/complete") return firstOf(ownMember(params, "arguments"), ["arguments"], judge, also);
  const argument = ownMember(params, "argument");
  const context = ownMember(params, "context");
  const name = isObject(argument) ? ownMember(argument, "name") : undefined;
  const member = typeof name === "string" ? name : undefined;
  return (
    firstOf(isObject(argument) ? ownMember(argument, "value") : undefined, ["argument", "value"], (found) => judge({ ...found, member }), also) ??
    firstOf(isObject(context) ? ownMember(context, "arguments") : undefined, ["context", "arguments"], judge, also)
  );
}
