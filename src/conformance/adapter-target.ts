import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { Transport } from "../core/transport/transport.ts";
import { comparableOutcome } from "./adapter-outcome.ts";
import { ADAPTER_KINDS, ADAPTER_PROTOCOL, HELLO, readHello, unsupportedReason, type AdapterHello, type AdapterKind } from "./adapter-protocol.ts";
import { adapterSession, type AdapterSession } from "./adapter-session.ts";
import { inRealTime, restoreTimes } from "./adapter-time.ts";
import { NoOutcome } from "./no-outcome.ts";
import type { Target } from "./target.ts";

/** How a program is reached that speaks the adapter protocol. */
export interface AdapterLink {
  readonly transport: Transport;
  /** What it has said beside the protocol of late, for whoever looks into its failure. */
  stderrTail?(): string;
}

/** How an adapter is started and awaited. Times are in milliseconds. */
export interface AdapterOptions {
  /** Starts the program. `onNoise` is to be told of each line that is no message. */
  open(onNoise: (text: string) => void): Promise<AdapterLink>;
  readonly host: Pick<Host, "setTimer">;
  /** For one vector; what is awaited longer is given up by the kit. */
  readonly timeoutMs: number;
  /** For a start, and the first `hello`. */
  readonly startTimeoutMs: number;
}

const OPTIONS: OptionTable<AdapterOptions> = { open: "a function", host: "an object", timeoutMs: "a number", startTimeoutMs: "a number" };

/** A program that speaks the adapter protocol, as something to measure. */
export interface AdapterTarget {
  readonly target: Target;
  /** Ends the program. */
  close(): Promise<void>;
}

// A program that keeps crashing is started this often, so that one bad vector does not spoil the rest.
const MAX_STARTS = 20;
// A program that runs calls side by side may be well while one of them hangs.
const PING_MS = 1000;
// A trace of the stack is long, and says at its head what happened.
const TAIL_LINES = 40;
const TAIL_CHARS = 4000;

/**
 * A program that speaks the adapter protocol as a target. `target.ready` starts it, and starts it again after it went, hung or said what is
 * no answer; one that does not start, or does not say hello, stays so.
 */
export function adapterTarget(options: AdapterOptions): AdapterTarget {
  checkOptions(options, "the options of adapterTarget", OPTIONS);
  const { open, host, timeoutMs, startTimeoutMs } = options;
  let starts = 0;
  let pings = 0;
  let calls = 0;
  let current: { readonly session: AdapterSession; readonly link: AdapterLink; readonly hello: AdapterHello } | undefined;
  // Why it is not started again.
  let gone: NoOutcome | undefined;
  let inFlight: Promise<unknown> | undefined;

  const within = async <T>(work: Promise<T>, ms: number, what: string): Promise<T> => {
    let stopTimer = () => {};
    const late = new Promise<never>((_, reject) => (stopTimer = host.setTimer(() => reject(new LocalError("timeout", `${what} in ${ms} ms`)), ms)));
    try {
      return await Promise.race([work, late]);
    } finally {
      stopTimer();
    }
  };

  const start = async () => {
    starts++;
    let opened: { readonly session: AdapterSession; readonly link: AdapterLink } | undefined;
    try {
      let noise: string | undefined;
      const link = await open((text) => {
        noise = `it printed what is no message: ${text.slice(0, 200)}`;
        opened?.session.breakOff(noise);
      });
      opened = { link, session: adapterSession(link.transport, host) };
      if (noise !== undefined) opened.session.breakOff(noise);
      const answer = await within(opened.session.call(HELLO, HELLO, { protocol: ADAPTER_PROTOCOL }), startTimeoutMs, "no answer to hello");
      current = { ...opened, hello: readHello(answer) };
    } catch (thrown) {
      gone = fault(`it does not start: ${describeError(thrown)}`, opened?.link, thrown);
      await opened?.session.close();
    }
  };

  const stop = async () => {
    const { session } = current ?? {};
    current = undefined;
    await session?.close();
  };

  /** Whether a program that owes an answer still takes calls. */
  const lives = async (session: AdapterSession): Promise<boolean> => {
    try {
      await within(session.call(`${HELLO}-${++pings}`, HELLO, { protocol: ADAPTER_PROTOCOL }), Math.min(PING_MS, timeoutMs), "no answer to hello");
      return true;
    } catch {
      return false;
    }
  };

  const ready = async (kind: string): Promise<void> => {
    if (!ADAPTER_KINDS.some((known) => known === kind) || gone !== undefined) return;
    const hangs = inFlight !== undefined;
    inFlight = undefined;
    if (current !== undefined && (current.session.broken !== undefined || (hangs && !(await lives(current.session))))) await stop();
    if (current !== undefined) return;
    if (starts === MAX_STARTS) gone = fault(`it has been started ${MAX_STARTS} times, and no more`);
    else await start();
  };

  const call = async (kind: AdapterKind, input: JsonObject): Promise<JsonObject> => {
    if (current === undefined) throw gone ?? fault("it does not run");
    const { session, link, hello } = current;
    if (!hello.kinds.has(kind)) throw new NoOutcome("unsupported", `the adapter does not answer ${kind} vectors`);
    const answering = session.call(`${kind}-${++calls}`, kind, input);
    inFlight = answering;
    let answer: JsonObject;
    try {
      answer = await answering;
    } catch (thrown) {
      throw fault(describeError(thrown), link, thrown);
    } finally {
      if (inFlight === answering) inFlight = undefined;
    }
    const reason = unsupportedReason(answer);
    if (reason !== undefined) throw new NoOutcome("unsupported", reason);
    return answer;
  };

  return {
    target: {
      ready,
      async chain(input) {
        const { input: given, restore } = current?.hello.clock === "real" ? inRealTime(input, timeoutMs / 2) : { input, restore: (ms: unknown) => ms };
        const outcome = await call("chain", { ...given });
        return restoreTimes(comparableOutcome(outcome, input), restore);
      },
      async descriptor(descriptor) {
        return verdictOf(await call("descriptor", { descriptor }), "accepted", "refused");
      },
      async dialect(answer, asked) {
        return verdictOf(await call("dialect", { asked, answer }), "result", "malformed");
      },
    },
    close: stop,
  };
}

// What is neither the one nor the other is no answer, and no refusal either.
function verdictOf(answer: JsonObject, taken: string, refused: string): unknown {
  if (answer[refused] === true) throw new LocalError("refused", refused);
  if (!Object.hasOwn(answer, taken)) throw new NoOutcome("broken", `the adapter: its answer has neither ${taken} nor ${refused}: ${JSON.stringify(answer)}`);
  return answer[taken];
}

function fault(what: string, link?: AdapterLink, cause?: unknown): NoOutcome {
  const tail = link?.stderrTail?.().trimEnd().split("\n").slice(-TAIL_LINES).join("\n").slice(-TAIL_CHARS) ?? "";
  // The end of a process is told with its last line.
  const more = tail === "" || what.includes(tail) ? "" : `; on stderr: ${tail}`;
  return new NoOutcome("broken", `the adapter: ${what}${more}`, cause);
}
