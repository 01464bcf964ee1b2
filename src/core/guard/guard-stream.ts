import { LocalError } from "../base/errors.ts";
import { cloneJson, isObject, ownMember, type JsonObject } from "../base/json.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { blocksOf, textOf } from "../wire/completion.ts";
import type { LlmCompletionResponse } from "../wire/gen/completion.ts";
import { METHODS } from "../wire/methods.ts";
import { OWN_META } from "../wire/meta.ts";
import { createFunctionGuard, FunctionExchange, over, type FunctionGuard } from "./function-exchange.ts";
import {
  checkFunctionOptions,
  COMPLETION_CHECKS,
  FUNCTION_OPTIONS,
  payloadCheck,
  type FunctionCall,
  type FunctionChain,
  type FunctionGuardOptions,
  type GuardedCallOptions,
  type PayloadCheck,
} from "./function-options.ts";
import { judgeArgument } from "./guard-function.ts";
import { createStreamText, type StreamText, type WindowSize } from "./stream-text.ts";

/** How a function that yields text is guarded: in which windows, and else like {@link FunctionGuardOptions}. */
export interface StreamGuardOptions extends Omit<FunctionGuardOptions, "event" | "check">, Partial<WindowSize> {
  /** `llm/completion` unless said otherwise; responses are common completions in any case. */
  readonly event?: string;
  readonly check?: { readonly request?: PayloadCheck };
}

const OPTIONS: OptionTable<StreamGuardOptions> = { ...FUNCTION_OPTIONS, windowChars: "any", overlapChars: "any" };

/** Text as it comes. The iterator may return the rest of the response at its end: all but the text. */
export type TextDeltas = AsyncIterable<string, Partial<LlmCompletionResponse> | undefined | void>;

/** A guarded stream; it can be read once. Whoever stops early calls `return`, as `for await` does. */
export interface GuardedStream {
  /** The whole response as it was judged, once the stream has ended; also what the iterator returns. */
  readonly response: LlmCompletionResponse | undefined;
  next(): Promise<IteratorResult<string, LlmCompletionResponse | undefined>>;
  /** Cancels the function, and the chain where it is running: a `next` that waits rejects with `aborted`. */
  return(): Promise<IteratorResult<string, LlmCompletionResponse | undefined>>;
  [Symbol.asyncIterator](): GuardedStream;
}

/**
 * Which part of a stream a payload of the response phase is, from 0; `undefined` for a whole response. `contextChars` of its text are out already.
 * For interceptors of guarded functions and streams, whose results cannot forge it; in a message of MCP its sender can.
 */
export function windowOf(payload: unknown): { readonly index: number; readonly contextChars: number } | undefined {
  const meta = isObject(payload) ? ownMember(payload, "_meta") : undefined;
  const part = isObject(meta) ? ownMember(meta, OWN_META.window) : undefined;
  if (!isObject(part)) return undefined;
  const { index, contextChars } = part;
  return typeof index === "number" && typeof contextChars === "number" ? { index, contextChars } : undefined;
}

/**
 * Guards a function that answers bit by bit, like {@link guardFunction} one that answers at once: its request is judged before it is called, its text
 * in windows, and the whole response before the stream ends. A window is judged when `windowChars` (1,000) are held, as a response of that text
 * alone, which {@link windowOf} knows. Of what passes, the last `overlapChars` (200) are held back and judged again with what follows, and as many of
 * what is out already are shown as context. So nothing is released unjudged, and a pattern of up to `overlapChars` + 1 characters is seen whole
 * before any of it is out. A block ends the stream with a {@link BlockedError}; an error of the function is judged and thrown, and text that is held
 * then is lost.
 *
 * A mutator may change what is not out yet; one that changes more has failed. A change in the last `overlapChars` of a window is put off, and made when
 * the next window shows all that it belongs to; after two windows it goes out as it is. So a mutator is asked about the same text more than once.
 *
 * What a window cannot see: what is longer than the overlap, until the whole is judged, when most of it is out (a block then still keeps back the
 * end, and the response); what words mean that come later; tool calls, which no delta holds and only the whole response has. A window may begin or
 * end in the middle of a word, and a validator may take a half for the whole. Text arrives in jumps of about `windowChars` - `overlapChars`, and
 * waits where the function pauses. The whole text is kept in memory, at most `limits.maxMessageBytes` characters; above, `limit_exceeded`. The
 * function is asked for a delta only when the caller asks for text.
 */
export function guardStream<Argument>(
  fn: (argument: Argument, call: FunctionCall) => TextDeltas | PromiseLike<TextDeltas>,
  chain: FunctionChain,
  options: StreamGuardOptions = {},
): (argument: Argument, call?: GuardedCallOptions) => GuardedStream {
  checkOptions(options, "the options of a guarded stream", OPTIONS);
  const { windowChars = 1000, overlapChars = 200, event = "llm/completion", check, ...rest } = options;
  const wrong = (what: string) => new LocalError("invalid_argument", what);
  if (!Number.isSafeInteger(windowChars) || windowChars < 1) throw wrong("windowChars must be a whole number from 1");
  if (!Number.isSafeInteger(overlapChars) || overlapChars < 0 || overlapChars >= windowChars) {
    throw wrong("overlapChars must be a whole number from 0, below windowChars");
  }
  if (check !== undefined) checkOptions(check, "check", { request: "a function" });
  if (METHODS.has(event)) throw wrong(`${event} is a method of MCP, whose results are no completions`);
  const request = check === undefined ? payloadCheck({ event }, "request") : check.request;
  const settings = { ...rest, event, check: { response: COMPLETION_CHECKS.response, ...(request === undefined ? {} : { request }) } };
  checkFunctionOptions(fn, settings);
  const guard = createFunctionGuard(chain, settings);
  // The types of the argument hold as far as the check of the request goes, see `guardFunction`.
  const open = (argument: unknown, given: FunctionCall) => fn(argument as Argument, given);
  return (argument, call = {}) => guardedStream(guard, open, { windowChars, overlapChars }, takeArgument(guard, argument), call);
}

