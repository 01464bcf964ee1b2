import { isObject } from "../core/base/json.ts";
import { sourceAt } from "../core/base/json-spans.ts";
import { spliceText } from "../core/base/splice.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { Message } from "../core/wire/message.ts";

/** Source texts of values, by the value itself. */
export type RawTexts = Map<unknown, string>;

/** A message made from a frame by changing some of it: what did not change keeps its lexemes. */
export function edited(message: Message, source: Frame | undefined): Frame {
  return source?.text === undefined ? { message } : { message, text: spliceText(source.text, source.message, message) };
}

/** Remembers the text of a value, an object, that stands at a pointer of a frame. */
export function keepRaw(raws: RawTexts, value: unknown, source: Frame | undefined, pointer: string): void {
  if (source?.text === undefined || !isObject(value)) return;
  const span = sourceAt(source.text, pointer);
  if (span !== undefined) raws.set(value, source.text.slice(span.start, span.end));
}

/** A message put together from parts of others: each part whose text is known goes out as that text. */
export function composed(message: Message, raws: RawTexts): Frame {
  return raws.size === 0 ? { message } : { message, text: write(message, raws) };
}

// The parts are whole values of bounded depth; around them are a few levels of ours.
function write(value: unknown, raws: RawTexts): string {
  const raw = raws.get(value);
  if (raw !== undefined) return raw;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${members.map((name) => `${JSON.stringify(name)}:${write(value[name], raws)}`).join(",")}}`;
}
