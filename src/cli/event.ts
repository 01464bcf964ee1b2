import { didYouMean } from "../core/base/nearest.ts";
import { EVENTS } from "../core/wire/events.ts";
import { METHODS } from "../core/wire/methods.ts";
import { isEvent } from "../core/wire/patterns.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";

const KNOWN: readonly string[] = [...new Set([...METHODS.keys(), ...EVENTS])];

/** An event that an option or a member of a message names. Any method is one; a name that is close to one of MCP's is warned of, as it may be meant as it is. */
export function eventNamed(text: unknown, where: string): string {
  if (text === undefined || text === "") throw new UsageError(`${where} is missing`, `${where} tools/call`);
  if (!isEvent(text)) throw new UsageError(`${where} must be a method, such as tools/call, not ${JSON.stringify(text)}`, typeof text === "string" ? didYouMean(text, KNOWN, `${where} tools/call`) : `${where} tools/call`);
  const hint = KNOWN.includes(text) ? undefined : didYouMean(text, KNOWN, undefined);
  if (hint !== undefined) process.stderr.write(`mcp-interceptors: warning: ${where} ${printable(text)} is no method of MCP; ${hint}\n`);
  return text;
}
