import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { printable } from "../core/base/printable.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { withoutPlace, type Noise } from "../core/transport/line-transport.ts";

/** What a server sends that is no message, in a log: a bounded number of lines, and how many were left out. Quotes nothing but where texts of errors are wanted. */
export interface NoiseLog {
  /** A line of its standard output. */
  line(noise: Noise): void;
  /** Anything else: `did` says what was done, `why` what is wrong with it. */
  sent(did: string, why: string): void;
  /** Says what was left out since, and no more after it. */
  close(): void;
}

export interface NoiseLogParts {
  readonly host: Host;
  readonly log: Log;
}

const MAX_LINES = 10;
const WINDOW_MS = 60_000;
const QUOTE_CHARS = 200;

export function createNoiseLog({ host, log }: NoiseLogParts): NoiseLog {
  let told = 0;
  let leftOut = 0;
  let closed = false;
  let cancel: (() => void) | undefined;
  const endWindow = () => {
    cancel?.();
    cancel = undefined;
    if (leftOut > 0) log({ level: "warning", message: `sent ${leftOut} more that ${leftOut === 1 ? "is no message; it is" : "are no messages; they are"} not told one by one` });
    told = 0;
    leftOut = 0;
  };
  const tell = (message: string, more: { readonly error?: LocalError } = {}) => {
    if (closed) return;
    cancel ??= host.setTimer(endWindow, WINDOW_MS, true);
    if (told >= MAX_LINES) return void leftOut++;
    told++;
    log({ level: "warning", message, ...more });
  };
  return {
    line(noise) {
      // As the text of an error it is shown where such are, and nowhere else: it may be part of a payload. Whole, as half a secret is not known for one; logs cut it.
      tell(describeLine({ ...noise, why: withoutPlace(noise.why) }), { error: new LocalError("invalid_message", noise.text) });
    },
    sent: (did, why) => tell(`${did} (${printable(withoutPlace(why), QUOTE_CHARS)})`),
    close() {
      endWindow();
      closed = true;
    },
  };
}

/** A line that was no message, without its text. */
export function describeLine({ length, why }: Pick<Noise, "length" | "why">, max = QUOTE_CHARS): string {
  return `wrote a line${length === undefined ? "" : ` of ${length} characters`} that is no message (${printable(why, max)})`;
}