// Read at the call, like an argument; what is wrong with it is said where the stream is read.
function takeArgument({ limits }: FunctionGuard, argument: unknown): () => unknown {
  try {
    const copy = argument === undefined ? undefined : cloneJson(argument, limits.maxDepth, limits.maxMessageBytes);
    return () => copy;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}

type Open = (argument: unknown, given: FunctionCall) => TextDeltas | PromiseLike<TextDeltas>;

function guardedStream(guard: FunctionGuard, open: Open, size: WindowSize, argument: () => unknown, call: GuardedCallOptions): GuardedStream {
  let exchange: FunctionExchange | undefined;
  let response: LlmCompletionResponse | undefined;

  async function* judged(): AsyncGenerator<string, LlmCompletionResponse | undefined, undefined> {
    const current = (exchange = new FunctionExchange(guard, call));
    const { given, own } = current.open();
    let source: AsyncIterator<unknown, unknown> | undefined;
    try {
      const request = await judgeArgument(current, argument());
      const text = createStreamText(size, current.limits.maxMessageBytes);
      const read = <T>(start: () => T | PromiseLike<T>) => readSource(current, () => current.within(start, own));
      source = (await read(() => open(request, given)))[Symbol.asyncIterator]();
      const reader = source;
      for (let index = 0; ; ) {
        const step = await read(() => reader.next());
        if (step.done === true) {
          source = undefined;
          const whole = await judgeWhole(current, text, step.value);
          const out = text.finish(textOf(whole.message.content));
          if (out !== "") yield out;
          return (response = whole);
        }
        if (typeof step.value !== "string") throw new LocalError("invalid_message", `a delta of ${guard.options.event} must be a string`);
        text.push(step.value);
        if (!text.due) continue;
        const out = await judgeWindow(current, text, index++);
        if (out !== "") yield out;
      }
    } finally {
      own.abort(over());
      current.end();
      if (source !== undefined) leave(source);
    }
  }

  const inner = judged();
  const stream: GuardedStream = {
    get response() {
      return response;
    },
    next: () => inner.next(),
    return() {
      // First, so that a `next` that waits does not keep it waiting.
      exchange?.end(new LocalError("aborted", "the reader of the stream has left"));
      return inner.return(undefined);
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

// What the function throws is judged as an error response; the caller's own abort is not its doing.
async function readSource<T>(exchange: FunctionExchange, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (exchange.signal.aborted) throw thrown;
    throw (await exchange.judgeError(thrown)).thrown;
  }
}

async function judgeWindow(exchange: FunctionExchange, text: StreamText, index: number): Promise<string> {
  const part = text.part();
  const meta: JsonObject = { [OWN_META.window]: { index, contextChars: part.context.length } };
  const payload = { message: { role: "assistant", content: [{ type: "text", text: part.text }] }, _meta: meta };
  const judged = await exchange.judge("response", payload, {
    accept(after) {
      const { content } = (after as LlmCompletionResponse).message;
      if (blocksOf(content).some(({ type }) => type !== "text")) throw new LocalError("malformed_result", "a part of a stream holds text alone");
      mustBeginWith(textOf(content), part.context);
    },
  });
  return text.release(part, textOf((judged as LlmCompletionResponse).message.content));
}

async function judgeWhole(exchange: FunctionExchange, text: StreamText, returned: unknown): Promise<LlmCompletionResponse> {
  const rest = isObject(returned) ? exchange.copyResult(returned) : {};
  const message = isObject(rest["message"]) ? rest["message"] : {};
  const given = Array.isArray(message["content"]) ? message["content"].filter((block) => !isObject(block) || block["type"] !== "text") : [];
  const whole = text.whole();
  const content = whole === "" ? given : [{ type: "text", text: whole }, ...given];
  const payload = { ...rest, message: { ...message, role: "assistant", content } };
  const wrong = exchange.problem("response", payload);
  if (wrong !== undefined) throw new LocalError("invalid_message", `the stream returned a wrong rest: ${wrong}`);
  // Checked before the chain, and after each mutator.
  return (await exchange.judge("response", payload, {
    accept: (after) => mustBeginWith(textOf((after as LlmCompletionResponse).message.content), text.released),
  })) as LlmCompletionResponse;
}

function mustBeginWith(text: string, released: string): void {
  if (!text.startsWith(released)) throw new LocalError("malformed_result", "what has been released cannot be changed any more");
}

// Nobody waits for it, and nobody is left to tell: the function may hang in its own end.
function leave(source: AsyncIterator<unknown, unknown>): void {
  new Promise((settle) => settle(source.return?.())).catch(() => {});
}
