// What stderr gets to read. Without --verbose that is names, codes and sizes: an error's text and a broken line may quote a payload.
import { describeError } from "../core/base/errors.ts";
import { printable } from "../core/base/printable.ts";
import type { ChainLog } from "../core/chain/report.ts";
import { withoutPlace, type Noise } from "../core/transport/line-transport.ts";
import { describeLine } from "../gateway/noise-log.ts";
import { type MissingKey, missingKey } from "../library/state.ts";

export { printable };

const QUOTE_CHARS = 200;
const TEXT_CHARS = 2000;
const MAX_NAMES = 20;

/** A number of things: `1 tool`, `2 tools`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}

/** Interceptors and their types, the first 20 of them. */
export function describeInterceptors(entries: readonly { readonly name: string; readonly descriptor: { readonly type: string } }[]): string {
  if (entries.length === 0) return "no interceptors";
  const named = entries.slice(0, MAX_NAMES).map(({ name, descriptor }) => `${printable(name)} (${descriptor.type})`);
  return `${named.join(", ")}${entries.length > MAX_NAMES ? ` and ${entries.length - MAX_NAMES} more` : ""}`;
}

/** Why an interceptor fails that would not know whose a message is. */
export function remembersBy(lacks: MissingKey): string {
  return `it remembers by ${lacks}, which the context of this message does not have`;
}

/** A failure by interceptor, event, phase and reason; what the chain says of itself as it is. */
export function describeChainLog({ address, event, phase, reason, message }: ChainLog, verbose: boolean): string {
  const where = address === undefined ? "" : `${printable(address)}${event === undefined ? "" : ` at the ${phase ?? ""} of ${printable(event)}`}`;
  const lacks = missingKey(message);
  if (lacks !== undefined) return `${where} failed: ${remembersBy(lacks)}`;
  if (reason !== undefined && !verbose) return `${where} failed: ${reason}`;
  return `${where}${where === "" ? "" : ": "}${printable(message, TEXT_CHARS)}`;
}

/** A line that was no message: a stray banner, or the rest of a message that was broken in two. */
export function describeNoise(who: string, noise: Noise, verbose: boolean): string {
  if (verbose) return `${who} ${describeLine(noise, TEXT_CHARS)}: "${printable(noise.text, QUOTE_CHARS)}"`;
  return `${who} ${describeLine({ ...noise, why: withoutPlace(noise.why) })}`;
}

/** An error that nobody caught: where it comes from, which is code and no payload; its text with `verbose` alone. */
export function describeCrash(thrown: unknown, verbose: boolean): string {
  const stack = thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : undefined;
  if (verbose || stack === undefined) return verbose ? (stack ?? describeError(thrown)) : `a thrown ${typeof thrown}`;
  const text = describeError(thrown);
  const start = stack.indexOf(text);
  const frames = start === -1 ? [] : stack.slice(start + text.length).split("\n").filter((line) => /^ +at /.test(line));
  return ["an error", ...frames.map((frame) => printable(frame, QUOTE_CHARS))].join("\n");
}
