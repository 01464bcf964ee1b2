// A server on stdio that this process has started, and the client at the other end of its own stdin and stdout.
import type { Relay, RelayEnd } from "../core/guard/relay.ts";
import type { Noise } from "../core/transport/line-transport.ts";
import type { Transport } from "../core/transport/transport.ts";
import { spawnTransport, type ChildExit, type ChildTransport } from "../node/child.ts";
import { stdioTransport } from "../node/stdio.ts";
import { describeCrash, describeNoise } from "./describe.ts";
import type { Exit } from "./exit.ts";
import { watchParent } from "./orphan.ts";
import { ENDING_SIGNALS, exitBy } from "./signals.ts";
import type { StartWatch } from "./start-watch.ts";

export type StderrLog = (level: "info" | "warn" | "error", message: string) => void;

interface CarryOptions {
  readonly log: StderrLog;
  /** Whether what an error says may be told: it may quote payloads. */
  readonly verbose: boolean;
}

// For loading modules, starting interceptor servers and opening the log, together: clients give up on a server after a minute.
export const START_LIMIT_MS = 30_000;

// How long a server that got a signal has to leave in its own way, before it sees the end of its stdin as well.
const SIGNAL_GRACE_MS = 1000;

// Who started this process; another one once that is gone.
export const PARENT = process.ppid;

/** Warnings and errors, a line each. */
export const tellOnStderr: StderrLog = (level, message) => {
  if (level !== "info") process.stderr.write(`mcp-interceptors: ${level === "warn" ? "warning: " : ""}${message}\n`);
};

/** Starts a server, ends the watch over the start, and carries what `connect` makes of it. Where the watch says how to end, it is ended and so does this. */
export async function carryCommand(
  [command, ...args]: readonly [string, ...string[]],
  { watch, verbose }: { readonly watch: StartWatch; readonly verbose: boolean },
  connect: (child: ChildTransport) => (down: Transport) => Relay,
): Promise<Exit> {
  const onNoise = (noise: Noise) => tellOnStderr("warn", describeNoise("the server", noise, verbose));
  const child = await spawnTransport({ command, args, stderr: "inherit", onNoise });
  if (watch.exit !== undefined) {
    await child.close();
    return watch.exit;
  }
  watch.release();
  return carryStdio(child, connect(child), { log: tellOnStderr, verbose });
}

/**
 * Carries one client's connection on stdin and stdout to a server that was started for it, up to the end of both. `connect` makes the relay between the
 * client's transport and the server's.
 */
async function carryStdio(child: ChildTransport, connect: (down: Transport) => Relay, { log, verbose }: CarryOptions): Promise<Exit> {
  // A client that ends its side may still read; one that was killed reads nothing, and need not be waited for. The end of its side shows only once
  // all that came before it is read, which takes a server that reads.
  const parent = watchParent(PARENT, () => void carried.close());
  const stdio = onEnd(stdioTransport(), () => parent.hurry());
  const carried = connect(stdio);

  // A signal is the server's to answer; ours is to pass it on, and to go when the server has gone.
  let passedOn: NodeJS.Signals | undefined;
  let closing: NodeJS.Timeout | undefined;
  const signals = ENDING_SIGNALS.map((signal) => {
    const listener = () => {
      passedOn ??= signal;
      child.kill(signal);
      // One that ignores the signal is ended as at any close.
      closing ??= setTimeout(() => void carried.close(), SIGNAL_GRACE_MS);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  // Nobody knows any more what state a policy is in whose error nobody caught. What waits is answered, and nothing else passes.
  let crashed = false;
  const onCrash = (thrown: unknown) => {
    crashed = true;
    log("error", `an error that nobody caught ends this run: ${describeCrash(thrown, verbose)}`);
    void carried.close();
  };
  process.on("uncaughtException", onCrash);

  const end = await carried.ended;
  const exit = await child.exited;
  clearTimeout(closing);
  parent.release();
  for (const off of signals) off();
  process.off("uncaughtException", onCrash);
  return crashed ? { code: 1 } : exitAfter(end, exit, passedOn);
}

function onEnd(transport: Transport, ended: () => void): Transport {
  return {
    ...transport,
    async receive() {
      const arrival = await transport.receive();
      if (arrival === undefined) ended();
      return arrival;
    },
  };
}

function exitAfter(end: RelayEnd, { code, signal }: ChildExit, passedOn: NodeJS.Signals | undefined): Exit {
  if (code !== null) return { code };
  // The client went, and the server did not go by itself: an orderly end all the same.
  if (end.by === "client" && passedOn === undefined) return { code: 0 };
  // It ended the connection, lived on, and was ended by force.
  if (end.by === "server" && end.error === undefined && passedOn === undefined) return { code: 1 };
  return signal === null ? { code: 1 } : exitBy(signal);
}
