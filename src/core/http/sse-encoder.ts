/** A comment, which readers pass over: it keeps intermediaries from cutting a silent stream. */
export const COMMENT = ": \n\n";

/** One event (WHATWG HTML, Server-sent events). `data` is one line, and so is `id`. */
export function encodeEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: gives a client an id to come back with, and says how long to wait before that (2025-11-25, basic/transports). */
export function encodePriming(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata:\n\n`;
}

export function encodeRetry(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}

/** The name of an event, unique within its session: which stream it came on, and its place there. */
export function encodeEventId(stream: number, place: number): string {
  return `${stream}-${place}`;
}

/** Reads a Last-Event-ID; `undefined` for one that was never given out. */
export function decodeEventId(text: string): { readonly stream: number; readonly place: number } | undefined {
  const match = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/.exec(text);
  return match === null ? undefined : { stream: Number(match[1]), place: Number(match[2]) };
}
