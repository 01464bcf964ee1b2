import { describeError, LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { createRandomHex } from "../core/base/random-hex.ts";
import { createSignal } from "../core/base/signal.ts";
import type { GuardEvent } from "../core/guard/events.ts";
import type { HeaderList, HttpSend } from "../core/http/exchange.ts";
import { pause } from "../core/http/pause.ts";
import { attributes, createSpanMaker, type Span } from "./otlp-spans.ts";
import { readAnswer } from "./small-http.ts";

/** Where traces are sent, and how many wait. */
export interface OtlpOptions {
  /** Where traces go, such as `http://127.0.0.1:4318/v1/traces`: OTLP over HTTP, as JSON. */
  readonly url: string;
  /** Such as a key of the collector's. */
  readonly headers?: HeaderList;
  readonly send: HttpSend;
  /** `service.name`. Default `mcp-interceptors`. */
  readonly serviceName?: string;
  /** More attributes of the resource. */
  readonly resource?: Readonly<Record<string, string>>;
  /** Spans that wait to be sent, those under way included. Above: dropped and counted. Default 10,000. */
  readonly maxQueued?: number;
  /** Spans of one request. Default 500. */
  readonly batch?: number;
  /** How long a span waits for others to go with it. Default 1,000 ms. */
  readonly flushMs?: number;
  /** How long one request may take. Default 10,000 ms. */
  readonly timeoutMs?: number;
  /** How often a batch is sent that did not arrive. Above: dropped and counted. Default 5. */
  readonly attempts?: number;
  readonly host?: Host;
  /** Told once when spans begin to get lost, and once when they arrive again. */
  log?(message: string): void;
}

const OPTIONS: OptionTable<OtlpOptions> = {
  url: "a string",
  headers: "a list",
  send: "a function",
  serviceName: "a string",
  resource: "an object",
  maxQueued: "a number",
  batch: "a number",
  flushMs: "a number",
  timeoutMs: "a positive number",
  attempts: "a number",
  host: "an object",
  log: "a function",
};

/** Spans since the exporter was made, but for `waiting`, which is those of now. */
export interface OtlpStats {
  readonly sent: number;
  readonly dropped: number;
  readonly waiting: number;
}

/** An exporter of traces, a span for each message and for each interceptor. */
export interface Otlp {
  /** For `GatewayPlan.observe`: never waits, never throws. */
  observe(event: GuardEvent, upstream: string): void;
  stats(): OtlpStats;
  /** Sends what waits, one more try each, within `ms`; then what is left is dropped. Idempotent. */
  close(ms?: number): Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;
// Those after which the specification says to try again.
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends spans of what guards judge to a collector of OpenTelemetry, in batches, one request at a time. Traffic never waits for it. */
export function createOtlp(options: OtlpOptions): Otlp {
  checkOptions(options, "the options of createOtlp", OPTIONS);
  const { url, headers = [], send, serviceName = "mcp-interceptors", resource = {}, maxQueued = 10_000, batch = 500, flushMs = 1_000, timeoutMs = 10_000, attempts = 5 } = options;
  const { host = detectHost(), log } = options;
  for (const [name, value] of Object.entries({ maxQueued, batch, flushMs, timeoutMs, attempts })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new LocalError("invalid_argument", `${name} must be a positive integer`);
  }
  const maker = createSpanMaker(createRandomHex(host));
  const described = { attributes: attributes({ ...resource, "service.name": serviceName }) };
  const stop = createSignal();
  // Ends waits between tries, so that a close need not sit through them.
  const hurry = createSignal();
  let queue: Span[] = [];
  let underWay = 0;
  let sent = 0;
  let dropped = 0;
  let losing = false;
  let closed: Promise<void> | undefined;
  let sending: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;

  const lose = (count: number, why: string) => {
    dropped += count;
    if (count > 0 && !losing) log?.(`spans are being lost: ${why}`);
    if (count > 0) losing = true;
  };
  // Undefined once it has arrived, else why it has not.
  const post = async (body: string): Promise<{ readonly why: string; readonly again: boolean } | undefined> => {
    try {
      const call = { method: "POST", url, headers: [["content-type", "application/json"], ...headers], body, signal: stop.signal } as const;
      const { status } = await readAnswer(host, send, call, { timeoutMs, maxBytes: MAX_ANSWER_BYTES });
      if (status >= 200 && status < 300) return undefined;
      return { why: `the collector answers with status ${status}`, again: RETRYABLE.has(status) };
    } catch (thrown) {
      return { why: describeError(thrown), again: true };
    }
  };
  const deliver = async (spans: readonly Span[]) => {
    const body = JSON.stringify({ resourceSpans: [{ resource: described, scopeSpans: [{ scope: { name: "mcp-interceptors" }, spans }] }] });
    for (let attempt = 1; ; attempt++) {
      const problem = await post(body);
      if (problem === undefined) {
        sent += spans.length;
        if (losing) log?.("spans arrive again");
        losing = false;
        return;
      }
      if (!problem.again || attempt >= attempts || stop.signal.aborted || hurry.signal.aborted) return lose(spans.length, problem.why);
      await pause(host, Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS), hurry.signal, true);
    }
  };
  const drain = async () => {
    while (queue.length > 0 && !stop.signal.aborted) {
      const spans = queue.slice(0, batch);
      queue = queue.slice(batch);
      underWay = spans.length;
      await deliver(spans);
      underWay = 0;
    }
  };
  const flush = () => {
    stopTimer?.();
    stopTimer = undefined;
    sending ??= drain().finally(() => (sending = undefined));
  };
  const close = async (ms: number) => {
    hurry.abort("closing");
    const cancel = host.setTimer(() => stop.abort(new LocalError("aborted", "the time to close is over")), ms);
    flush();
    await sending;
    cancel();
    lose(queue.length, "the gateway ends");
    queue = [];
  };

  return {
    observe(event, upstream) {
      if (closed !== undefined) return;
      const spans = maker.take(event, upstream);
      if (spans.length === 0) return;
      const room = Math.max(0, maxQueued - queue.length - underWay);
      queue.push(...spans.slice(0, room));
      if (spans.length > room) lose(spans.length - room, `${maxQueued} wait to be sent`);
      if (queue.length >= batch) flush();
      else if (sending === undefined) stopTimer ??= host.setTimer(flush, flushMs, true);
    },
    stats: () => ({ sent, dropped, waiting: queue.length + underWay }),
    close: (ms = 5_000) => (closed ??= close(ms)),
  };
}
