import { utf8Encode } from "../../src/core/base/bytes.ts";
import { LocalError } from "../../src/core/base/errors.ts";
import { createQueue, type Queue } from "../../src/core/base/queue.ts";
import type { HeaderMap, HttpAnswer, HttpCall, HttpSend } from "../../src/core/http/exchange.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { settle } from "./fake-host.ts";

/** A request that a client has made, and how the test answers it. Each is answered once. */
export interface ScriptedCall {
  readonly method: HttpCall["method"];
  readonly url: string;
  readonly headers: HeaderMap;
  /** The JSON of its body; `{}` without one. */
  readonly body: JsonObject;
  readonly text: string | undefined;
  /** Whether the client has given it up, before its answer or in the middle of it. */
  readonly aborted: boolean;
  json(body: unknown, options?: AnswerOptions): void;
  /** Any answer, whole. */
  respond(status: number, options?: AnswerOptions & { readonly text?: string }): void;
  /** An event stream, written by hand. */
  stream(options?: AnswerOptions): ScriptedStream;
  fail(delivery: "none" | "unknown"): void;
}

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
}

export interface ScriptedStream {
  write(text: string): void;
  /** One message as an event. */
  message(message: unknown, id?: string): void;
  end(): void;
  /** The connection breaks. */
  cut(): void;
  readonly cancelled: boolean;
}

export interface ScriptedHttp {
  readonly send: HttpSend;
  /** Every request so far. */
  readonly calls: ScriptedCall[];
  /** The next request that the test has not taken, once the client has had its turn. Fails where there is none. */
  next(): Promise<ScriptedCall>;
  /** Requests that the test has not taken. */
  waiting(): Promise<number>;
}

/** An `HttpSend` whose server is the test. */
export function scriptedHttp(): ScriptedHttp {
  const calls: ScriptedCall[] = [];
  let taken = 0;
  return {
    calls,
    send: (call) =>
      new Promise((resolve, reject) => {
        calls.push(scriptCall(call, resolve, reject));
        call.signal.onAbort((reason) => reject(new LocalError("aborted", "the request was given up", { cause: reason })));
      }),
    async next() {
      await settle();
      const call = calls[taken++];
      if (call === undefined) throw new LocalError("not_found", "the client has sent no request");
      return call;
    },
    async waiting() {
      await settle();
      return calls.length - taken;
    },
  };
}

function scriptCall(call: HttpCall, resolve: (answer: HttpAnswer) => void, reject: (error: LocalError) => void): ScriptedCall {
  const headers = new Map<string, string>();
  for (const [name, value] of call.headers) {
    if (headers.has(name) || name !== name.toLowerCase()) throw new LocalError("invalid_argument", `the header ${name} is there twice, or not in lower case`);
    headers.set(name, value);
  }
  const answer = (status: number, chunks: Queue<Uint8Array | "cut">, { headers: more = {}, type }: AnswerOptions = {}) => {
    const state = { cancelled: false };
    const cut = (code: "closed" | "aborted") => new LocalError(code, "the connection was cut");
    call.signal.onAbort(() => {
      state.cancelled = true;
      chunks.push("cut");
    });
    const all = { ...(type === undefined ? {} : { "content-type": type }), ...more };
    resolve({
      status,
      headers: new Map(Object.entries(all)),
      body: {
        async next() {
          if (state.cancelled) throw cut("aborted");
          const chunk = await chunks.pull();
          if (chunk === "cut" || state.cancelled) throw cut(state.cancelled ? "aborted" : "closed");
          return chunk;
        },
        cancel() {
          state.cancelled = true;
          chunks.close();
        },
      },
    });
    return state;
  };
  const whole = (status: number, text: string, options: AnswerOptions) => {
    const chunks = createQueue<Uint8Array | "cut">();
    if (text !== "") chunks.push(utf8Encode(text));
    chunks.close();
    answer(status, chunks, options);
  };
  return {
    method: call.method,
    url: call.url,
    headers,
    text: call.body,
    body: call.body === undefined ? {} : (JSON.parse(call.body) as JsonObject),
    get aborted() {
      return call.signal.aborted;
    },
    json: (body, options = {}) => whole(options.status ?? 200, typeof body === "string" ? body : JSON.stringify(body), { type: "application/json", ...options }),
    respond: (status, options = {}) => whole(status, options.text ?? "", options),
    stream(options = {}) {
      const chunks = createQueue<Uint8Array | "cut">();
      const state = answer(options.status ?? 200, chunks, { type: "text/event-stream", ...options });
      const write = (text: string) => void chunks.push(utf8Encode(text));
      return {
        write,
        message: (message, id) => write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`),
        end: () => chunks.close(),
        cut: () => void chunks.push("cut"),
        get cancelled() {
          return state.cancelled;
        },
      };
    },
    fail: (delivery) => reject(new LocalError("closed", delivery === "none" ? "connection refused" : "connection reset", { details: { delivery } })),
  };
}
