// Many sessions with a stream each, and one among them that is not read: what it costs the others, and what of it stays in memory.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { isObject } from "../../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { withLimit } from "../matrix/bounded.ts";
import { library, node } from "../matrix/library.ts";

const STREAMS = 1_000;
const BLOCKS = 5;
const ROUNDS = 8;
const OPEN_AT_ONCE = 20;
const LIMIT_MS = 60_000;
/** What the stalled reader is sent at once, and with each round: far more than the system keeps for one connection. */
const FLOOD = 4_000;
const MORE = 50;
const FLOOD_BYTES = 4_096 + 150;
/** Of a message that waits, besides its text: promises, and the message itself. */
const WAITING_BYTES = 1_000;

/** Milliseconds from the server's call to the client's handler; the medians over all blocks. Bytes are of the server, after a forced garbage collection. */
export interface StreamsOutcome {
  readonly streams: number;
  readonly p99: { readonly without: number; readonly stalled: number };
  /** What was written for the stalled reader each time. */
  readonly floodedBytes: number;
  /** The most that the server's memory has grown while one reader stalled. */
  readonly grownBytes: number;
  /** What it may be by the limits: a full lane, another one that Node has taken over, and as many messages as may wait. */
  readonly boundBytes: number;
  readonly left: { readonly sessions: number; readonly requests: number };
}

interface Told {
  readonly url?: string;
  readonly bytes?: number;
  readonly stats?: StreamsOutcome["left"];
}

async function tell(child: ChildProcess, what: object): Promise<Told> {
  const answer = once(child, "message");
  child.send(what);
  const [told] = (await withLimit(LIMIT_MS, "the server's answer", answer)) as [Told];
  return told;
}

interface Readers {
  /** Settles with the latencies of the next round, once all have heard. */
  nextRound(): Promise<number[]>;
  close(): Promise<void>;
}

async function openReaders(url: string, count: number): Promise<Readers> {
  const send = node.createHttpSend();
  let latencies: number[] = [];
  let settle: ((latencies: number[]) => void) | undefined;
  const heard = ({ data }: { readonly data: unknown }) => {
    if (!isObject(data) || typeof data["at"] !== "number") return;
    latencies.push(Number(process.hrtime.bigint()) / 1e6 - data["at"]);
    if (latencies.length === count) settle?.(latencies);
  };
  const clients = Array.from({ length: count }, () => new library.McpClient({ name: "reader", version: "1.0.0" }, { versions: ["2025-11-25"] }));
  let next = 0;
  const lane = async () => {
    for (let client = clients[next++]; client !== undefined; client = clients[next++]) {
      client.onLog(heard);
      await client.connect(library.httpTransport({ url, send }));
      await client.setLogLevel("error");
    }
  };
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, lane));
  return {
    nextRound() {
      latencies = [];
      return withLimit(LIMIT_MS, "a round", new Promise<number[]>((resolve) => (settle = resolve)));
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      send.close();
    },
  };
}

/** A session whose stream is open and never read. Gives what ends it. */
async function openStalled(url: string): Promise<() => Promise<void>> {
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ask = async (method: string, headers: Record<string, string>, message?: object): Promise<IncomingMessage> => {
    // Each on a connection of its own: the one that stalls must be nobody else's.
    const outgoing = request(url, { method, agent: false, headers: { ...base, ...headers } });
    outgoing.on("error", () => {});
    outgoing.end(message === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", ...message }));
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    if (message !== undefined) incoming.resume();
    return incoming;
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stalled", version: "1.0.0" } };
  const opened = await ask("POST", {}, { id: 1, method: "initialize", params });
  const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  await ask("POST", session, { method: "notifications/initialized" });
  await ask("POST", session, { id: 2, method: "logging/setLevel", params: { level: "debug" } });
  const stream = await ask("GET", session);
  return async () => {
    stream.on("error", () => {});
    stream.destroy();
    (await ask("DELETE", session)).resume();
  };
}

const sorted = (values: readonly number[]) => [...values].sort((left, right) => left - right);
const percentile = (values: readonly number[], share: number) => sorted(values)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

/** Blocks with a stalled reader and without one take turns, so that what else the machine does hits both. */
export async function stallOneReader(): Promise<StreamsOutcome> {
  const child = fork(join(import.meta.dirname, "streams-server.mjs"), [], { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    const [{ url = "" }] = (await withLimit(LIMIT_MS, "the start of the server", once(child, "message"))) as [Told];
    const readers = await openReaders(url, STREAMS - 1);
    const block = async (more: number): Promise<number> => {
      const all: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const heard = readers.nextRound();
        await tell(child, { speak: true, flood: more });
        all.push(...(await heard));
      }
      return percentile(all, 0.99);
    };
    const memory = async () => (await tell(child, { memory: true })).bytes ?? Number.NaN;
    const p99 = { without: [] as number[], stalled: [] as number[] };
    let grownBytes = 0;
    await block(0);
    for (let turn = 0; turn < BLOCKS; turn++) {
      p99.without.push(await block(MORE));
      const before = await memory();
      const endStalled = await openStalled(url);
      await tell(child, { flood: FLOOD });
      p99.stalled.push(await block(MORE));
      grownBytes = Math.max(grownBytes, (await memory()) - before);
      await endStalled();
    }
    await readers.close();
    const left = (await tell(child, { memory: true })).stats ?? { sessions: Number.NaN, requests: Number.NaN };
    const boundBytes = 2 * DEFAULT_LIMITS.maxStreamChars + DEFAULT_LIMITS.maxQueuedFrames * (FLOOD_BYTES + WAITING_BYTES);
    return {
      streams: STREAMS,
      p99: { without: percentile(p99.without, 0.5), stalled: percentile(p99.stalled, 0.5) },
      floodedBytes: (FLOOD + ROUNDS * MORE) * FLOOD_BYTES,
      grownBytes,
      boundBytes,
      left,
    };
  } finally {
    child.disconnect();
  }
}
