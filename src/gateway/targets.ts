import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Limits } from "../core/base/limits.ts";
import { httpTransport } from "../core/http/http-client.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { memoryPair } from "../core/transport/memory.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { spawnTransport } from "../node/child.ts";
import { createHttpSend } from "../node/http-send.ts";
import { createNoiseLog, type NoiseLog } from "./noise-log.ts";
import type { UpstreamTarget } from "./plan.ts";

/** Makes connections to one upstream. */
export interface Connector {
  /** `renewed`: see `HttpTransportOptions`. `principal`: whose it is, where it is one principal's alone. A server of this process sees it as its peer's; to others nobody is named. */
  connect(renewed?: (failure?: LocalError) => void, principal?: Principal): Promise<Transport>;
  /** Whether what the server sends names the call that it belongs to. */
  readonly relates: boolean;
  /** Where it is told what they brought that is no message; answers that cannot be read as messages are told already. */
  readonly noise: NoiseLog;
  /** Releases what the connections have in common. */
  close(): void;
}

// What programs need to start and to find their home, and no more: the rest of the gateway's environment is not theirs.
const PASSED_ON: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "TEMP", "TMP"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "USERPROFILE", "USERNAME"],
];

export function defaultEnvironment(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined && PASSED_ON.includes(name.toUpperCase())) kept[name] = value;
  return kept;
}

/** Of entries of a log that are lines of a child's standard error. */
export const STDERR = { stream: "stderr" } as const;

export interface ConnectorParts {
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
}

export function createConnector(target: UpstreamTarget, parts: ConnectorParts): Connector {
  const noise = createNoiseLog(parts);
  const ways = waysTo(target, parts, noise);
  const close = () => {
    noise.close();
    ways.close();
  };
  return { ...ways, noise, close };
}

function waysTo(target: UpstreamTarget, { host, limits, log }: ConnectorParts, noise: NoiseLog): Omit<Connector, "noise"> {
  if ("command" in target) {
    const { env = defaultEnvironment(process.env), stderr = "inherit", ...rest } = target;
    const said = stderr === "log" ? { onStderrLine: (message: string) => log({ level: "info", message, details: STDERR }) } : { stderr };
    return { connect: () => spawnTransport({ ...rest, ...said, env, host, limits, onNoise: noise.line }), relates: false, close() {} };
  }
  if ("url" in target) {
    const { url, headers, authorize } = target;
    const own = target.send === undefined ? createHttpSend() : undefined;
    const send = target.send ?? own!;
    const onNoise = (why: string) => noise.sent("sent what is no message", why);
    const options = { url, send, host, limits, log, onNoise, ...(headers === undefined ? {} : { headers }), ...(authorize === undefined ? {} : { authorize }) };
    return { connect: async (renewed = () => {}) => httpTransport({ ...options, renewed }), relates: true, close: () => own?.close() };
  }
  if ("server" in target) {
    return {
      async connect(_renewed, principal) {
        const [near, far] = memoryPair({ limits });
        await target.server.connect(principal === undefined ? far : of(principal, far));
        return near;
      },
      relates: false,
      close() {},
    };
  }
  if ("connect" in target) return { connect: async () => await target.connect(), relates: false, close() {} };
  throw new LocalError("invalid_argument", "the target of an upstream has a command, a url, a server or connect");
}

/** The same connection, with a peer whom the gateway has verified. */
function of(principal: Principal, transport: Transport): Transport {
  return {
    send: (frame, route) => transport.send(frame, route),
    async receive() {
      const arrival = await transport.receive();
      return arrival === undefined ? undefined : { ...arrival, from: { ...arrival.from, principal } };
    },
    close: (why) => transport.close(why),
  };
}
