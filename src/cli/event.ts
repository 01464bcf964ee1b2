import { didYouMean } from "../core/base/nearest.ts";
import { isEvent } from "../core/wire/patterns.ts";
import { KNOWN_EVENTS, nearMethod } from "../gateway/config/near-methods.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";

/** An event that an option or a member of a message names. Any method is one; a name that is close to one of MCP's is warned of, as it may be meant as it is. */
export function eventNamed(text: unknown, where: string): string {
  if (text === undefined || text === "") throw new UsageError(`${where} is missing`, `${where} tools/call`);
  if (!isEvent(text)) throw new UsageError(`${where} must be a method, such as tools/call, not ${JSON.stringify(text)}`, typeof text === "string" ? didYouMean(text, KNOWN_EVENTS, `${where} tools/call`) : `${where} tools/call`);
  const wrong = nearMethod(text);
  if (wrong !== undefined) process.stderr.write(`mcp-interceptors: warning: ${where} ${printable(text)} ${wrong}\n`);
  return text;
}
